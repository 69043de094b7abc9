import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { createWordMatcher } from '../core/word-matcher.ts';
import type { ChatReply, StreamEvent } from './neutral.ts';
import { FilteredReader, filteredReply, type WordFilter } from './word-filter.ts';

const filterOf = (words: string[], stops: boolean, heldBack = 0): WordFilter => ({
  words: createWordMatcher(words),
  stops,
  heldBack,
});

/** What comes of a text that arrives in these pieces, step by step. */
function stream(filter: WordFilter, pieces: readonly string[]): StreamEvent[][] {
  const events: StreamEvent[][] = [
    [{ type: 'part-start', choice: 0, index: 0, part: { type: 'text', text: '' } }],
    ...pieces.map((text): StreamEvent[] => [
      { type: 'part-delta', choice: 0, index: 0, delta: { type: 'text', text } },
    ]),
    [
      { type: 'part-end', choice: 0, index: 0 },
      { type: 'stop', choice: 0, stop: 'stop' },
    ],
    [{ type: 'end' }],
  ];
  const coming = events.values();
  const reader = new FilteredReader({ push: () => coming.next().value ?? [], end: () => [] }, filter);
  return [...events.map(() => reader.push({ data: 'x', event: '' })), reader.end()];
}

const said = (steps: readonly StreamEvent[][]): string =>
  steps
    .flat()
    .map((event) => (event.type === 'part-delta' && 'text' in event.delta ? event.delta.text : ''))
    .join('');
const stopOf = (steps: readonly StreamEvent[][]) =>
  steps.flat().flatMap((event) => (event.type === 'stop' ? [event.stop] : []));

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'B', 'c', 'x', ' '), maxLength: 4 }), {
  maxLength: 12,
});
const words = fc.array(word, { minLength: 1, maxLength: 4 });

/** Every place of every word masked, by plain search. */
function maskedPlainly(text: string, list: readonly string[]): string {
  const lower = text.toLowerCase();
  const letters = [...text];
  for (const each of list) {
    for (let at = lower.indexOf(each); at >= 0; at = lower.indexOf(each, at + 1))
      letters.fill('*', at, at + each.length);
  }
  return letters.join('');
}

describe('a stream', () => {
  it('is masked as its whole text would be, however it comes in pieces', () => {
    fc.assert(
      fc.property(words, pieces, fc.nat(3), (list, parts, heldBack) => {
        const steps = stream(filterOf(list, false, heldBack), parts);
        expect(said(steps)).toBe(maskedPlainly(parts.join(''), list));
        expect(stopOf(steps)).toEqual(['stop']);
        expect(steps.flat().at(-1)).toEqual({ type: 'end' });
      }),
    );
  });

  it('ends before a word, with the reason that a filter gives, and no part of the word goes out', () => {
    fc.assert(
      fc.property(words, pieces, (list, parts) => {
        const text = parts.join('');
        const hasWord = maskedPlainly(text, list).includes('*');
        const steps = stream(filterOf(list, true), parts);
        const out = said(steps);
        expect(text.startsWith(out)).toBe(true);
        expect(stopOf(steps)).toEqual([hasWord ? 'content-filter' : 'stop']);
        expect(maskedPlainly(out, list)).toBe(out);
        if (!hasWord) expect(out).toBe(text);
        expect(steps.flat().filter(({ type }) => type === 'part-end' || type === 'end')).toHaveLength(2);
      }),
    );
  });

  it('goes out without the tokens that would spell a word', () => {
    const logprobs: StreamEvent = { type: 'logprobs', choice: 0, logprobs: { content: [{ token: 'abc' }] } };
    const reader = new FilteredReader({ push: () => [logprobs], end: () => [] }, filterOf(['abc'], false));
    expect(reader.push({ data: 'x', event: '' })).toEqual([]);
  });

  it('goes out as it comes but for what may become a word', () => {
    const steps = stream(filterOf(['secret'], true), ['a se', 'cond se', 'c', 'ond']);
    expect(steps.slice(1, 5).map((step) => said([step]))).toEqual(['a ', 'second ', '', 'second']);
  });

  it('waits StreamCacheQueueLength pieces longer, and a word takes them away', () => {
    const filter = filterOf(['secret'], true, 2);
    const steps = stream(filter, ['one ', 'two ', 'three ', 'four ', 'secret', 'never']);
    expect(said(steps)).toBe('one two ');
    expect(stopOf(steps)).toEqual(['content-filter']);
    expect(said(stream(filter, ['one ', 'two']))).toBe('one two');
  });
});

describe('a whole answer', () => {
  const reply = (...texts: string[]): ChatReply => ({
    id: '1',
    model: 'm',
    created: 0,
    choices: texts.map((text, index) => ({
      index,
      parts: [
        { type: 'text', text },
        { type: 'text', text: ' more' },
      ],
      stop: 'stop',
      logprobs: { content: [{ token: text }] },
    })),
    usage: null,
    extra: {},
  });

  it('is the very same where it has no word', () => {
    const given = reply('fine');
    expect(filteredReply(given, filterOf(['secret'], true))).toBe(given);
  });

  it('may be made of words', () => {
    const given = reply('ab'.repeat(200_000));
    const textOf = (stops: boolean) =>
      filteredReply(given, filterOf(['ba', 'b'], stops)).choices[0]?.parts.flatMap((part) =>
        part.type === 'text' ? part.text : [],
      )[0];
    expect(textOf(true)).toBe('a');
    expect(textOf(false)).toBe(`a${'*'.repeat(399_999)}`);
  });

  it('ends before the word, or has it masked', () => {
    const given = reply('a Secret plan', 'fine');
    expect(filteredReply(given, filterOf(['secret'], true)).choices).toMatchObject([
      { stop: 'content-filter', parts: [{ text: 'a ' }] },
      { stop: 'stop', parts: [{ text: 'fine' }, { text: ' more' }] },
    ]);
    expect(filteredReply(given, filterOf(['secret'], false)).choices[0]).toMatchObject({
      stop: 'stop',
      parts: [{ text: 'a ****** plan' }, { text: ' more' }],
    });
    for (const stops of [true, false]) {
      const [cut, whole] = filteredReply(given, filterOf(['secret'], stops)).choices;
      expect([cut?.logprobs, whole?.logprobs]).toEqual([undefined, { content: [{ token: 'fine' }] }]);
    }
  });
});
