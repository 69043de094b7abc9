/** Models that write and draw sell a token of a picture dearer than one of a text: by the default prices, whatever is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const OPENROUTER = 20;
const GEMINI = 24;
const OURS = ['gpt-5-image', 'gpt-5-image-mini', 'gpt-5.4-image-2'];
const GOOGLES = ['gemini-3-pro-image', 'gemini-2.5-flash-image'];

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  const { base: base_url } = t;
  const model_mapping = Object.fromEntries(OURS.map((name) => [name, `openai/${name}`]));
  await t.relay.addChannel({ type: OPENROUTER, base_url, models: OURS.join(','), model_mapping });
  await t.relay.addChannel({ type: GEMINI, base_url, models: GOOGLES.join(',') });
});
beforeEach(() => t.relay.setBalance(100_000_000));
afterAll(() => t.close());

const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];
const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`;

/** OpenRouter's answer with a picture, whole or streamed. */
const drawnChat = (usage: JsonObject, stream: boolean): Response =>
  stream
    ? new Response(
        [
          chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '', images } }] }),
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
          chunk({ choices: [], usage }),
          'data: [DONE]\n\n',
        ].join(''),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    : Response.json({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: '', images }, finish_reason: 'stop' }],
        usage,
      });

async function chat(model: string, answer: () => Response, stream = false) {
  t.answers(answer);
  const messages = [{ role: 'user', content: 'draw a cat' }];
  const response = await t.post('/v1/chat/completions', { model, messages, stream });
  expect(response.status).toBe(200);
  await response.text();
  return t.row();
}

describe('a chat that draws', () => {
  // OpenRouter: input, output of text, output of pictures.
  it.each([
    ['gpt-5-image', 10, 10, 40],
    ['gpt-5-image-mini', 2.5, 2, 8],
    ['gpt-5.4-image-2', 8, 15, 30],
  ])('costs what its pictures do: %s', async (model, input, output, image) => {
    for (const stream of [false, true]) {
      const told = { prompt_tokens: 20, completion_tokens: 4200, total_tokens: 4220 };
      const details = { image_tokens: 4160, reasoning_tokens: 0 };
      const row = await chat(
        model,
        () => drawnChat({ ...told, completion_tokens_details: details }, stream),
        stream,
      );
      expect(row.quota).toBe(Math.round((20 * input + 40 * output + 4160 * image) / 2));
      // Where nothing tells what of it was drawn, all but what was thought was.
      const thought = { reasoning_tokens: 30 };
      const untold = await chat(
        model,
        () => drawnChat({ ...told, completion_tokens_details: thought }, stream),
        stream,
      );
      expect(untold.quota).toBe(Math.round((20 * input + 30 * output + 4170 * image) / 2));
    }
  });

  it('costs what its words do where nothing is drawn', async () => {
    const row = await chat('gemini-3-pro-image', () =>
      Response.json({
        candidates: [{ content: { role: 'model', parts: [{ text: 'No.' }] }, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 20,
          candidatesTokenCount: 700,
          thoughtsTokenCount: 300,
          totalTokenCount: 1020,
        },
      }),
    );
    expect(row.quota).toBe((20 * 2 + 1000 * 12) / 2);
  });
});

describe('a picture of Gemini by the operation for pictures', () => {
  const drawn = (details?: JsonObject[]): Response =>
    Response.json({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 8,
        candidatesTokenCount: 1130,
        thoughtsTokenCount: 1500,
        totalTokenCount: 2638,
        ...(details && { candidatesTokensDetails: details }),
      },
    });

  it.each([
    ['told apart', [{ modality: 'IMAGE', tokenCount: 1120 }], 1510, 1120],
    ['told as one', undefined, 1500, 1130],
  ])('costs thoughts and words as text: %s', async (_, details, text, image) => {
    t.answers(() => drawn(details));
    const response = await t.post('/v1/images/generations', { model: 'gemini-3-pro-image', prompt: 'a cat' });
    expect(response.status).toBe(200);
    await response.text();
    expect((await t.row()).quota).toBe((8 * 2 + text * 12 + image * 120) / 2);
  });
});
