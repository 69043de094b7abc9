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

describe('an answer that searched', () => {
  const body: JsonObject = { model: 'gpt-4.1', input: 'Why?', ...upon };
  const answer = { tokens: 2_000, holds: 'text' as const, reader: 'gpt-4.1', pictures: 0 };
  const facts = requestFacts(openaiResponses, body, {});
  const request = { operation: 'chat' as const, dialect: openaiResponses, body, facts };
  const sized = withSizes(request, tiers, answer, asIs);
  /** Where the first reading is as long as that, and each search finds so much. */
  const keptOfFound = (first: number, found: readonly number[], tokens = 3_000) => {
    let last = first;
    let told = first;
    for (const each of found) {
      last += each;
      told += last;
    }
    const usage = { ...noUsage(), input: told, output: 10 };
    return { last, told, kept: keptOf(sized, usage, NO_TOOLS, { count: found.length, tokens }).tokens ?? 0 };
  };

  it.each([
    ['as much as a search is held for', Array.from({ length: 5 }, () => 3_000)],
    ['much more', Array.from({ length: 25 }, () => 8_000)],
    ['less', Array.from({ length: 5 }, () => 500)],
    ['much at first', [20_000, 100, 100]],
  ])('is known by its last reading where searches found %s', (_, found) => {
    const { last, kept, told } = keptOfFound(2_000, found);
    expect(kept).toBeWithin(last + 10, Math.max(2 * last, 2_500 + 3_000 * found.length));
    expect(kept).toBeLessThan(told);
  });

  it('is known by what is held for searches where they found it late', () => {
    expect(keptOfFound(2_000, [0, 0, 0, 0, 14_000]).kept).toBeGreaterThanOrEqual(16_010);
  });

  it('is never longer than it was told', () => {
    const { told, kept } = keptOfFound(2_000, [100]);
    expect(kept).toBe(told + 10);
  });
});
