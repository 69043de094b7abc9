import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { changesBetween, readDetail } from './admin-actions.ts';
import type { JsonObject } from './json.ts';

describe('what a record tells', () => {
  it('is each field that differs, with what came and what went', () => {
    expect(changesBetween({ a: 1, b: 2, gone: 'x' }, { a: 1, b: 3, come: null })).toEqual({
      b: { before: 2, after: 3 },
      gone: { before: 'x' },
      come: { after: null },
    });
  });

  it('is nothing of two states that are alike, and every field that is not', () => {
    const state = fc.dictionary(
      fc.string({ maxLength: 4 }),
      fc.oneof(fc.integer(), fc.string(), fc.boolean()),
    );
    fc.assert(
      fc.property(state, state, (before, after) => {
        const changes = changesBetween(before as JsonObject, after as JsonObject);
        expect(changesBetween(before as JsonObject, { ...before } as JsonObject)).toEqual({});
        const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
          (name) => before[name] !== after[name],
        );
        expect(Object.keys(changes).sort()).toEqual(differing.sort());
      }),
    );
  });

  it('reads fields, entries of objects, lists, secrets and facts', () => {
    const { differences, facts } = readDetail({
      status: { before: 1, after: 2 },
      setting: { before: { proxy: 'a', x: 1 }, after: { proxy: 'b', x: 1 } },
      models: { before: ['a', 'b'], after: ['b', 'c', 'd'] },
      name: { after: 'new' },
      key: 'changed',
      ids: [1, 2],
      ref: 'r',
    });
    expect(differences).toEqual([
      { name: 'status', before: '1', after: '2' },
      { name: 'setting.proxy', before: 'a', after: 'b' },
      { name: 'models', before: 'a', after: 'c, d' },
      { name: 'name', before: null, after: 'new' },
      { name: 'key', before: null, after: null, isSecret: true },
    ]);
    expect(facts).toEqual([
      { name: 'ids', value: '1, 2' },
      { name: 'ref', value: 'r' },
    ]);
  });

  it('tells nothing of what came or went empty', () => {
    const detail = {
      tag: { after: '' },
      groups: { after: [] },
      other: { before: '' },
      name: { after: 'new' },
    };
    expect(readDetail(detail).differences).toEqual([{ name: 'name', before: null, after: 'new' }]);
  });

  it('reads records of before, which hold both sides of the whole', () => {
    expect(readDetail({ before: '2', after: '4' }).differences).toEqual([
      { name: '', before: '2', after: '4' },
    ]);
    expect(
      readDetail({ before: { role: 1, status: 1 }, after: { role: 10, status: 1 } }).differences,
    ).toEqual([{ name: 'role', before: '1', after: '10' }]);
  });
});
