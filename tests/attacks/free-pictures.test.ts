/**
 * Pictures for nothing: their number is said in words of a vendor that nobody here reads, or not at all where the vendor
 * draws several by itself. One picture is held for, and the balance pays for what comes.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer } from '../support/short-answers.ts';

const USD = 500_000;
const PRICE = 0.01 * USD;
const GENERATIONS = '/v1/images/generations';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1 },
    silicon: { type: 40 },
    ark: { type: 45, named: 'doubao-seedream-4-0' },
    ark3: { type: 45, named: 'doubao-seedream-3-0-t2i' },
    wan: { type: 17, named: 'wan2.2-t2i-flash' },
    qwen: { type: 17, named: 'qwen-image' },
    minimax: { type: 35, named: 'image-01' },
  }));
  await t.price({ ModelPrice: Object.fromEntries(Object.values(models).map((name) => [name, 0.01])) });
});
beforeEach(() => t.relay.setBalance(1_000_000));
afterAll(() => t.close());

const picture: JsonObject = { url: 'https://a.example/cat.png' };
const pictures = (count: number, more: JsonObject[] = []): JsonObject => ({
  created: 1,
  data: [...Array.from({ length: count }, () => picture), ...more],
});
const done = (count: number): JsonObject => ({
  output: { task_id: 't', task_status: 'SUCCEEDED', results: pictures(count).data ?? [] },
});

async function draw(model: string, asked: JsonObject = {}) {
  const body = { model: models[model] ?? '', prompt: 'a cat', ...asked };
  const response = await t.post(GENERATIONS, body);
  expect(response.status).toBe(200);
  await response.text();
  return t.row();
}

describe('a number in words that are not read', () => {
  it.each<[model: string, asked: JsonObject]>([
    ['silicon', { batch_size: 4 }],
    ['silicon', { n: 1, batch_size: 4 }],
    ['silicon', { batchSize: 4 }],
    ['ark', { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 15 } }],
    ['ark', { extra_body: { sequential_image_generation: 'auto' } }],
    ...[
      'batch_size',
      'batch_count',
      'n_iter',
      'num_outputs',
      'num_outputs_per_prompt',
      'num_samples',
      'samples',
      'max_images',
      'image_num',
    ].map((name): [string, JsonObject] => ['openai', { [name]: 4 }]),
    ['openai', { n: 1, parameters: { batch_size: 4 } }],
    ['openai', { enable_sequential: true }],
  ])('does not go up: %s, %p', async (model, asked) => {
    t.answers(pictures(1));
    await draw(model, asked);
    const sent = JSON.stringify(t.lastSeen.body);
    expect(sent).not.toMatch(/":(4|15)\b/);
    expect(sent).not.toMatch(/auto|enable_sequential/);
  });
});

it.each<[asked: JsonObject]>([
  [{ num_outputs_per_prompt: 4 }],
  [{ numOutputsPerPrompt: 4 }],
  [{ extra_body: { num_outputs_per_prompt: 4 } }],
])('a number of pictures does not go up with a chat in words that are not read: %j', async (asked) => {
  t.answers(chatAnswer({ prompt_tokens: 1, completion_tokens: 1 }, 'hi'));
  const body = { model: models.openai ?? '', messages: [{ role: 'user', content: 'a cat' }], ...asked };
  expect((await t.post('/v1/chat/completions', body)).status).toBe(200);
  await t.row();
  expect(JSON.stringify(t.lastSeen.body)).not.toMatch(/:4\b/);
});

describe('a number in a form', () => {
  const edit = async (model: string, fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: models[model] ?? '', prompt: 'a dog', ...fields })) {
      form.set(name, value);
    }
    form.set('image', new File(['x'], 'a.png', { type: 'image/png' }));
    const response = await t.post('/v1/images/edits', form);
    expect(response.status).toBe(200);
    await response.text();
    return t.row();
  };

  it('does not go up in words that are not read', async () => {
    t.answers(pictures(1));
    await edit('openai', { batch_size: '4', num_outputs: '4', max_images: '4' });
    expect([...(t.lastSeen.form?.keys() ?? [])].sort()).toEqual(['image', 'model', 'prompt']);
  });

  it('goes up in the words of the vendor, and is charged as it came', async () => {
    t.answers(pictures(2));
    expect((await edit('ark', { n: '3', sequential_image_generation: 'disabled' })).quota).toBe(2 * PRICE);
    expect(t.lastSeen.body).toMatchObject({
      sequential_image_generation: 'auto',
      sequential_image_generation_options: { max_images: 3 },
    });
  });
});

describe('a number that the caller leaves open', () => {
  it.each<[model: string, sent: JsonObject]>([
    ['silicon', { batch_size: 1 }],
    ['wan', { parameters: { n: 1 } }],
    ['qwen', { parameters: { n: 1 } }],
    ['minimax', { n: 1 }],
  ])('goes up as one: %s', async (model, sent) => {
    const bodies: JsonObject[] = [];
    t.answers(({ body, path }) => {
      if (!path.includes('/tasks/')) bodies.push(body);
      if (model === 'qwen')
        return Response.json({
          output: { choices: [{ message: { content: [{ image: picture.url ?? '' }] } }] },
        });
      return Response.json(
        model === 'wan'
          ? done(1)
          : { ...pictures(1), ...(model === 'minimax' && { data: { image_urls: [picture.url ?? ''] } }) },
      );
    });
    const { quota } = await draw(model);
    expect(bodies).toEqual([expect.objectContaining(sent)]);
    expect(quota).toBe(PRICE);
  });
});

describe('a number that the caller names', () => {
  it('goes up in the words of the vendor, and nothing else does', async () => {
    t.answers(pictures(3));
    await draw('silicon', { n: 3, batch_size: 1 });
    expect(t.lastSeen.body).toMatchObject({ batch_size: 3 });
    await draw('ark', { n: 3 });
    expect(t.lastSeen.body).toMatchObject({
      sequential_image_generation: 'auto',
      sequential_image_generation_options: { max_images: 3 },
    });
    // Its older models have no such words.
    await draw('ark3', { n: 3 });
    expect(Object.keys(t.lastSeen.body)).not.toContain('sequential_image_generation');
    t.answers(done(3));
    await draw('wan', { n: 3 });
    expect(t.lastSeen.body).toMatchObject({ parameters: { n: 3 } });
  });
});

describe('pictures beyond what was asked for', () => {
  it.each([2, 4, 15])('are charged: %d for one', async (came) => {
    t.answers(pictures(came));
    expect((await draw('openai')).quota).toBe(came * PRICE);
  });

  it('are charged where a ratio prices them, too', async () => {
    const model = await t.model(1);
    models.ratio = model;
    t.answers(pictures(4));
    expect((await draw('ratio')).quota).toBe(4 * 1250);
  });

  it('take the balance to its end and no further', async () => {
    await t.relay.setBalance(2.5 * PRICE);
    t.answers(pictures(4));
    const row = await draw('openai');
    expect(row.quota).toBe(2.5 * PRICE);
    expect((await t.relay.account()).quota).toBe(0);
    expect(await t.relay.reservations()).toEqual([]);
  });

  it('are those that hold a picture: what a group could not draw costs nothing', async () => {
    t.answers(pictures(2, [{ error: { code: 'OutputImageSensitiveContentDetected', message: 'no' } }]));
    expect((await draw('openai', { n: 3 })).quota).toBe(2 * PRICE);
  });

  it('are no more than any call may ask for', async () => {
    t.answers(pictures(500));
    await t.relay.setBalance(1_000 * PRICE);
    expect((await draw('openai')).quota).toBe(128 * PRICE);
  });
});

it('pictures of a stream are charged one by one', async () => {
  t.answers(() =>
    eventStream([
      ...Array.from({ length: 4 }, (_, n) => ({
        type: 'image_generation.partial_succeeded',
        image_index: n,
        ...picture,
      })),
      {
        type: 'image_generation.completed',
        usage: { generated_images: 4, output_tokens: 16, total_tokens: 16 },
      },
    ]),
  );
  expect((await draw('ark', { stream: true })).quota).toBe(4 * PRICE);
});

describe('a series that is streamed', () => {
  const piece = (n: number): JsonObject => ({
    type: 'image_generation.partial_succeeded',
    image_index: n,
    ...picture,
  });
  const lost = (n: number, code = 'OutputImageSensitiveContentDetected'): JsonObject => ({
    type: 'image_generation.partial_failed',
    image_index: n,
    error: { code, message: 'The output image may contain sensitive information.' },
  });
  const completed = (count: number): JsonObject => ({
    type: 'image_generation.completed',
    usage: { generated_images: count, output_tokens: 4 * count, total_tokens: 4 * count },
  });

  it.each<[what: string, events: (JsonObject | string)[], came: number]>([
    ['shows fewer than were asked for', [piece(0), completed(1)], 1],
    ['goes on behind one that was filtered', [piece(0), lost(1), lost(2), piece(3), completed(2)], 2],
    ['begins with one that was filtered', [lost(0), piece(1), piece(2), piece(3), completed(3)], 3],
    ['ends with the marker alone', [piece(0), piece(1), lost(2, 'InternalServiceError'), '[DONE]'], 2],
    ['breaks off', [piece(0)], 4],
    ['ends with the first picture', [{ type: 'image_generation.completed', ...picture }], 4],
  ])('costs what came of it: %s', async (_, events, came) => {
    t.answers(() => eventStream(events));
    const body = { model: models.ark ?? '', prompt: 'a cat', n: 4, stream: true };
    const response = await t.post(GENERATIONS, body);
    const shown = await response.text();
    expect(shown.match(/cat\.png/g)).toHaveLength(
      events.filter((event) => JSON.stringify(event).includes('cat.png')).length,
    );
    expect((await t.row()).quota).toBe(came * PRICE);
  });

  it('costs nothing where all of it was filtered', async () => {
    t.answers(() => eventStream([lost(0), lost(1), completed(0)]));
    const response = await t.post(GENERATIONS, { model: models.ark ?? '', prompt: 'a', n: 2, stream: true });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.text()).toContain('sensitive');
    expect((await t.row()).quota).toBe(0);
  });
});
