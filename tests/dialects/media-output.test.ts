/** Sounds and pictures of answers are measured as what they are, on every wire that can hold them. */
import { beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { convertingPassage } from '../../src/dialects/convert.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { gemini } from '../../src/dialects/gemini/dialect.ts';
import { secondsIn } from '../../src/dialects/media-output.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../src/dialects/openai-responses/dialect.ts';
import { type StreamPassage, samePassage } from '../../src/dialects/passage.ts';
import { codecOf } from '../../src/dialects/registry.ts';
import { StreamMeter } from '../../src/relay/answer/meter.ts';
import { secondsOf } from '../support/sound.ts';
import { ANYBODY, tokenizerReady } from '../support/tokenizer.ts';

beforeAll(() => tokenizerReady('gpt-4o'));

const bytes = (event: JsonObject) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
const base64 = (length: number) => Buffer.alloc(length, 7).toString('base64');
const facts = openaiChat.readRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }, {});

function metered(passage: StreamPassage, events: readonly JsonObject[]): StreamMeter {
  const meter = new StreamMeter(null);
  for (const event of events) {
    const frame = bytes(event);
    const step = passage.push(frame);
    if (!step.content) continue;
    if (step.produced) meter.addProduced(step.produced);
    else meter.add(frame, passage);
  }
  return meter;
}

/** The passage to callers of the same dialect, and to those of another. */
function passages(dialect: Dialect): StreamPassage[] {
  const codec = codecOf(dialect.id);
  const caller = dialect === openaiChat ? gemini : openaiChat;
  const callers = codecOf(caller.id);
  if (!codec || !callers) throw new Error('no codec');
  const conversion = convertingPassage({
    caller: { dialect: caller, codec: callers },
    upstream: { ...codec, id: dialect.id, readError: () => null },
    spoken: dialect,
    path: {},
    requestId: 'r',
    createdSec: 0,
    defaultMaxTokens: 1,
    thinkingToContent: false,
  });
  return [samePassage(dialect).stream(facts), conversion.stream(facts)];
}

const chatAudio = (audio: JsonObject): JsonObject => ({
  id: 'c',
  choices: [{ index: 0, delta: { audio }, finish_reason: null }],
});
const geminiPart = (mimeType: string, data: string): JsonObject => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ inlineData: { mimeType, data } }] } }],
});
const drawing = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: base64(900_000) };

describe('a stream', () => {
  it.each(passages(openaiChat).map((passage, at) => [at, passage] as const))(
    'of sound in a chat costs its seconds and its transcript, way %p',
    async (_at, passage) => {
      const second = base64(48_000);
      const meter = metered(passage, [
        chatAudio({ id: 'audio_1', transcript: 'Hello' }),
        ...Array.from({ length: 30 }, () => chatAudio({ data: second })),
      ]);
      expect(meter.seconds).toBeCloseTo(30, 5);
      expect(meter.tokens).toBeGreaterThanOrEqual(600);
      expect(meter.tokens).toBeLessThan(800);
      expect(await meter.count('gpt-4o-audio-preview', ANYBODY)).toBe(1);
    },
  );

  it.each(passages(gemini).map((passage, at) => [at, passage] as const))(
    'of sound and pictures from Gemini costs what they are, way %p',
    (_at, passage) => {
      const events = [
        geminiPart('audio/L16;codec=pcm;rate=24000', base64(96_000)),
        geminiPart('image/png', base64(1_000_000)),
      ];
      const meter = metered(passage, events);
      expect([Math.round(meter.seconds), meter.pictures]).toEqual([2, 1]);
      expect(meter.tokens).toBeLessThan(2_000);
    },
  );

  it.each(passages(openaiResponses).map((passage, at) => [at, passage] as const))(
    'with a picture in Responses costs one picture, previews included, way %p',
    (at, passage) => {
      const partial = {
        type: 'response.image_generation_call.partial_image',
        item_id: 'ig_1',
        output_index: 0,
      };
      const response = { id: 'resp_1', status: 'completed', output: [drawing] };
      const meter = metered(passage, [
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: { ...drawing, result: null } },
        { ...partial, partial_image_index: 0, partial_image_b64: base64(500_000) },
        { ...partial, partial_image_index: 1, partial_image_b64: base64(500_000) },
        { type: 'response.output_item.done', output_index: 0, item: drawing },
        { type: 'response.completed', response },
      ]);
      expect([at, meter.pictures]).toEqual([at, 1]);
      expect(meter.tokens).toBeLessThan(2_000);
    },
  );
});

describe('a whole answer', () => {
  it('holds its sounds and pictures too', () => {
    const audio = { id: 'audio_1', transcript: 'Hello', data: secondsOf(3).toString('base64') };
    const chat = openaiChat.readReply({ choices: [{ message: { role: 'assistant', audio } }] });
    expect(chat.produced()).toMatchObject({ text: 'Hello', seconds: 3 });
    expect(openaiResponses.readReply({ output: [drawing] }).produced()).toMatchObject({ pictures: 1 });
    expect(gemini.readReply(geminiPart('image/png', 'aGk=')).produced()).toMatchObject({ pictures: 1 });
  });
});

it('a sound without a header is samples', () => {
  expect(secondsIn(base64(48_000))).toBe(1);
  expect(secondsIn('')).toBe(0);
});
