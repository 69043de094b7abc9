import { expect, it } from 'bun:test';
import { listFields, pageSearch, searchNumber, searchOrder, searchText } from './list-search.ts';
import { plainText, searchChoice, searchOf } from './search-field.ts';

const read = searchOf({
  next: plainText,
  by: searchChoice(['phone', 'password']),
  q: searchText,
  id: searchNumber('integer'),
  sort: searchOrder(['name']),
  ...listFields,
});

it.each<[what: string, given: Record<string, unknown>, found: ReturnType<typeof read>]>([
  ['nothing', {}, {}],
  ['what the fields name', { next: '/log', other: 'x' }, { next: '/log' }],
  ['choices and orders', { by: 'phone', sort: '-name' }, { by: 'phone', sort: '-name' }],
  ['what is no choice', { by: 'toString', sort: 'id' }, { by: undefined, sort: undefined }],
  ['texts', { q: 'a b' }, { q: 'a b' }],
  ['texts that the database cannot hold', { q: 'a\0' }, { q: undefined }],
  ['texts that are too long', { q: 'a'.repeat(301) }, { q: undefined }],
  ['numbers as they stand', { id: ' 12 ' }, { id: ' 12 ' }],
  ['numbers of no row', { id: '2147483648' }, { id: undefined }],
  ['what is no number', { id: '1e3', p: 'two', size: '' }, { id: undefined, p: undefined, size: undefined }],
  ['pages, also as a link gives them', { p: '2', size: 50 }, { p: 2, size: 50 }],
  ['pages that no list has', { p: '0', size: '17' }, { p: undefined, size: undefined }],
])('reads %s', (_, given, found) => expect(read(given)).toStrictEqual(found));

it('keeps what a filter cannot read, so that its control says so, and of other fields nothing', () => {
  const list = pageSearch({ id: searchNumber('integer') }, listFields);
  expect(list({ id: 'seven', p: 'x' })).toEqual({ unreadable: { id: 'seven' } });
  // As a link gives the present search.
  expect(list({ unreadable: { id: 'seven' }, p: 2 })).toEqual({ unreadable: { id: 'seven' }, p: 2 });
  expect(list({ id: '7' })).toEqual({ id: '7', unreadable: undefined });
});
