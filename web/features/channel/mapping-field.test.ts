import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { pairsOf, textOf } from './mapping-field.tsx';

describe('the model mapping as rows', () => {
  it('shows the pairs of a text and leaves other texts to the text field', () => {
    expect(pairsOf('')).toEqual([]);
    expect(pairsOf('{"a":"b","c":"d"}')).toEqual([
      { from: 'a', to: 'b' },
      { from: 'c', to: 'd' },
    ]);
    for (const text of ['{"a":1}', '["a"]', '{"a"', 'null']) expect(pairsOf(text)).toBeNull();
  });

  it('leaves out rows that are half written', () => {
    expect(textOf([{ from: 'a', to: '' }])).toBe('');
    expect(
      textOf([
        { from: ' a ', to: 'b ' },
        { from: '', to: 'x' },
      ]),
    ).toBe('{\n  "a": "b"\n}');
  });

  it('gives back every pair that it was given', () => {
    const name = fc.string({ minLength: 1 }).map((text) => `m${text.trim()}`);
    fc.assert(
      fc.property(fc.dictionary(name, name), (mapping) => {
        const text = Object.keys(mapping).length > 0 ? JSON.stringify(mapping) : '';
        expect(pairsOf(textOf(pairsOf(text) ?? []))).toEqual(pairsOf(text));
      }),
    );
  });
});
