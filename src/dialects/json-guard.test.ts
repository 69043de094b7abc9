import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BY_SECRET, plainNames } from '../../tests/support/alike-names.ts';
import { limits } from '../core/limits.ts';
import { EventGuard, guardJson } from './json-guard.ts';

test('nesting of 64 passes and of 65 is refused', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(guardJson(nested(64))).toBeNull();
  expect(guardJson(nested(65))).toBe('depth');
  expect(guardJson('{"a":'.repeat(50_000))).toBe('depth');
});

test.each([
  ['9007199254740991', null],
  ['-9007199254740991', null],
  ['9007199254740992', 'number'],
  ['-9007199254740992', 'number'],
  ['{"seed":12345678901234567890}', 'number'],
  ['0.1234567890123456789', null],
  ['1e21', null],
  ['1e400', 'number'],
  ['-1E+999', 'number'],
  ['{"text":"12345678901234567890"}', null],
  ['{"text":"\\"12345678901234567890"}', null],
  ['{"text":"\\\\","n":12345678901234567890}', 'number'],
  ['"{{{{', null],
] as const)('%s: %p', (text, fault) => {
  expect(guardJson(text)).toBe(fault);
});

test('brackets and numbers inside texts mean nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(guardJson(JSON.stringify({ [text]: text, list: [text] }))).toBeNull();
    }),
  );
});

test('a number in any place is judged by whether it keeps its value', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n })), (numbers) => {
      const beyond = numbers.some((n) => !Number.isSafeInteger(Number(n)));
      expect(guardJson(`{"a":{"b":[${numbers.join(' ,')}]}}`)).toBe(beyond ? 'number' : null);
    }),
  );
});

test('a text of very many values is told, since each takes far more memory than its characters', () => {
  const many = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(',')}]`;
  expect(guardJson(many(100_000, '{}'))).toBeNull();
  expect(guardJson(many(limits.jsonValuesMax + 1, '{}'))).toBe('values');
  expect(guardJson(many(limits.jsonValuesMax + 1, '1'))).toBe('values');
  expect(guardJson(many(limits.jsonValuesMax + 1, '"a"'))).toBe('values');
  expect(guardJson(JSON.stringify({ text: ',{[:'.repeat(limits.jsonValuesMax) }))).toBeNull();
});

test('an event whose texts stand with those of one before is told, whatever has come between them', () => {
  const guard = new EventGuard();
  const alike = BY_SECRET.latin(24);
  const others = plainNames(limits.sessionTextsCounted + 12);
  const event = (texts: string[]) => guard.look(JSON.stringify({ texts, others })).fault;
  expect([event(alike.slice(0, 12)), event(alike.slice(12))]).toEqual([null, 'alike']);
});
