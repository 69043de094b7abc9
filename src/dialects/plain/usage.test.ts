import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { completionTokens, noUsage, type Usage } from '../../core/usage.ts';
import type { Dialect } from '../dialect.ts';
import { cohereEmbed } from './cohere-embed.ts';
import { anthropicCount, geminiCount } from './count-tokens.ts';
import { geminiBatchEmbed, geminiEmbed } from './gemini-embeddings.ts';
import { ollamaEmbed } from './ollama-embed.ts';
import { openaiSpeech, openaiTranscriptions } from './openai-audio.ts';
import { openaiCompletions } from './openai-completions.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { openaiImages } from './openai-images.ts';
import { openaiModerations } from './openai-moderations.ts';
import { readRealtimeEvent } from './openai-realtime.ts';
import { cohereRerank, openaiRerank } from './openai-rerank.ts';
import { readImageCounts, readSpokenCounts, secondsUsage } from './usage.ts';

const dialects: readonly Pick<Dialect, 'readReply'>[] = [
  cohereEmbed,
  anthropicCount,
  geminiCount,
  geminiBatchEmbed,
  geminiEmbed,
  ollamaEmbed,
  openaiSpeech,
  openaiTranscriptions,
  openaiCompletions,
  openaiEmbeddings,
  openaiImages,
  openaiModerations,
  cohereRerank,
  openaiRerank,
];

const expectCounts = (usage: Usage | null) => {
  const { seconds = 1, found: _, ...counts } = usage ?? noUsage();
  expect(seconds).toBeGreaterThan(0);
  for (const count of Object.values(counts)) {
    expect(Number.isInteger(count) && count >= 0).toBe(true);
  }
};

/** What vendors might write where a count stands. */
const count = fc.oneof(
  fc.integer({ min: -10, max: 1_000_000 }),
  fc.double({ noNaN: true, min: -1000, max: 1e7 }),
  fc.constantFrom(null, '12', true, {}, []),
);
const names = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'seconds',
  'text_tokens',
  'audio_tokens',
  'image_tokens',
  'cached_tokens',
  'search_units',
  'promptTokenCount',
  'totalTokenCount',
] as const;
const counts = fc.dictionary(fc.constantFrom(...names), count);
const usage = fc
  .record({
    counts,
    details: fc.dictionary(
      fc.constantFrom(
        'input_tokens_details',
        'input_token_details',
        'output_tokens_details',
        'output_token_details',
        'cached_tokens_details',
      ),
      counts,
    ),
  })
  .map(({ counts: own, details }) => ({ ...own, ...details }));

describe('usage of the calls beside chat', () => {
  it('is made of counts, whatever an answer says', () => {
    const answer = fc
      .record({ usage: fc.oneof(usage, count), meta: counts, duration: count, input_tokens: count })
      .map(({ meta, ...rest }) => ({
        ...rest,
        usageMetadata: rest.usage,
        meta: { billed_units: meta, tokens: meta },
        totalTokens: rest.duration,
        prompt_eval_count: rest.duration,
        data: [],
        results: [],
        embeddings: [],
        embedding: {},
        text: '',
        choices: [{ text: 'a' }],
      }));
    fc.assert(
      fc.property(answer, fc.constantFrom(...dialects), (body, dialect) => {
        expectCounts(dialect.readReply(body).usage);
      }),
      { numRuns: 3000 },
    );
  });

  it('of pictures knows its text by either word', () => {
    const told = { text_tokens: 3, image_tokens: 40 };
    const usage = { input_tokens: 1, output_tokens: 43 };
    for (const details of [{ output_tokens_details: told }, { output_token_details: told }])
      expect(readImageCounts({ ...usage, ...details })).toMatchObject({ output: 3, outputImage: 40 });
  });

  it('of pictures loses none of the tokens that came out', () => {
    fc.assert(
      fc.property(fc.nat(10_000), counts, (output_tokens, output_tokens_details) => {
        const read = readImageCounts({ input_tokens: 1, output_tokens, output_tokens_details });
        expect(read && completionTokens(read)).toBe(output_tokens);
      }),
    );
  });

  it('of seconds counts each that was begun', () => {
    expect(secondsUsage(60, ['whisper-1']).input).toBe(1000);
    expect(secondsUsage(0.2, []).input).toBe(17);
    expect(secondsUsage(0, []).input).toBe(0);
    expect(secondsUsage(-5, []).input).toBe(0);
  });
});

describe('usage of a transcription', () => {
  it.each([
    ["in OpenAI's seconds", { type: 'duration', seconds: 60 }, { input: 1_000, seconds: 60 }],
    // As its documents have it: its tokens leave the sound out, of which the total alone tells.
    [
      "in Mistral's, whatever tokens stand beside",
      { prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 3_264, completion_tokens: 635 },
      { input: 3_383, seconds: 203 },
    ],
    [
      'of which its cache had some',
      {
        prompt_audio_seconds: 203,
        prompt_tokens: 5,
        total_tokens: 404,
        completion_tokens: 24,
        prompt_tokens_details: { cached_tokens: 368 },
      },
      { input: 3_383, seconds: 203 },
    ],
    [
      'in tokens of a gateway that leaves the seconds out',
      { prompt_tokens: 4, total_tokens: 3_264, completion_tokens: 635 },
      { input: 4, inputAudio: 2_625, output: 635 },
    ],
    [
      'in tokens where no second is told',
      {
        prompt_audio_seconds: 0,
        input_tokens: 14,
        input_token_details: { audio_tokens: 12 },
        output_tokens: 3,
      },
      { input: 2, inputAudio: 12, output: 3 },
    ],
    [
      "in OpenAI's tokens, whatever seconds stand beside",
      { type: 'tokens', seconds: 4, input_tokens: 14, input_token_details: { audio_tokens: 12 } },
      { input: 2, inputAudio: 12 },
    ],
    ['of no second', { type: 'duration', seconds: 0 }, {}],
  ])('%s', (_name, raw, expected) => {
    expect(readSpokenCounts(raw)).toEqual({ ...noUsage(), ...expected });
  });
});

describe('events of a realtime session', () => {
  const read = (event: object) => readRealtimeEvent(JSON.stringify(event), JSON.parse);

  it('are told apart without being read, but for the end of an answer', () => {
    expect(read({ type: 'response.output_audio.delta', delta: 'AAAA' }).kind).toBe('sound');
    expect(read({ event_id: 'e', type: 'response.audio.delta', delta: 'AAAA' }).kind).toBe('sound');
    expect(read({ type: 'response.output_audio.done' }).kind).toBe('other');
    expect(read({ type: 'response.done', response: {} })).toEqual({
      kind: 'done',
      answer: null,
      isFailed: false,
      isCancelled: false,
      usage: null,
      text: '',
      transcript: '',
    });
    const ours = { type: 'response.output_audio.delta', event_id: 'e', response_id: 'resp_1', delta: 'AAAA' };
    expect(read(ours)).toEqual({ kind: 'sound', answer: 'resp_1' });
    expect(read({ type: 'response.created', response: { id: 'resp_1', conversation_id: null } })).toEqual({
      kind: 'created',
      answer: 'resp_1',
      isApart: true,
    });
    for (const [type, kind] of [
      ['response.output_text.delta', 'text'],
      ['response.function_call_arguments.delta', 'text'],
      ['response.mcp_call_arguments.delta', 'text'],
      ['response.output_audio_transcript.delta', 'transcript'],
      ['response.audio_transcript.delta', 'transcript'],
    ] as const)
      expect(read({ type, delta: 'so' })).toEqual({ kind, answer: null, text: 'so' });
    const content = [{ text: 'a' }, { transcript: 'b' }];
    const output = [{ content }, { name: 'c', arguments: 'd' }, { content }];
    expect(read({ type: 'response.done', response: { output } })).toMatchObject({
      text: 'acda',
      transcript: 'bb',
    });
    const quoted = { type: 'conversation.item.created', item: { text: '"type":"response.done"' } };
    expect(read(quoted).kind).toBe('other');
    const nested = { type: 'conversation.item.created', item: { type: 'response.done' } };
    expect(read(nested).kind).toBe('other');
  });

  it('tell of names no more than any has, for they are kept', () => {
    const id = 'n'.repeat(4_096);
    const name = id.slice(0, 256);
    expect(read({ type: 'response.created', response: { id } })).toMatchObject({ answer: name });
    expect(read({ type: 'response.output_text.delta', delta: 'a', response_id: id })).toMatchObject({
      answer: name,
    });
    expect(read({ type: 'input_audio_buffer.committed', item_id: id })).toMatchObject({ item: name });
  });

  it.each([
    [{}, null, null],
    [{ turn_detection: null }, false, null],
    [{ turn_detection: { type: 'server_vad' } }, true, null],
    [{ turn_detection: { type: 'server_vad', create_response: false } }, false, null],
    [{ audio: { input: { turn_detection: null } }, max_output_tokens: 'inf' }, false, null],
    [{ audio: { input: { turn_detection: {} } }, max_output_tokens: 200 }, true, 200],
    [{ max_response_output_tokens: 300 }, null, 300],
    [{ max_output_tokens: 200, max_response_output_tokens: 300 }, null, 300],
    [{ max_output_tokens: 200, max_response_output_tokens: 'inf' }, null, null],
  ])('tell of a session %j whether it answers unasked, and its limit', (session, answersAlone, outputCap) => {
    for (const type of ['session.created', 'session.updated']) {
      expect(read({ type, session })).toEqual({
        ...{ kind: 'session', answersAlone, outputCap },
        ...{ thinks: false, transcribes: null, transcriber: undefined },
      });
    }
  });

  it.each([
    [{ reasoning: { effort: 'low' } }, true],
    [{ reasoning: { effort: 'none' }, model: 'gpt-realtime' }, false],
    [{ reasoning: { effort: null } }, false],
    [{ model: 'gpt-realtime-2' }, true],
  ])('tell of a session %j whether its model thinks', (session, thinks) => {
    expect(read({ type: 'session.created', session })).toMatchObject({ thinks });
  });

  it.each([
    [{ input_audio_transcription: null }, false],
    [{ input_audio_transcription: { model: 'whisper-1' } }, true],
    [{ audio: { input: { transcription: null } } }, false],
    [{ audio: { input: { transcription: {} } } }, true],
    [{ audio: { input: {} } }, null],
    [{ type: 'transcription' }, true],
  ])('tell of a session %j whether it writes down what it hears', (session, transcribes) => {
    expect(read({ type: 'session.updated', session })).toMatchObject({ transcribes });
    const only = { answersAlone: false, transcribes: true };
    expect(read({ type: 'transcription_session.updated', session })).toMatchObject(only);
  });

  it('tell what is heard of each item', () => {
    const of = (kind: string, more: object) =>
      read({ type: `conversation.item.input_audio_transcription.${kind}`, item_id: 'item_1', ...more });
    expect(of('delta', { delta: 'so' })).toEqual({ kind: 'writing', item: 'item_1', text: 'so' });
    expect(of('segment', { text: 'so' })).toEqual({ kind: 'writing', item: 'item_1', text: 'so' });
    expect(of('failed', { error: {} })).toMatchObject({ kind: 'heard', item: 'item_1', isFailed: true });
    expect(of('completed', { transcript: 'so' })).toEqual({
      ...{ kind: 'heard', item: 'item_1', usage: null, text: 'so', isFailed: false },
    });
    const refused = { code: 'input_audio_buffer_commit_empty' };
    expect(read({ type: 'error', error: refused })).toEqual({ kind: 'uncommitted' });
    expect(read({ type: 'error', error: { code: 'other' } })).toEqual({ kind: 'other' });
  });
});
