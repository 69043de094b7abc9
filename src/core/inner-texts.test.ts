import { describe, expect, it } from 'bun:test';
import { InnerJson } from './inner-json.ts';
import { readTexts } from './inner-texts.ts';
import { limits } from './limits.ts';

const WORD = '{"q":"for\\u0062idden"}';

describe('the texts of a prompt', () => {
  it('are read as models read them: JSON in JSON, to its names', () => {
    expect([...readTexts(['so', JSON.stringify({ a: WORD })])]).toEqual(['so', 'a', 'q', 'forbidden']);
  });

  it.each([
    ['values', `[${'1,'.repeat(limits.innerJsonValues)}1]`],
    ['characters', `["${'a'.repeat(limits.innerJsonChars)}"]`],
    ['depth', '['.repeat(200_000) + ']'.repeat(200_000)],
  ])('are read as they stand beyond a bound of %s', (_, heavy) => {
    expect([...readTexts([heavy])]).toEqual([heavy]);
    // With its spelling undone all the same.
    const spelled = heavy.replace(/\]$/, `,${JSON.stringify(WORD)}]`);
    expect([...readTexts([spelled])].some((text) => text.includes('"forbidden"'))).toBe(true);
  });

  it('have one budget together', () => {
    const each = `[${'1,'.repeat(limits.innerJsonValues / 4)}"for\\u0062idden"]`;
    const read = [...readTexts([each, each, each, each, each, 'so'])];
    expect(read.slice(0, 3)).toEqual(['forbidden', 'forbidden', 'forbidden']);
    expect(read.at(3)).toBe(each);
    expect(read.at(4)).toEndWith('"forbidden"]');
    expect(read.at(-1)).toBe('so');
  });

  it('are read as they stand where they may hold less', () => {
    const [values, names] = ['[1,2,3,4,5]', '{"a":"x","b":"x","c":"x"}'];
    const read = (text: string) => [...readTexts([text], new InnerJson({ values: 4, keys: 2 }))];
    expect([read(values), read(names)]).toEqual([[values], [names]]);
    expect(read('{"a":"x","b":"x"}')).toEqual(['a', 'x', 'b', 'x']);
  });

  it('are not read before they are asked for', () => {
    const read = readTexts(
      (function* () {
        yield 'first';
        throw new Error('asked for too much');
      })(),
    );
    expect(read.next().value).toBe('first');
  });
});
