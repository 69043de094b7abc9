import { describe, expect, it } from 'bun:test';
import { CallersWords } from './callers-words.ts';

type Asked = ConstructorParameters<typeof CallersWords>[0];

const saying = (...contents: string[]) =>
  new CallersWords({
    body: { model: 'm', messages: contents.map((content) => ({ role: 'user', content })) },
    headers: new Headers(),
    query: new URLSearchParams(),
    facts: { model: 'm', prompt: {}, previousAnswer: null } as Asked['facts'],
  });

/** Milliseconds; the best of nine, since other work may come between. */
const took = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 9 }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    }),
  );

describe('the names in an upstream’s words', () => {
  it.each(['a', 'a-', 'ab.', "'", '`a', '_', '$'])(
    'are found in about the time that its length takes: %s',
    (unit) => {
      const said = unit.repeat(8_192).slice(0, 8_192);
      const callers = saying('hi');
      const look = (text: string, times: number) => () => {
        for (let n = 0; n < times; n++) callers.namesTakenFrom(text);
      };
      look(said.slice(0, 819), 100)();
      expect(took(look(said, 1))).toBeLessThan(took(look(said.slice(0, 819), 10)) * 4 + 40);
    },
  );
});

const M = 256 * 1024;
const units: Record<string, string> = {
  'lists of numbers': '1,',
  'nested lists': '[',
  'nested objects': '{"a":',
  quotes: '"',
  'quoted letters': '"a",',
  'escaped letters': '\\u0041',
  backslashes: '\\',
  percents: '%41 ',
  commas: ', 1',
};

describe('a long request', () => {
  const said = "Your credit balance is too low: 'x.balance' in get_billing_info and temperature";
  const look = (content: string) => () => {
    const callers = saying(content);
    callers.namesTakenFrom(said);
    return [callers.hold('Your credit balance is too low'), callers.nameOthers];
  };

  it.each(Object.entries(units))('says nothing that does not stand there: %s', (_, unit) => {
    const content = `[${unit.repeat(M / unit.length)}`;
    for (const text of [content, content.replace(/,?$/, ']')]) expect(look(text)()[0]).toBe(false);
  });

  it('may hold lists in lists as deep as it likes', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(look(deep)()).toEqual([false, false]);
    expect(look(`{"a":${JSON.stringify(deep)}}`)()).toEqual([false, false]);
  });
});

describe('what a caller said', () => {
  const words = 'Your credit balance';
  const spelled = Array.from(words, (each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('');

  it.each([
    ['plain', `so: ${words}`],
    ['folded', 'Ｙour\ncredit\u00a0Balance'],
    ['in an address', encodeURIComponent(words)],
    ['in JSON', JSON.stringify({ a: [words] })],
    [
      'in JSON of six layers',
      [1, 2, 3, 4, 5, 6].reduce((inner) => JSON.stringify([inner]), 'Your\ncredit\n"balance"'),
    ],
    ['in JSON, spelled', `{"a":"${spelled}"}`],
    ['in JSON, spelled and cut', `{"a":"${spelled}`],
    ['behind a million of lists', `${'['.repeat(1_000_000)}"${spelled}"`],
  ])('is known again: %s', (_, content) => {
    expect(saying(content).hold(words)).toBe(true);
    expect(saying(content).hold('your credit card')).toBe(false);
  });

  it('is known as his name, also in JSON of his', () => {
    const said = "'get_billing_info' and my.balance of your_plan";
    const told = ' and my of your_plan';
    expect(saying('{"name":"get_billing_info","n":{"balance":1}}').namesTakenFrom(said)).toBe(`''${told}`);
    expect(saying('[{"name":"\\u0067et_billing_info"}', 'balance').namesTakenFrom(said)).toBe(`''${told}`);
    expect(saying('["{\\"get_billing_info\\":{\\"balance\\":1}}"]').namesTakenFrom(said)).toBe(`''${told}`);
    expect(saying('get_billing_info is balance').namesTakenFrom(said)).toBe(said);
  });

  it.each([
    ['https://page.example', true],
    ['see https://page.example', false],
    ['{"a":"https:\\/\\/page.example"}', true],
    ['{"a":["{\\"b\\":\\"\\\\u0068ttps://page.example\\"}"]}', true],
    ['{"a":"see https://page.example"}', false],
    ['{"a":"line\\\\nand","b":"C: \\\\"}', false],
  ])('names others: %s: %p', (content, isNamed) => {
    expect(saying(content).nameOthers).toBe(isNamed);
  });
});
