/**
 * Films, sounds and documents cost what a provider honestly counts for them, in whatever field they stand and on
 * whatever surface: nothing of it is taken for a mistake, and nobody gets them for the price of a picture.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { mp3Frames, opusFile, secondsOf, slowWav, soundFile } from '../support/sound.ts';

let t: Operations;
const models: Record<string, string> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  models.chat = await t.model(1);
  models.responses = models.chat;
  models.messages = await t.model(14);
  models.gemini = await t.model(24);
  await t.relay.api.deps.db.query('update users set quota = 1000000000 where id = $1', [t.relay.user.id]);
});
afterAll(() => t.close());

const SURFACES: Record<
  string,
  {
    path: (model: string) => string;
    body: (part: JsonObject) => JsonObject;
    answer: (tokens: number) => JsonObject;
  }
> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (part) => ({ max_tokens: 50, messages: [{ role: 'user', content: [part] }] }),
    answer: (tokens) => ({
      choices: [{ index: 0, message: { role: 'assistant', content: 'A film.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: tokens, completion_tokens: 2 },
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (part) => ({ max_output_tokens: 50, input: [{ role: 'user', content: [part] }] }),
    answer: (tokens) => ({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A film.' }] }],
      usage: { input_tokens: tokens, output_tokens: 2, total_tokens: tokens + 2 },
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (part) => ({ max_tokens: 50, messages: [{ role: 'user', content: [part] }] }),
    answer: (tokens) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'A film.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: tokens, output_tokens: 2 },
    }),
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (part) => ({
      generationConfig: { maxOutputTokens: 50 },
      contents: [{ role: 'user', parts: [part] }],
    }),
    answer: (tokens) => ({
      candidates: [{ content: { role: 'model', parts: [{ text: 'A film.' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: tokens, candidatesTokenCount: 2, totalTokenCount: tokens + 2 },
    }),
  },
};

async function row(surface: string, part: JsonObject, tokens: number) {
  const { path, body, answer } = SURFACES[surface] ?? {};
  const model = models[surface] ?? '';
  t.answers(answer?.(tokens) ?? {});
  const response = await t.post(path?.(model) ?? '', { model, ...body?.(part) });
  expect(await response.text()).toContain('A film.');
  return t.row();
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const FILM = base64(Buffer.concat([await soundFile('film.mp4'), Buffer.alloc(50_000)]));
const PDF = base64(Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(20_000)]));
/** Gemini counts 300 tokens a second of a film, 258 a page, 32 a second of sound. */
const HALF_HOUR_OF_FILM = 540_000;
const THOUSAND_PAGES = 258_000;
const HOUR_OF_SOUND = 115_200;
const HOURS: Record<string, string> = {
  'audio/wav': base64(slowWav(3600)),
  'audio/mpeg': base64(mp3Frames(50_000)),
  'audio/ogg': base64(opusFile(180_000, 172_800_000)),
};

const url = (type: string, data: string) => `data:${type};base64,${data}`;
const image = (address: string): JsonObject => ({ type: 'image_url', image_url: { url: address } });
const input = (address: string): JsonObject => ({ type: 'input_image', image_url: address });
const block = (media_type: string, data: string): JsonObject => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const inline = (mimeType: string, data: string): JsonObject => ({ inlineData: { mimeType, data } });

/** `heard`: of the tokens, which nobody tells apart, those of a sound whose length is known. */
type Case = [surface: string, what: string, part: JsonObject, tokens: number, heard?: number];
const HONEST: Case[] = [
  ['chat', 'a film in the place of a picture', image(url('video/mp4', FILM)), HALF_HOUR_OF_FILM],
  ['chat', 'a film that is called a picture', image(url('image/png', FILM)), HALF_HOUR_OF_FILM],
  ['chat', 'a document in the place of a picture', image(url('application/pdf', PDF)), THOUSAND_PAGES],
  [
    'chat',
    'a film by address in the place of a picture',
    image('https://a.example/b.mp4'),
    HALF_HOUR_OF_FILM,
  ],
  ['chat', 'what an address alone does not tell', image('https://a.example/b'), HALF_HOUR_OF_FILM],
  [
    'chat',
    'a sound by address',
    { type: 'input_audio', input_audio: { data: 'https://a.example/b.wav', format: 'wav' } },
    HOUR_OF_SOUND,
  ],
  ...Object.entries(HOURS).map(
    ([type, data]): Case => [
      'chat',
      `an hour of ${type}`,
      { type: 'input_audio', input_audio: { data, format: type === 'audio/wav' ? 'wav' : 'mp3' } },
      HOUR_OF_SOUND,
      HOUR_OF_SOUND,
    ],
  ),
  ['responses', 'a film in the place of a picture', input(url('video/mp4', FILM)), HALF_HOUR_OF_FILM],
  ['responses', 'a document in the place of a picture', input(url('application/pdf', PDF)), THOUSAND_PAGES],
  ['responses', 'a film by address', input('https://a.example/b.mp4'), HALF_HOUR_OF_FILM],
  ['responses', 'what an address alone does not tell', input('https://a.example/b'), HALF_HOUR_OF_FILM],
  ...Object.entries(HOURS).map(
    ([type, data]): Case => [
      'responses',
      `an hour of ${type}`,
      { type: 'input_audio', input_audio: { data, format: type === 'audio/wav' ? 'wav' : 'mp3' } },
      HOUR_OF_SOUND,
      HOUR_OF_SOUND,
    ],
  ),
  ['messages', 'a document in the place of a picture', block('application/pdf', PDF), THOUSAND_PAGES],
  ['messages', 'a film that is called a picture', block('image/png', FILM), HALF_HOUR_OF_FILM],
  [
    'messages',
    'an hour of sound in the place of a picture',
    block('audio/wav', HOURS['audio/wav'] ?? ''),
    HOUR_OF_SOUND,
    HOUR_OF_SOUND,
  ],
  [
    'messages',
    'a picture by address',
    { type: 'image', source: { type: 'url', url: 'https://a.example/b' } },
    THOUSAND_PAGES,
  ],
  ['gemini', 'a film that is called a picture', inline('image/png', FILM), HALF_HOUR_OF_FILM],
  [
    'gemini',
    'a film that is called a sound',
    inline('audio/mp4', base64(longFilm())),
    HALF_HOUR_OF_FILM / 8,
    HOUR_OF_SOUND / 2,
  ],
  [
    'gemini',
    'a film by address that is called a picture',
    { fileData: { mimeType: 'image/png', fileUri: 'https://www.youtube.com/watch?v=1' } },
    HALF_HOUR_OF_FILM,
  ],
  [
    'gemini',
    'a sound by address',
    { fileData: { mimeType: 'audio/mp3', fileUri: 'https://a.example/b' } },
    HOUR_OF_SOUND,
  ],
  ...Object.entries(HOURS).map(
    ([type, data]): Case => [
      'gemini',
      `an hour of ${type}`,
      inline(type, data),
      HOUR_OF_SOUND,
      HOUR_OF_SOUND,
    ],
  ),
];

/** Half an hour by its head, in as many bytes as it could be. */
function longFilm(): Buffer {
  const film = Buffer.concat([Buffer.from(FILM, 'base64')]);
  film.writeUInt32BE(1800 * film.readUInt32BE(film.indexOf('mvhd') + 16), film.indexOf('mvhd') + 20);
  return film;
}

describe('what a provider honestly counts is charged whole', () => {
  it.each(HONEST)('%s: %s', async (surface, _, part, tokens, heard = 0) => {
    const { other, prompt_tokens, quota } = await row(surface, part, tokens);
    expect(other).toMatchObject({ usage_source: 'upstream' });
    expect(other).not.toHaveProperty('usage_suspect');
    expect(prompt_tokens).toBe(tokens);
    // Sound costs three times what text does.
    expect(quota).toBe(tokens + 2 * heard + 2 * 2);
  });
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAAAElFTkSuQmCC';
const SHORT = base64(secondsOf(10));

describe('what cannot be is still refused', () => {
  it.each<Case>([
    ['chat', 'a picture of millions', image(url('image/png', PNG)), 9_000_000],
    [
      'chat',
      'ten seconds of a hundred thousand',
      { type: 'input_audio', input_audio: { data: SHORT, format: 'wav' } },
      100_000,
    ],
    ['chat', 'a film of millions', image(url('video/mp4', FILM)), 9_000_000],
    ['chat', 'a picture by address of millions', image('https://a.example/b'), 9_000_000],
    ['responses', 'a picture of millions', input(url('image/png', PNG)), 9_000_000],
    ['messages', 'a picture of millions', block('image/png', PNG), 9_000_000],
    ['gemini', 'ten seconds of a hundred thousand', inline('audio/wav', SHORT), 100_000],
    ['gemini', 'a picture of millions', inline('image/png', PNG), 9_000_000],
  ])('%s: %s', async (surface, _, part, tokens) => {
    const { other, quota } = await row(surface, part, tokens);
    // What a model can read at once is charged as far as it is within reason.
    const usage_source = tokens > 2_100_000 ? 'estimated' : 'upstream';
    expect(other).toMatchObject({ usage_suspect: true, usage_source });
    expect(quota).toBeLessThan(60_000);
  });
});
