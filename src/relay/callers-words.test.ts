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

/** Milliseconds; the best of three, since other work may come between. */
const took = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
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
      expect(took(look(said, 1))).toBeLessThan(took(look(said.slice(0, 819), 10)) * 4 + 5);
    },
  );
});
