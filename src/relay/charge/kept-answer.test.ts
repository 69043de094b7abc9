/** Talks that go from model to model, each of which makes other tokens of what was said and shown before. */
import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { countTokens as older } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as newer } from 'gpt-tokenizer/encoding/o200k_base';
import { channel } from '../../../tests/support/routed-channel.ts';
import { contextOf } from '../../core/contexts.ts';
import type { JsonObject } from '../../core/json.ts';
import { NO_TOOLS } from '../../core/paid-tools.ts';
import { mostPictureTokens } from '../../core/picture-tokens.ts';
import { noUsage } from '../../core/usage.ts';
import type { AnswerSize } from '../../dialects/dialect.ts';
import { openaiResponses } from '../../dialects/openai-responses/dialect.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import type { Tier } from '../../modules/channel/model.ts';
import { callBound, withSizes } from './estimate.ts';
import { keptOf } from './kept-answer.ts';

/** A tokenizer of which nobody knows anything makes up to a token of each two bytes of such words. */
const byBytes = (text: string): number => Math.ceil(Buffer.byteLength(text) / 2);
const READERS: Record<string, (text: string) => number> = {
  ...Object.fromEntries(
    ['gpt-4o', 'gpt-4o-2024-11-20', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-5', 'gpt-5.4', 'o3'].map(
      (model) => [model, newer],
    ),
  ),
  'gpt-4': older,
  'gpt-4-turbo': older,
  'grok-4': byBytes,
  'qwen-vl-max': byBytes,
};

interface Turn {
  model: string;
  text: string;
  pictures: number;
}
const turn: fc.Arbitrary<Turn> = fc.record({
  model: fc.constantFrom(...Object.keys(READERS)),
  text: fc
    .constantFrom('नमस्ते दुनिया ', 'the quick brown fox ', '汉字和英文 ')
    .chain((words) => fc.nat(200).map((times) => words.repeat(times))),
  pictures: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 5 })),
});

/** 1,024 points either way. */
const HEAD = '89504e470d0a1a0a0000000d4948445200000400000004000800000000000000000000000a49444154';
const image_url = `data:image/png;base64,${Buffer.from(HEAD, 'hex').toString('base64')}`;
const PICTURE = { detail: 'high', width: 1_024, height: 1_024 } as const;

const tiers: readonly Tier[] = [{ priority: 0, channels: [channel(1)] }];
const asIs = (_: object, model: string) => ({ model, variant: null });

it('are held for whatever the next of them reads', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 2, maxLength: 5 }), (turns) => {
      let earlier: AnswerSize | null = null;
      const said: Turn[] = [];
      for (const each of turns) {
        const { model, text, pictures } = each;
        said.push(each);
        const shown = Array.from({ length: pictures }, () => ({
          type: 'input_image',
          image_url,
          detail: 'high',
        }));
        const body: JsonObject = {
          model,
          input: [{ role: 'user', content: [{ type: 'input_text', text }, ...shown] }],
          ...(earlier && { previous_response_id: 'resp_1' }),
        };
        const facts = requestFacts(openaiResponses, body, {});
        const asked = { operation: 'chat' as const, dialect: openaiResponses, body, facts };
        const request = withSizes(asked, tiers, earlier, asIs);
        const read = READERS[model] ?? byBytes;
        const input = said.reduce(
          (sum, before) => sum + read(before.text) + 4 + before.pictures * mostPictureTokens(model, PICTURE),
          0,
        );
        // What is longer is refused, and nobody goes on from it.
        if (input > contextOf(model)) return;
        const { prompt } = callBound(request);
        expect(prompt.text + prompt.image + (prompt.films ?? 0)).toBeGreaterThanOrEqual(input);
        const kept = keptOf(request, { ...noUsage(), input, output: 1 }, NO_TOOLS);
        earlier = { ...kept, reader: model, pictures: 0 };
      }
    }),
  );
});

const upon = { previous_response_id: 'resp_1' };
const cut = { truncation: 'auto', input: 'word '.repeat(1_000) };
const withFile = {
  ...cut,
  input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'JVBERi0=' }] }],
};
it.each<[what: string, more: JsonObject, earlier: number | null, least: number | null, most?: number]>([
  ['as it was told', {}, null, 110, 110],
  ['as it was told with all before it', upon, 60, 110, 110],
  ['as it was told, however long what it builds upon was taken to be', upon, 7_000, 110, 110],
  ['with what its model may have left out', cut, null, 1_010, 3_500],
  ['with what its model may have left out of all before it', { ...upon, ...cut }, 7_000, 8_010, 10_500],
  ['with no more of that than its model reads at once', { ...upon, ...cut }, 90_000, 9_202, 11_700],
  ['for nothing where that is not known', { ...upon, ...cut }, null, null],
  ['for nothing where that is a file', withFile, null, null],
])('knows an answer %s', (_, more, earlier, least, most = 0) => {
  const body: JsonObject = { model: 'gpt-4', input: 'Why?', ...more };
  const facts = requestFacts(openaiResponses, body, {});
  const request = { operation: 'chat' as const, dialect: openaiResponses, body, facts };
  const answer = { tokens: earlier, holds: 'text' as const, reader: 'gpt-4', pictures: 0 };
  const sized = withSizes(request, tiers, answer, asIs);
  const kept = keptOf(sized, { ...noUsage(), input: 100, output: 10 }, NO_TOOLS).tokens;
  if (least === null) expect(kept).toBeNull();
  else expect(kept).toBeWithin(least, most + 1);
  expect(keptOf(sized, null, NO_TOOLS).tokens).toBeNull();
});

/** A turn of a talk at a service that keeps it, in tokens of its reader. */
interface SearchedTurn {
  /** What its caller says of it, and what counts for this turn alone. */
  said: number;
  instructions: number;
  /** What each of its searches finds. */
  found: readonly number[];
  /** What is thought before each of them and is forgotten afterwards, and what is answered. */
  thought: number;
  answered: number;
}
const tokens = (max: number) => fc.oneof({ weight: 3, arbitrary: fc.nat(200) }, fc.nat(max));
const searchedTurn: fc.Arbitrary<SearchedTurn> = fc.record({
  said: tokens(10_000),
  instructions: tokens(10_000),
  found: fc.array(tokens(20_000), { maxLength: 8 }),
  thought: tokens(3_000),
  answered: tokens(3_000),
});

/** How much the next turn reads of each, and what is known of that. What was thought is read up to the turn that forgets it. */
function talkOf(turns: readonly SearchedTurn[], forgetsAt = 0) {
  let isRead = 0;
  let isThought = 0;
  let answer: AnswerSize | null = null;
  return turns.map(({ said, instructions, found, thought, answered }, turn) => {
    let last = isRead + said + instructions + (turn < forgetsAt ? isThought : 0);
    let told = last;
    for (const each of found) told += last += thought + each;
    const body: JsonObject = {
      model: 'gpt-4.1',
      input: 'a '.repeat(said),
      instructions: 'a '.repeat(instructions),
      ...(answer && { previous_response_id: 'resp_1' }),
    };
    const facts = requestFacts(openaiResponses, body, {});
    const asked = { operation: 'chat' as const, dialect: openaiResponses, body, facts };
    const output = thought * found.length + answered;
    const usage = { ...noUsage(), input: told, output, reasoning: thought * found.length };
    const kept = keptOf(withSizes(asked, tiers, answer, asIs), usage, NO_TOOLS, found.length);
    isRead += said + found.reduce((sum, each) => sum + each, 0) + answered;
    isThought += usage.reasoning;
    answer = { ...kept, reader: 'gpt-4.1', pictures: 0 };
    const next = isRead + (turn + 1 < forgetsAt ? isThought : 0);
    return { isRead, next, told: told + output, ...kept };
  });
}

describe('an answer that searched', () => {
  it('is held for whatever is read of it, wherever long pages were found', () => {
    fc.assert(
      fc.property(fc.array(searchedTurn, { minLength: 1, maxLength: 8 }), fc.nat(8), (turns, forgetsAt) => {
        for (const { isRead, next, told, tokens, least = 0 } of talkOf(turns, forgetsAt)) {
          expect(tokens).toBeWithin(next, told + 1);
          expect(least).toBeLessThanOrEqual(isRead);
        }
      }),
    );
  });

  it('grows with a talk by what that grows', () => {
    const turn = { said: 20, instructions: 20, found: [3_000, 3_000, 3_000], thought: 100, answered: 300 };
    const talk = talkOf(Array.from({ length: 30 }, () => turn));
    for (const { isRead, tokens } of talk) expect(tokens).toBeWithin(isRead, isRead + 60_000);
  });

  it.each<[what: string, more: JsonObject]>([
    ['left out', { truncation: 'auto' }],
    ['summed up', { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] }],
  ])('says nothing for certain where some of it may be %s', (_, more) => {
    const facts = requestFacts(openaiResponses, { model: 'gpt-4.1', input: 'Why?', ...upon, ...more }, {});
    const asked = { operation: 'chat' as const, dialect: openaiResponses, body: {}, facts };
    const answer = { tokens: 9_000, least: 8_000, holds: 'text' as const, reader: 'gpt-4.1', pictures: 0 };
    const told = { ...noUsage(), input: 30_000, output: 10 };
    const kept = keptOf(withSizes(asked, tiers, answer, asIs), told, NO_TOOLS, 2);
    expect([kept.tokens ?? 0, kept.least ?? 0]).toEqual([30_010, 0]);
  });
});
