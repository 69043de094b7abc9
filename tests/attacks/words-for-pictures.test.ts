/**
 * Google's models that draw and speak answer in words as well, which it bills: who asks them for a picture or a sound, and
 * tells them to write instead, pays for what was read and written as he would in a chat.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
let shared: { draws: string; speaks: string };
beforeAll(async () => {
  t = await openOperations();
  shared = { draws: await twice('gemini-3-pro-image-preview'), speaks: await twice('gemini-2.5-pro-tts') };
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

/** Of two channels, the second of which would be asked next. */
async function twice(named: string): Promise<string> {
  await t.model(24, { named });
  return t.model(24, { named, priority: -1 });
}

const IMAGES = '/v1/images/generations';
const SPEECH = '/v1/audio/speech';

/** A unit a token that is read, two for one that is written. */
const COUNTS = { promptTokenCount: 30, candidatesTokenCount: 30_000, thoughtsTokenCount: 12_000 };
const COST = 30 + 2 * (30_000 + 12_000);
const answered = (candidate: JsonObject, usageMetadata: JsonObject = COUNTS): JsonObject => ({
  candidates: [{ index: 0, finishReason: 'STOP', ...candidate }],
  usageMetadata,
});
const WORDS = { content: { role: 'model', parts: [{ text: 'Bees are insects.' }] } };

async function ask(model: string, path: string, answer: JsonObject) {
  t.answers(answer);
  const asked = t.seen.length;
  const said = path === SPEECH ? { input: 'Write an essay.', voice: 'alloy' } : { prompt: 'Write an essay.' };
  const got = await t.post(path, { model, ...said });
  const { message } = (await got.json()).error;
  const row = await t.row();
  return { status: got.status, message, row, asked: t.seen.length - asked };
}

describe.each([
  ['a picture', IMAGES, 'draws'],
  ['a sound', SPEECH, 'speaks'],
] as const)('in the place of %s', (_, path, model) => {
  it.each([
    ['words', answered(WORDS), COST, 'in words'],
    ['words that were kept back', answered({ finishReason: 'OTHER' }), COST, 'no '],
    [
      'what was stopped before a word',
      answered({ content: {}, finishReason: 'PROHIBITED_CONTENT' }, { promptTokenCount: 3_000 }),
      3_000,
      'no ',
    ],
    [
      'a prompt that was refused',
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 3_000 } },
      3_000,
      'no ',
    ],
  ])('%s are charged as told, and no other channel is asked', async (_what, answer, cost, words) => {
    const { status, message, row, asked } = await ask(shared[model], path, answer);
    expect([status, asked]).toEqual([400, 1]);
    expect(message).toContain(words);
    expect(message).toContain('charged');
    expect(row).toMatchObject({ type: 2, quota: cost, other: { usage_source: 'upstream' } });
    expect(row.other.usage_suspect).toBeUndefined();
  });

  it('is its caller’s fault, and leaves the channel to others', async () => {
    for (let n = 0; n <= limits.failuresInARow; n++) await ask(shared[model], path, answered(WORDS));
    expect(await ask(shared[model], path, answered(WORDS))).toMatchObject({ status: 400, asked: 1 });
    expect(t.relay.api.deps.relay.breakers.openCount).toBe(0);
  });
});

it('is charged beside a picture as well', async () => {
  const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  const drawn = { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }] };
  t.answers(answered({ content: { parts: [...WORDS.content.parts, picture] } }, { ...COUNTS, ...drawn }));
  expect((await t.post(IMAGES, { model: shared.draws, prompt: 'Draw a dot, and write.' })).status).toBe(200);
  expect(await t.row()).toMatchObject({ quota: COST, other: { image_output: 1_290 } });
});

it('costs once what a call costs where anything was written, and nothing where nothing was', async () => {
  const model = await t.model(24, { named: 'gemini-2.5-flash-image' });
  await t.price({ ModelPrice: { [model]: 0.04 } });
  expect((await ask(model, IMAGES, answered(WORDS))).row.quota).toBe(20_000);
  const kept = answered({ content: {}, finishReason: 'SAFETY' }, { promptTokenCount: 30 });
  expect((await ask(model, IMAGES, kept)).row.quota).toBe(0);
});

it('is a failure of the channel where a sound is missing and nothing was told, and the next one is asked', async () => {
  const { status, asked, row } = await ask(shared.speaks, SPEECH, { candidates: [WORDS] });
  expect([status, asked, row.quota]).toEqual([502, 2, 0]);
});

it('costs nothing at Imagen, which bills the pictures that it has made', async () => {
  const model = await t.model(24, { named: 'imagen-4.0-generate-001' });
  const { status, message, row } = await ask(model, IMAGES, { predictions: [] });
  expect([status, row.quota]).toEqual([400, 0]);
  expect(message).not.toContain('charged');
});
