/**
 * Prompts of which their vendor alone knows how long they are: photos as the newest models see them, and the thoughts behind
 * signatures that come back. What he tells is charged, and held ahead, whatever wire it is asked by.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { OperationSeen, Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1, named: 'gpt-6-sol' },
    gemini: { type: 24, named: 'gemini-4-argon' },
  }));
});
beforeEach(() => t.relay.setBalance(100_000_000));
afterAll(async () => {
  expect(await t.relay.writtenOff()).toBe(0);
  await t.close();
});

type Answer = (told: number, seen: OperationSeen) => JsonObject;

/** The row of a call whose upstream tells so much, and what was held while it was asked. */
async function ask(path: string, body: JsonObject, told: number, answer: Answer) {
  let held = 0;
  t.answers(async (seen) => {
    held = (await t.relay.reservations()).reduce((sum, { amount }) => sum + amount, 0);
    return Response.json(answer(told, seen));
  });
  const got = await t.post(path, body);
  expect([got.status, (await got.text()).slice(0, 200)]).toEqual([200, expect.any(String)]);
  return { held, row: await t.row() };
}

async function isChargedAsTold(path: string, body: JsonObject, told: number, answer: Answer): Promise<void> {
  const { held, row } = await ask(path, body, told, answer);
  expect([row.prompt_tokens, row.other.usage_source]).toEqual([told, 'upstream']);
  expect(row.other).not.toHaveProperty('usage_suspect');
  expect(held).toBeGreaterThanOrEqual(row.quota);
}

const geminis: Answer = (told) =>
  geminiAnswer({ promptTokenCount: told, candidatesTokenCount: 2, totalTokenCount: told + 2 });

/** All that is read of a PNG: its head, up to where the picture begins. */
function png(width: number, height: number): string {
  const head = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAAAAAAACAIAAAAAAAAAAAAAAElEQVQ', 'base64');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString('base64');
}

describe('photos at the usual detail of a model that sees them whole', () => {
  const PHOTOS = 20;
  const each = (part: JsonObject): JsonObject[] => Array(PHOTOS).fill(part);
  const data = png(4032, 3024);
  const url = `data:image/png;base64,${data}`;
  const source = { type: 'base64', media_type: 'image/png', data };
  const openais: Answer = (told, { path }) =>
    path.endsWith('responses')
      ? responsesAnswer({ input_tokens: told, output_tokens: 2, total_tokens: told + 2 })
      : chatAnswer({ prompt_tokens: told, completion_tokens: 2, total_tokens: told + 2 });

  it.each<[path: string, body: (model: string) => JsonObject]>([
    [
      '/v1/responses',
      (model) => ({
        model,
        max_output_tokens: 9,
        input: [{ role: 'user', content: each({ type: 'input_image', image_url: url }) }],
      }),
    ],
    [
      '/v1/chat/completions',
      (model) => ({
        model,
        max_tokens: 9,
        messages: [{ role: 'user', content: each({ type: 'image_url', image_url: { url } }) }],
      }),
    ],
    [
      '/v1/messages',
      (model) => ({
        model,
        max_tokens: 9,
        messages: [{ role: 'user', content: each({ type: 'image', source }) }],
      }),
    ],
    [
      '/v1beta/models/MODEL:generateContent',
      () => ({
        generationConfig: { maxOutputTokens: 9 },
        contents: [{ role: 'user', parts: each({ inlineData: { mimeType: 'image/png', data } }) }],
      }),
    ],
  ])('%s', async (path, bodyOf) => {
    const model = models.openai ?? '';
    // As it was told of one (huggingface.co/datasets/JOHNISKING/image-token-cost).
    await isChargedAsTold(path.replace('MODEL', model), bodyOf(model), PHOTOS * 14_364, openais);
  });
});

describe('a signature that comes back as often as one likes', () => {
  const COPIES = 14;
  const THOUGHT = 63_000;
  /** As long as recorded ones (`core/signed-thoughts.ts`). */
  const signature = randomBytes(3.5 * THOUGHT).toString('base64');
  const times = (said: JsonObject[]): JsonObject[] => Array.from({ length: COPIES }, () => said).flat();
  const google = { thought_signature: signature };
  const said = (role: string, part: JsonObject): JsonObject => ({ role, parts: [part] });
  const call = { functionCall: { name: 'f', args: {} }, thoughtSignature: signature };

  it.each<[what: string, path: string, body: (model: string) => JsonObject]>([
    [
      'at texts',
      '/v1beta/models/MODEL:generateContent',
      () => ({
        generationConfig: { maxOutputTokens: 9 },
        contents: times([
          said('user', { text: 'Go on.' }),
          said('model', { text: 'Yes.', thoughtSignature: signature }),
        ]),
      }),
    ],
    [
      'at calls',
      '/v1beta/models/MODEL:generateContent',
      () => ({
        generationConfig: { maxOutputTokens: 9 },
        contents: times([
          said('model', call),
          said('user', { functionResponse: { name: 'f', response: { output: 'ok' } } }),
        ]),
      }),
    ],
    [
      'by Messages',
      '/v1/messages',
      (model) => ({
        model,
        max_tokens: 9,
        messages: times([
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't', name: 'f', input: {}, extra_content: { google } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
        ]),
      }),
    ],
    [
      'by chats',
      '/v1/chat/completions',
      (model) => ({
        model,
        max_tokens: 9,
        messages: times([
          {
            role: 'assistant',
            tool_calls: [
              {
                id: 't',
                type: 'function',
                function: { name: 'f', arguments: '{}' },
                extra_content: { google },
              },
            ],
          },
          { role: 'tool', tool_call_id: 't', content: 'ok' },
        ]),
      }),
    ],
  ])('%s', async (_, path, bodyOf) => {
    const model = models.gemini ?? '';
    await isChargedAsTold(path.replace('MODEL', model), bodyOf(model), 100 + COPIES * THOUGHT, geminis);
    expect(JSON.stringify(t.lastSeen.body).split(signature).length - 1).toBe(COPIES);
  });
});

it('pictures that are to be made of as many tokens as one likes', async () => {
  const model = models.gemini ?? '';
  const picture = {
    inlineData: { mimeType: 'image/png', data: png(1, 1) },
    mediaResolution: { numTokens: 65_536 },
  };
  const body = {
    generationConfig: { maxOutputTokens: 9 },
    contents: [{ role: 'user', parts: Array(10).fill(picture) }],
  };
  await isChargedAsTold(`/v1beta/models/${model}:generateContent`, body, 10 + 10 * 65_536, geminis);
  expect(JSON.stringify(t.lastSeen.body)).toContain('65536');
});
