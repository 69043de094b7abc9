/** What nobody saw of a call is added as what it is: films cost sixty times as much as text by some models. */
import { describe, expect, it } from 'bun:test';
import { EVEN_QUOTE } from '../../../tests/support/even-quote.ts';
import { OUTPUT_AT_ONCE } from '../../core/price-bound.ts';
import { NO_READING } from '../../core/tool-reading.ts';
import { noUsage } from '../../core/usage.ts';
import type { PromptSize } from '../../dialects/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { plainFacts } from '../../dialects/plain/plain.ts';
import { hasUnseen, maySumUp, unseenOf, withUnseen } from './unseen.ts';

const added = (prompt: Partial<PromptSize>) => {
  const facts = plainFacts('m', {});
  const request = { facts: { ...facts, prompt: { ...facts.prompt, ...prompt, context: 20_000 } } };
  const call = { request, quote: EVEN_QUOTE, held: 1e9, heldForTools: 0, reading: NO_READING };
  const unseen = { documents: true, thoughts: false, reading: false, summary: false, foretold: false };
  const { input, inputAudio, inputVideo } = withUnseen(noUsage(), call, unseen, {
    isPromptTold: false,
    prompt: noUsage(),
  });
  return { input, inputAudio, inputVideo };
};
const FILM_MOST = 1_048_576;
/** What is counted of a file in any case. */
const FILE = 5_000;
/** Of 1,400 tokens. */
const SIGNED = 3 * 1_400;

it.each<[string, Partial<PromptSize>, ReturnType<typeof added>]>([
  ['a film', { files: 1, unseenFilm: true }, { input: 0, inputAudio: 0, inputVideo: FILM_MOST }],
  ['a document', { files: 1, unseen: true }, { input: 20_000 - FILE, inputAudio: 0, inputVideo: 0 }],
  [
    'what may be a sound',
    { files: 1, unseen: true, unseenKind: true },
    { input: 0, inputAudio: 20_000 - FILE, inputVideo: 0 },
  ],
  [
    'a document beside signed thoughts, which are counted where they stand,',
    { files: 1, unseen: true, signedBytes: SIGNED, readers: ['gemini-3-pro'] },
    { input: 20_000 - FILE, inputAudio: 0, inputVideo: 0 },
  ],
  [
    'both',
    { files: 2, unseen: true, unseenFilm: true },
    { input: 20_000 - 2 * FILE, inputAudio: 0, inputVideo: FILM_MOST },
  ],
  [
    'what is embedded, which is counted as it is held,',
    { files: 2, unseen: true, reads: 2, unsizedReads: 2, unsizedFilms: 1 },
    { input: 0, inputAudio: 0, inputVideo: 0 },
  ],
])('%s is charged as what it is', (_what, prompt, expected) => {
  expect(added(prompt)).toEqual(expected);
});

it.each([undefined, true] as const)(
  'what tools read is seen by nobody, and costs nothing where it is not billed: %p',
  (unbilled) => {
    const asked = { facts: plainFacts('m', {}), body: {}, dialect: openaiChat };
    const { reading } = unseenOf(asked, {
      thinker: { model: 'm', thinksUnseen: false, canBeToldNot: false },
      paid: {
        tools: [],
        together: null,
        reads: [{ name: 's', most: null, tokens: null, ...(unbilled && { unbilled }) }],
      },
      foretells: false,
      edits: {},
    });
    expect(reading).toBe(!unbilled);
  },
);

describe('a conversation that may be summed up', () => {
  const BYTES = 2 * 1_997;
  const asked = (sumsUpFrom: number) => {
    const facts = plainFacts('gpt-4.1', { sumsUpFrom });
    return { facts: { ...facts, prompt: { ...facts.prompt, textBytes: BYTES } } };
  };
  const asks = (sumsUpFrom: number) =>
    hasUnseen(
      unseenOf(
        { ...asked(sumsUpFrom), body: {}, dialect: openaiChat },
        {
          thinker: { model: 'gpt-4.1', thinksUnseen: false, canBeToldNot: false },
          paid: { tools: [], together: null },
          foretells: false,
          edits: { sumsUpFrom },
        },
      ),
    );

  it('has parts that nobody sees as soon as it may be long enough for it', () => {
    expect([asks(2_000), asks(2_001)]).toEqual([true, false]);
  });

  it.each<[what: string, facts: Partial<PromptSize>, counted: number, shown: number, may: boolean]>([
    ['is long enough by another tokenizer', {}, 1_000, 0, true],
    ['is too short as it is counted', {}, 999, 0, false],
    ['was seen to be', {}, 999, 1, true],
    ['begins with words of a channel', { systemBytes: 2 }, 999, 0, true],
    ['has a document', { unseen: true }, 10, 0, true],
    ['has signed thoughts', { signedBytes: SIGNED, readers: ['gemini-3-pro'] }, 999, 0, false],
    ['has a sound', { audioSeconds: 600 }, 10, 0, true],
  ])('is one that %s', (_, more, counted, summary, may) => {
    const { facts } = asked(1_500);
    const request = { facts: { ...facts, prompt: { ...facts.prompt, ...more } } };
    const call = { request, quote: EVEN_QUOTE, held: 1e9, heldForTools: 0, reading: NO_READING };
    const unseen = { documents: false, thoughts: false, reading: false, summary: true, foretold: false };
    expect(maySumUp(call, unseen, { prompt: { ...noUsage(), input: counted }, summary })).toBe(may);
  });

  it.each([
    [0, OUTPUT_AT_ONCE],
    [1_000, OUTPUT_AT_ONCE - 1_000],
    [50_000, 0],
  ])('is charged as it is held, but for %d tokens of a summary that was seen', (summary, output) => {
    const call = { request: asked(0), quote: EVEN_QUOTE, held: 1e9, heldForTools: 0, reading: NO_READING };
    const unseen = { documents: false, thoughts: false, reading: false, summary: true, foretold: false };
    const prompt = { ...noUsage(), input: 1_500 };
    // What its upstream told of the prompt is what it read when that was summed up.
    const known = { ...noUsage(), input: 300, output: 70 };
    const usage = withUnseen(known, call, unseen, { isPromptTold: true, prompt, summary });
    expect(usage).toEqual({ ...known, input: 300 + 1_500 + OUTPUT_AT_ONCE, output: 70 + output });
  });
});
