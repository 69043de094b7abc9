import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import {
  LIST_TOKENS,
  LISTS,
  mostRead,
  type Readers,
  type ReadingTool,
  readAhead,
  usualOf,
  usualTokens,
  withReading,
} from './tool-reading.ts';

const usual = { uses: { default: 2, fetch: 3 }, tokens: { default: 100, fetch: 1_000 } };
const tool = (name: string, more: Partial<ReadingTool> = {}): ReadingTool => ({
  name,
  most: null,
  tokens: null,
  ...more,
});
/** Two servers' tools. */
const LISTED = tool('listed', { most: 2, apart: true, ahead: true, tokens: 400 });
const asked = (reads: ReadingTool[], together: number | null = null): Readers => ({ reads, together });

describe('what tools read at the most', () => {
  it.each<[what: string, readers: Readers, rounds: number, tokens: number]>([
    ['is nothing where there are none', asked([]), 0, 0],
    ['is nothing where nobody is billed for it', asked([tool('fetch', { unbilled: true })]), 0, 0],
    [
      'is all of it where some of it is billed',
      asked([
        tool('fetch', { most: 1, unbilled: true, once: true }),
        tool('search', { most: 1, once: true }),
      ]),
      0,
      1_100,
    ],
    ['is read once by the reading that follows', asked([tool('search', { most: 1 })]), 1, 100],
    ['is read by all that follow', asked([tool('search', { most: 3 })]), 3, 600],
    ['is the usual number of a tool', asked([tool('fetch')]), 3, 6_000],
    ['is what the request lets a use bring along', asked([tool('fetch', { most: 2, tokens: 10 })]), 2, 30],
    [
      'begins with what is longest',
      asked([tool('search', { most: 1 }), tool('fetch', { most: 1 })]),
      2,
      2_100,
    ],
    ['is no more than all together', asked([tool('search'), tool('fetch')], 2), 2, 3_000],
    [
      'is beside a limit that does not count it',
      asked([tool('fetch', { apart: true, most: 1 })], 0),
      1,
      1_000,
    ],
    ['is counted once where its upstream counts it so', asked([tool('fetch', { once: true })]), 0, 3_000],
    [
      'is read in each reading where it stands before all',
      asked([LISTED, tool('search', { most: 2 })]),
      2,
      2_700,
    ],
    ['is read where no use is allowed', asked([LISTED], 0), 0, 800],
    ['goes by the number of others', asked([tool('search', { usual: 'fetch' })]), 3, 600],
  ])('%s', (_, readers, rounds, tokens) => {
    expect(mostRead(readers, usual)).toEqual({ rounds, tokens });
  });

  it('has a number for every name', () => {
    expect([usualOf('constructor', {}), usualTokens('constructor', {})]).toEqual([5, 3_000]);
    expect(usualTokens(LISTS, { default: 10 })).toBe(LIST_TOKENS);
  });
});

describe('what is held for an answer that tells its tools as they begin', () => {
  it.each<[what: string, readers: Readers, begun: number[], rounds: number, tokens: number]>([
    ['is one use at first', asked([tool('fetch'), tool('search')]), [], 1, 1_000],
    ['is one ahead', asked([tool('search')]), [0, 0], 3, 600],
    ['goes by what was seen where that is more', asked([tool('search')]), [500], 2, 1_100],
    ['is no more than the request allows', asked([tool('search', { most: 2 })]), [0, 0], 2, 300],
    ['is all of what is told late', asked([tool('search', { toldLate: true })]), [], 2, 300],
    ['is nothing where nothing reads', asked([]), [9, 9], 0, 0],
  ])('%s', (_, readers, begun, rounds, tokens) => {
    expect(readAhead(readers, usual, { found: begun, listed: [] })).toEqual({ rounds, tokens });
  });
});

it('holds more for servers that were seen to list more', () => {
  const readers = asked([tool(LISTS, { most: 2, apart: true, ahead: true }), tool('search', { most: 2 })]);
  const listing = (...listed: number[]) => readAhead(readers, usual, { found: [], listed }).tokens;
  const first = 100 + 2 * 2 * LIST_TOKENS;
  expect([
    listing(),
    listing(7),
    listing(LIST_TOKENS + 5),
    listing(LIST_TOKENS + 5, LIST_TOKENS + 1),
  ]).toEqual([first, first, first + 2 * 5, first + 2 * 6]);
});

it('covers every way in which a model can use its tools and read again', () => {
  const some = fc.array(
    fc.record({
      name: fc.constantFrom('search', 'fetch'),
      most: fc.integer({ min: 1, max: 6 }),
      tokens: fc.integer({ min: 0, max: 5_000 }),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const order = fc.array(fc.nat(), { maxLength: 30 });
  fc.assert(
    fc.property(
      some,
      fc.option(fc.integer({ min: 0, max: 12 })),
      order,
      fc.nat(10_000),
      (tools, together, picks, text) => {
        const left = tools.map(({ most }) => most);
        const begun: number[] = [];
        let context = text;
        let charged = context;
        for (const pick of picks) {
          if (begun.length >= (together ?? Number.POSITIVE_INFINITY)) break;
          const at = pick % tools.length;
          const used = tools[at];
          if (!used || !left[at]) continue;
          left[at]--;
          begun.push(0);
          context += used.tokens;
          charged += context;
          const ahead = readAhead(asked(tools, together), usual, { found: begun, listed: [] });
          expect(withReading({ text, audio: 0, image: 0 }, ahead).text).toBeGreaterThanOrEqual(charged);
        }
        const most = mostRead(asked(tools, together), usual);
        const prompt = { text, audio: 3, image: 0 };
        expect(withReading(prompt, most).text).toBeGreaterThanOrEqual(charged);
        expect(withReading(prompt, most).audio).toBe(3 * (1 + most.rounds));
      },
    ),
  );
});
