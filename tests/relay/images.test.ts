import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import type { JsonObject } from '../../src/core/json.ts';
import { chargeOfRecord } from '../../src/core/price-record.ts';
import { eventStream, filesIn, type Operations, openOperations } from '../support/operations.ts';
import { recording } from '../support/recording.ts';
import { BALANCE } from '../support/relay.ts';

let t: Operations;
let client: OpenAI;
beforeAll(async () => {
  t = await openOperations();
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
});
beforeEach(() => t.relay.setBalance(BALANCE));
afterAll(() => t.close());

const picture = { b64_json: 'iVBORw0KGgo=' };
const pictures = (count: number, more: JsonObject = {}): JsonObject => ({
  created: 1770935200,
  data: Array.from({ length: count }, () => picture),
  ...more,
});
const USD = 500_000;

/** What the drawer works out of the row is what was charged. */
async function chargedRow() {
  const row = await t.row();
  expect(chargeOfRecord(row, row.other)?.quota).toBe(row.quota);
  return row;
}

describe('pictures of a fixed price', () => {
  it.each([
    [{}, 0.04],
    [{ n: 3 }, 0.12],
    // A small one costs less only of the model that is sold so.
    [{ size: '256x256' }, 0.04],
    [{ size: '512x512' }, 0.04],
    [{ size: '1792x1024' }, 0.08],
    [{ size: ' 1792 X 01024' }, 0.08],
    [{ size: '1792*1024' }, 0.08],
    [{ quality: 'HD ' }, 0.08],
    [{ quality: 'hd' }, 0.08],
    [{ quality: 'hd', size: '1024x1792', n: 2 }, 0.24],
    [{ quality: 'standard', size: '1024x1024' }, 0.04],
    [{ size: '640x480' }, 0.04],
  ])('of %p cost $%d', async (asked, usd) => {
    const model = await t.model(1);
    await t.price({ ModelPrice: { [model]: 0.04 } });
    const { n = 1, ...noted } = asked as { n?: number; size?: string; quality?: string };
    t.answers(pictures(n));
    const response = await t.post('/v1/images/generations', { model, prompt: 'a cat', ...asked });
    expect(await response.json()).toEqual(pictures(n));
    const row = await chargedRow();
    expect(row.quota).toBe(Math.round(usd * USD));
    expect(row.other).toMatchObject({ model_price: 0.04, ...noted, ...(n > 1 && { calls: n }) });
  });

  it.each([
    [{ size: '256x256' }, 0.8],
    [{ size: '512x512', n: 2 }, 2 * 0.9],
    [{ size: '512X512' }, 1],
    [{ size: '1024x1024' }, 1],
  ])("of OpenAI's older model cost less where they are small: %p", async (asked, factor) => {
    const model = await t.model(1, { named: 'dall-e-2' });
    await t.price({ ModelPrice: { [model]: 0.02 } });
    t.answers(pictures('n' in asked ? 2 : 1));
    await t.post('/v1/images/generations', { model, prompt: 'a cat', ...asked });
    expect((await chargedRow()).quota).toBe(Math.round(0.02 * USD * factor));
  });

  it('cost what was drawn, whatever was asked for', async () => {
    const model = await t.model(1);
    await t.price({ ModelPrice: { [model]: 0.04 } });
    const draw = async (asked: number, drawn: number) => {
      t.answers(pictures(drawn));
      await t.post('/v1/images/generations', { model, prompt: 'a cat', n: asked });
      return (await chargedRow()).quota / (0.04 * USD);
    };
    expect(await draw(3, 2)).toBe(2);
    expect(await draw(1, 4)).toBe(4);
  });

  it('are held in full before they are asked for, and given back when none came', async () => {
    const model = await t.model(1);
    await t.price({ ModelPrice: { [model]: 1 } });
    const refused = await t.post('/v1/images/generations', { model, prompt: 'a cat', n: 3 });
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'insufficient_user_quota']);
    t.answers({ created: 1, data: [] });
    const { quota } = await t.relay.account();
    const failed = await t.post('/v1/images/generations', { model, prompt: 'a cat' });
    expect(failed.status).toBe(502);
    expect((await t.row()).quota).toBe(0);
    expect((await t.relay.account()).quota).toBe(quota);
  });
});

describe('pictures of a price a token', () => {
  it('cost the tokens that the upstream told, by their kinds', async () => {
    const model = await t.model(1, { named: 'gpt-image-1' });
    await t.price({ ImageRatio: { [model]: 3 } });
    const usage = {
      input_tokens: 50,
      input_tokens_details: { text_tokens: 10, image_tokens: 40 },
      output_tokens: 272,
      total_tokens: 322,
    };
    t.answers(pictures(1, { usage }));
    await t.post('/v1/images/generations', { model, prompt: 'a cat', quality: 'low' });
    expect(await chargedRow()).toMatchObject({
      quota: 10 + 40 * 3 + 272 * 2,
      prompt_tokens: 50,
      completion_tokens: 272,
      other: { image_input: 40, image_output: 272, image_ratio: 3, usage_source: 'upstream' },
    });
  });

  it('without usage count as $0.0025 times the ratio, by size and number', async () => {
    const model = await t.model(1);
    await t.price({ ModelRatio: { [model]: 16 } });
    t.answers(pictures(2));
    await t.post('/v1/images/generations', { model, prompt: 'a cat', n: 2, size: '1792x1024' });
    expect(await chargedRow()).toMatchObject({
      quota: 0.04 * 2 * 2 * USD,
      other: { usage_source: 'estimated' },
    });
  });
});

describe("OpenAI's client", () => {
  it('draws what was recorded', async () => {
    const recorded = recording('openai-images/openai-image.json') ?? pictures(2);
    const model = await t.model(1);
    t.answers(recorded);
    const answer = await client.images.generate({ model, prompt: 'a cute baby sea otter', n: 2 });
    expect(answer.data?.map(({ b64_json }) => b64_json)).toEqual(
      (recorded.data as (typeof picture)[]).map(({ b64_json }) => b64_json),
    );
    await t.row();
  });

  it('sees a picture grow in a stream, whose end waits for the settlement', async () => {
    const model = await t.model(1, { named: 'gpt-image-1-mini' });
    t.answers(() =>
      eventStream([
        { type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0 },
        {
          type: 'image_generation.completed',
          b64_json: 'BBBB',
          usage: { input_tokens: 5, output_tokens: 300 },
        },
      ]),
    );
    const stream = await client.images.generate({
      model,
      prompt: 'a cat',
      stream: true,
      partial_images: 1,
    });
    const seen = [];
    for await (const { type, b64_json } of stream) seen.push([type, b64_json]);
    expect(seen).toEqual([
      ['image_generation.partial_image', 'AAAA'],
      ['image_generation.completed', 'BBBB'],
    ]);
    expect(await chargedRow()).toMatchObject({ quota: 5 + 300 * 2, other: { stream_end: 'done' } });
  });

  it('edits and varies pictures that it sends as a form', async () => {
    const model = await t.model(1, { model_mapping: '{"ours":"theirs"}', named: 'ours' });
    await t.price({ ModelPrice: { [model]: 0.02 } });
    t.answers(pictures(2));
    const first = await toFile(Buffer.from('first picture'), 'one.png', { type: 'image/png' });
    const second = await toFile(Buffer.from('second picture'), 'two.png', { type: 'image/png' });
    await client.images.edit({ model, image: [first, second], prompt: 'more cats', n: 2, size: '512x512' });
    expect(t.lastSeen.path).toBe('/v1/images/edits');
    const { form } = t.lastSeen;
    expect(form?.getAll('model')).toEqual(['theirs']);
    expect(form?.get('prompt')).toBe('more cats');
    const files = filesIn(t.lastSeen, 'image[]');
    expect(await Promise.all(files.map((file) => file.text()))).toEqual(['first picture', 'second picture']);
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['one.png', 'image/png'],
      ['two.png', 'image/png'],
    ]);
    expect(await chargedRow()).toMatchObject({ quota: 2 * 0.02 * USD, model_name: 'ours' });

    t.answers(pictures(1));
    const image = await toFile(Buffer.from('a picture'), 'one.png', { type: 'image/png' });
    await client.images.createVariation({ model, image });
    expect(t.lastSeen.path).toBe('/v1/images/variations');
    expect(await chargedRow()).toMatchObject({ quota: 0.02 * USD });
  });
});

describe('pictures', () => {
  const form = (fields: Record<string, string | File>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    return data;
  };
  const file = new File(['x'], 'a.png', { type: 'image/png' });

  it('may be edited by a request of JSON, which goes on as JSON', async () => {
    const model = await t.model(1);
    t.answers(pictures(1));
    const asked = { model, prompt: 'a cat', images: [{ image_url: 'https://e.example/a.png' }] };
    expect((await t.post('/v1/images/edits', asked)).status).toBe(200);
    expect(t.lastSeen.body).toEqual(asked);
    await t.row();
  });

  it.each([
    ['/v1/images/generations', { prompt: '' }, 'prompt'],
    ['/v1/images/generations', { prompt: 'a', n: 0 }, 'n'],
    ['/v1/images/generations', { prompt: 'a', size: 1024 }, 'size'],
    ['/v1/images/edits', { prompt: 'a' }, 'image'],
    ['/v1/images/edits', form({ model: 'gpt-4o', prompt: 'a' }), 'image'],
    ['/v1/images/edits', form({ model: 'gpt-4o', image: file }), 'prompt'],
    ['/v1/images/edits', form({ model: 'gpt-4o', prompt: 'a', image: file, n: '1.5' }), 'n'],
    ['/v1/images/variations', form({ model: 'gpt-4o' }), 'image'],
  ])('at %s refuse %p, naming the field', async (path, body, param) => {
    const asked = body instanceof FormData ? body : { model: 'gpt-4o', ...body };
    const refused = await t.post(path, asked as JsonObject);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, param]);
  });

  it('are refused as JSON where a form is expected', async () => {
    const refused = await t.post('/v1/images/variations', { model: 'gpt-4o' });
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      400,
      expect.stringContaining('multipart/form-data'),
    ]);
  });
});

it('files of a form that go up as text count among the bodies in memory until the call has ended', async () => {
  const { bodies } = t.relay.api.deps.relay;
  const model = await t.model(45);
  let held = 0;
  t.answers(() => {
    held = bodies.bytes;
    return Response.json(pictures(1));
  });
  const bytes = 3 * 1024 * 1024;
  const form = new FormData();
  form.set('model', model);
  form.set('prompt', 'again');
  form.set('image', new File([new Uint8Array(bytes)], 'a.png', { type: 'image/png' }));
  expect((await t.post('/v1/images/edits', form)).status).toBe(200);
  expect(t.lastSeen.path).toBe('/api/v3/images/generations');
  expect(held).toBeGreaterThan(3 * bytes);
  expect(bodies.bytes).toBe(0);
  await t.row();
});

describe('edits by JSON', () => {
  const url = 'https://a.example/cat.png';
  const edit = async (model: string, images: JsonObject['images']) => {
    const response = await t.post('/v1/images/edits', { model, prompt: 'make it blue', images });
    await response.text();
    return response.status;
  };

  it.each<[JsonObject['images'], JsonObject['image']]>([
    [[{ image_url: url }], url],
    [
      [{ image_url: { url } }, url],
      [url, url],
    ],
  ])('name their pictures in the words of Ark: %j', async (images, image) => {
    const model = await t.model(45);
    t.answers(pictures(1));
    expect(await edit(model, images)).toBe(200);
    expect(t.lastSeen.body).toMatchObject({ model, prompt: 'make it blue', image });
    expect(t.lastSeen.body).not.toHaveProperty('images');
    await t.row();
  });

  it('and of DashScope', async () => {
    const model = await t.model(17, { named: 'qwen-image-edit' });
    t.answers({ output: { choices: [{ message: { content: [{ image: url }] } }] } });
    expect(await edit(model, [{ image_url: url }])).toBe(200);
    expect(t.lastSeen.body.input).toEqual({
      messages: [{ role: 'user', content: [{ image: url }, { text: 'make it blue' }] }],
    });
    await t.row();
  });

  it('are refused before they go up where a picture is no address', async () => {
    const model = await t.model(45);
    const sent = t.seen.length;
    expect(await edit(model, [{ file_id: 'file-1' }])).toBe(400);
    expect(t.seen.length).toBe(sent);
  });
});

it.each(['wan2.6-t2i', 'z-image-turbo', 'wan2.7-image'])(
  'newer models of DashScope are asked where they are: %s',
  async (named) => {
    const model = await t.model(17, { named });
    t.answers({ output: { choices: [{ message: { content: [{ image: 'https://a.example/b.png' }] } }] } });
    const response = await t.post('/v1/images/generations', { model, prompt: 'a cat' });
    expect(response.status).toBe(200);
    expect(t.lastSeen.path).toBe('/api/v1/services/aigc/multimodal-generation/generation');
    expect(t.lastSeen.headers.get('x-dashscope-async')).toBeNull();
    expect(t.lastSeen.body.input).toEqual({ messages: [{ role: 'user', content: [{ text: 'a cat' }] }] });
    await t.row();
  },
);
