import { describe, expect, it } from 'bun:test';
import { translatorFor } from '@/lib/translator-for.ts';
import { tagBody, tagErrors, untouched } from './tag-form.ts';

const t = translatorFor('en');
const errors = (over: object) =>
  Object.entries(tagErrors({ ...untouched('eu'), ...over }, t)).filter(([, text]) => text);

describe('editing a tag', () => {
  it('keeps what is empty and sends what is given', () => {
    expect(tagBody('eu', { ...untouched('eu'), models: ['a', 'b'], priority: '0', weight: ' ' })).toEqual({
      tag: 'eu',
      models: 'a,b',
      priority: 0,
    });
  });

  it('is nothing when nothing was changed', () => {
    expect(tagBody('eu', untouched('eu'))).toBeNull();
    expect(tagBody('eu', { ...untouched('eu'), newTag: ' eu ', mapping: ' ' })).toBeNull();
  });

  it('dissolves the tag by an empty new one, and renames it by another', () => {
    expect(tagBody('eu', { ...untouched('eu'), newTag: ' ' })).toEqual({ tag: 'eu', new_tag: '' });
    expect(tagBody('eu', { ...untouched('eu'), newTag: 'us' })).toEqual({ tag: 'eu', new_tag: 'us' });
  });

  it('wants a mapping of valid JSON, a priority of at least -999 and a weight that is not negative', () => {
    expect(errors({ mapping: '', priority: '-999', weight: '0' })).toEqual([]);
    expect(errors({ mapping: '{', priority: '-1000', weight: '1.5' }).map(([field]) => field)).toEqual([
      'mapping',
      'priority',
      'weight',
    ]);
  });
});
