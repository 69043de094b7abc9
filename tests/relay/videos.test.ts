/** Films: OpenAI's own client submits, asks after, lists, fetches and deletes them, whichever wire their upstream speaks. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { audit } from '../../src/billing/audit.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import { errorOf } from '../support/error-of.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { FILM, startVideos, type VideoServer } from '../support/video-server.ts';
import { until } from '../support/waits.ts';

const KEY = 'sk-films-0123456789';
/** Units of a second, at 0.01 and 0.02 US dollars. */
const SECOND = 5_000;
const LARGE_SECOND = 10_000;

interface WireCase {
  name: string;
  type: number;
  model: string;
  size: string | undefined;
  /** Seconds: 8 where nothing is said. */
  sec?: number;
  /** What goes up, with a picture of a form where the wire takes one. */
  body: JsonObject;
  picture: JsonObject;
  /** Who is asked for the file, and whether the key goes along. */
  file: [RegExp, boolean];
  more?: JsonObject;
}

const DATA = `data:image/png;base64,${Buffer.from('pixel').toString('base64')}`;

const WIRES: readonly WireCase[] = [
  {
    ...{ name: 'OpenAI', type: 1, model: 'sora-2', size: '1280x720' },
    body: { model: 'sora-2', prompt: 'a cat --dur 9', seconds: '8', size: '1280x720' },
    picture: { input_reference: 'image/png pixel' },
    file: [/^\/v1\/videos\/vendor-\d+\/content$/, true],
  },
  {
    ...{ name: 'Gemini', type: 24, model: 'veo-3.1', size: '1920x1080' },
    body: {
      instances: [{ prompt: 'a cat --dur 9' }],
      parameters: { durationSeconds: 8, aspectRatio: '16:9', resolution: '1080p' },
    },
    picture: {
      instances: [
        {
          prompt: 'a cat --dur 9',
          image: { bytesBase64Encoded: Buffer.from('pixel').toString('base64'), mimeType: 'image/png' },
        },
      ],
    },
    file: [/^\/files\/own$/, true],
  },
  {
    ...{ name: 'Vertex', type: 41, model: 'veo-3.0', size: undefined, more: { other: 'us-central1' } },
    body: {
      instances: [{ prompt: 'a cat --dur 9' }],
      parameters: { durationSeconds: 8, aspectRatio: '9:16' },
    },
    picture: { parameters: { durationSeconds: 8, aspectRatio: '9:16' } },
    file: [/:fetchPredictOperation$/, true],
  },
  {
    ...{ name: 'Alibaba', type: 17, model: 'wan2.6-i2v', size: '1280x720' },
    body: {
      model: 'wan2.6-i2v',
      input: { prompt: 'a cat --dur 9' },
      parameters: { size: '1280*720', duration: 8 },
    },
    picture: {
      input: { prompt: 'a cat --dur 9', img_url: DATA },
      parameters: { resolution: '720P', duration: 8 },
    },
    file: [/^\/files\/bare\.mp4$/, false],
  },
  {
    ...{ name: 'Zhipu', type: 26, model: 'cogvideox-3', size: '1920x1080', sec: 5 },
    body: { model: 'cogvideox-3', prompt: 'a cat --dur 9', size: '1920x1080', duration: 5 },
    picture: { image_url: DATA },
    file: [/^\/files\/bare\.mp4$/, false],
  },
  {
    ...{ name: 'MiniMax', type: 35, model: 'MiniMax-Hailuo-02', size: undefined, sec: 6 },
    body: { model: 'MiniMax-Hailuo-02', prompt: 'a cat --dur 9', duration: 6, resolution: '768P' },
    picture: { first_frame_image: DATA },
    file: [/^\/files\/bare\.mp4$/, false],
  },
  {
    ...{ name: 'Volcano', type: 45, model: 'doubao-seedance-1-0-pro', size: '1280x720' },
    body: {
      model: 'doubao-seedance-1-0-pro',
      // Settings in a prompt would make a longer film than is paid for.
      content: [{ type: 'text', text: 'a cat - dur 9' }],
      ...{ resolution: '720p', ratio: '16:9', duration: 8 },
    },
    picture: {
      content: [
        { type: 'text', text: 'a cat - dur 9' },
        { type: 'image_url', image_url: { url: DATA } },
      ],
    },
    file: [/^\/files\/bare\.mp4$/, false],
  },
];

let relay: TestRelay;
let videos: VideoServer;
let rounds: Rounds;
let client: OpenAI;
beforeAll(async () => {
  videos = startVideos();
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  for (const { name, type, model, more } of WIRES) {
    const key = type === 41 ? videos.account : `${KEY}-${type}`;
    await relay.addChannel({ name, type, key, base_url: videos.base, models: model, ...more });
  }
  const prices = Object.fromEntries(
    [...WIRES, { model: 'clip' }].map(({ model }) => [model, { per_second: 0.01 }]),
  );
  await relay.set({
    VideoPrice: { ...prices, 'sora-2': { per_second: 0.01, sizes: { '720x1280': 0.01, '1280x720': 0.02 } } },
    RetryTimes: 0,
    EgressPorts: new URL(videos.base).port,
  });
  client = new OpenAI({ apiKey: relay.key, baseURL: `${relay.base}/v1`, maxRetries: 0 });
  rounds = startTasks(relay.api.deps, createTaskProbe(relay.api.deps.relay));
});
afterAll(async () => {
  await rounds.stop();
  expect((await audit(relay.api.deps.db)).findings).toEqual([]);
  await relay.close();
  await videos.close();
});
beforeEach(async () => {
  await relay.api.deps.db.query(`update tasks set status = 'SUCCESS' where status <> 'FAILURE'`);
  videos.seen.length = 0;
  videos.state = 'going';
  videos.refuses = null;
});

const round = async () => {
  await relay.api.deps.db.query('update tasks set poll_at = 0');
  await rounds.round();
};
const call = (method: string, path: string, body?: JsonObject, key = relay.key) =>
  fetch(`${relay.base}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    ...(body && { body: JSON.stringify(body) }),
  });
const spentBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = await relay.account();
  await work();
  const after = await relay.account();
  expect(after.reserved).toBe(0);
  return before.quota - after.quota;
};
const create = (more: JsonObject = {}) =>
  client.videos.create({ model: 'sora-2', prompt: 'a cat', seconds: '8', ...more } as never);

describe.each(WIRES)('films on the wire of $name', ({ type, model, size, sec = 8, body, picture, file }) => {
  const ask = { model, prompt: 'a cat --dur 9', seconds: String(sec), ...(size && { size }) } as never;

  it('are submitted, asked after, shown and fetched by the usual client', async () => {
    let id = '';
    const spent = await spentBy(async () => {
      const film = await client.videos.create(ask);
      // What is expected by a pattern stands in the place of what came, afterwards.
      ({ id } = film);
      expect(film).toMatchObject({
        ...{ object: 'video', status: 'queued', model, seconds: String(sec), progress: 0 },
        ...{ id: expect.stringMatching(/^video_[0-9a-f]{32}$/), prompt: 'a cat --dur 9' },
      });
    });
    expect(spent).toBe(sec * (type === 1 ? LARGE_SECOND : SECOND));
    expect(videos.submissions().map((seen) => seen.body)).toEqual([body]);
    await round();
    expect(await client.videos.retrieve(id)).toMatchObject({ id, status: 'in_progress', error: null });
    expect(await errorOf(() => client.videos.downloadContent(id))).toMatchObject({
      status: 409,
      code: 'video_not_done',
    });
    videos.state = 'done';
    await round();
    expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed', progress: 100 });
    videos.seen.length = 0;
    const answer = await client.videos.downloadContent(id);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    expect(Buffer.from(await answer.arrayBuffer()).equals(FILM)).toBe(true);
    const [path, hasKey] = file;
    const fetched = videos.seen.at(-1);
    expect(fetched?.path).toMatch(path);
    const sent = JSON.stringify([...(fetched?.headers ?? [])]);
    expect(/sk-films|ya29/.test(sent)).toBe(hasKey);
  });

  it('that fail are given back', async () => {
    expect(
      await spentBy(async () => {
        const { id } = await client.videos.create(ask);
        videos.state = 'failed';
        await round();
        await round();
        expect(await client.videos.retrieve(id)).toMatchObject({
          status: 'failed',
          error: { message: 'the prompt was refused by moderation' },
        });
      }),
    ).toBe(0);
  });

  it('begin with a picture', async () => {
    const input_reference = await toFile(Buffer.from('pixel'), 'cat.png', { type: 'image/png' });
    await client.videos.create({ ...(ask as JsonObject), input_reference } as never);
    expect(videos.submissions().at(-1)?.body).toMatchObject(picture);
  });
});

it('that take too long are given back', async () => {
  expect(
    await spentBy(async () => {
      const { id } = await create();
      await relay.api.deps.db.query('update tasks set submit_time = submit_time - 25 * 3600000');
      await round();
      expect(await client.videos.retrieve(id)).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('too long') },
      });
    }),
  ).toBe(0);
});

it('are what their owner asks for and pays for, and nothing else goes up', async () => {
  const spent = await spentBy(async () => {
    const answer = await call('POST', '/v1/videos', {
      ...{ model: 'sora-2', prompt: 'a cat', duration: 60, n: 4, Seconds: '60' },
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { seconds: '4', size: '720x1280' }]);
    expect(answer.headers.get('x-gateway-lost')).toContain('duration');
  });
  expect(spent).toBe(4 * SECOND);
  expect(videos.submissions().at(-1)?.body).toEqual({ model: 'sora-2', prompt: 'a cat', seconds: '4' });
  const [charge] = (await relay.logs()).slice(-1);
  // Said in a form, too, where its caller leaves it to the upstream.
  await client.videos.create({ model: 'sora-2', prompt: 'a cat', Seconds: '60' } as never);
  expect(videos.submissions().at(-1)?.body).toEqual({ model: 'sora-2', prompt: 'a cat', seconds: '4' });
  expect(charge).toMatchObject({
    quota: 4 * SECOND,
    other: { model_price: 0.01, call_factor: 4, seconds: '4' },
  });
});

it.each(['doubao-seedance-1-0-lite-t2v-250428', 'Wan-AI/Wan2.1-T2V-14B'])(
  'of %s are asked for without settings in their prompt wherever they are made, as JSON and in a form',
  async (model) => {
    const gateway = { type: 1, key: `${KEY}-g`, base_url: videos.base };
    await relay.addChannel({ name: 'gateway', ...gateway, models: model });
    const prices = relay.api.deps.options.get('VideoPrice');
    await relay.set({ VideoPrice: { ...prices, [model]: { per_second: 0.001 } } });
    const film = { model, prompt: 'a cat --rs 1080p \u2014dur 12', seconds: '5' };
    const sent = { model, prompt: 'a cat - rs 1080p - dur 12', seconds: '5' };
    const spent = await spentBy(async () => {
      expect((await call('POST', '/v1/videos', film)).status).toBe(200);
      expect(videos.submissions().at(-1)?.body).toEqual({ ...sent, duration: 5 });
      const input_reference = await toFile(Buffer.from('pixel'), 'cat.png', { type: 'image/png' });
      const told = await client.videos.create({ ...film, input_reference } as never);
      expect(told.prompt).toBe(film.prompt);
    });
    expect(videos.submissions().at(-1)?.body).toMatchObject(sent);
    expect(spent).toBe((2 * 5 * SECOND) / 10);
  },
);

it('are refused where no channel makes one as long, which would be paid for less than it is', async () => {
  const channel = { type: 17, key: `${KEY}-s`, base_url: videos.base, models: 'clip' };
  await relay.addChannel({ name: 'short', ...channel, model_mapping: '{"clip":"wan2.2-t2v-plus"}' });
  await relay.addChannel({ name: 'long', ...channel, model_mapping: '{"clip":"wan2.5-t2v-preview"}' });
  const cases: [string, string, string][] = [
    ['clip', '1', '5, 10'],
    ['cogvideox-3', '4', '5, 10'],
    ['veo-3.1', '5', '4, 6, 8'],
    ['wan2.6-i2v', '1', '2–15'],
  ];
  expect(
    await spentBy(async () => {
      for (const [asked, seconds, lengths] of cases) {
        const answer = await call('POST', '/v1/videos', { model: asked, prompt: 'x', seconds });
        const { error } = await answer.json();
        expect([answer.status, error.param]).toEqual([400, 'seconds']);
        expect(error.message).toContain(lengths);
      }
    }),
  ).toBe(0);
  expect(videos.submissions()).toEqual([]);
  for (let n = 0; n < 4; n++)
    expect((await call('POST', '/v1/videos', { model: 'clip', prompt: 'x', seconds: '10' })).status).toBe(
      200,
    );
  expect(new Set(videos.submissions().map(({ body }) => body.model))).toEqual(
    new Set(['wan2.5-t2v-preview']),
  );
});

it('are as long as the model makes them next where nobody says how long', async () => {
  const answer = await call('POST', '/v1/videos', { model: 'cogvideox-3', prompt: 'x' });
  expect([answer.status, await answer.json()]).toMatchObject([200, { seconds: '5' }]);
  expect(videos.submissions().at(-1)?.body).toMatchObject({ duration: 5 });
  const [charge] = (await relay.logs()).slice(-1);
  expect(charge).toMatchObject({ quota: 5 * SECOND, other: { call_factor: 5, seconds: '5' } });
});

it('are refused without a price, with fields that fit nothing, and without quota', async () => {
  await relay.addChannel({
    name: 'unpriced',
    type: 1,
    key: `${KEY}-u`,
    base_url: videos.base,
    models: 'sora-9',
  });
  await relay.set({ ModelPrice: { 'sora-9': 0.1 }, SelfUseModeEnabled: true });
  const poor = await relay.addToken({ unlimited_quota: false, remain_quota: 8 * SECOND - 1 });
  const cases: [JsonObject, string, number, string?][] = [
    [{ model: 'sora-9', prompt: 'x' }, 'price_not_configured', 400],
    [{ model: 'sora-2' }, 'invalid_request', 400],
    [{ model: 'sora-2', prompt: 'x', seconds: '0' }, 'invalid_request', 400],
    [{ model: 'sora-2', prompt: 'x', seconds: '4.5' }, 'invalid_request', 400],
    [{ model: 'sora-2', prompt: 'x', seconds: '999' }, 'invalid_request', 400],
    [{ model: 'sora-2', prompt: 'x', size: 'large' }, 'invalid_request', 400],
    [
      { model: 'sora-2', prompt: 'x', input_reference: { image_url: 'file:///etc/passwd' } },
      'invalid_request',
      400,
    ],
    [{ model: 'sora-2', prompt: 'x', input_reference: { file_id: 'file-1' } }, 'shared_context_refused', 400],
    [{ model: 'veo-3.1', prompt: 'x', size: '1000x1000' }, 'invalid_request', 400],
    [{ model: 'gpt-4o', prompt: 'x' }, 'price_not_configured', 400],
    [{ model: 'sora-2', prompt: 'x', seconds: '8' }, 'token_quota_exhausted', 403, poor],
    // Servers of open models open files of their own by such names.
    [{ model: 'sora-2', prompt: 'x', input_reference: { image_url: '/mnt/x.png' } }, 'invalid_request', 400],
  ];
  expect(
    await spentBy(async () => {
      for (const [body, code, status, key] of cases) {
        const answer = await call('POST', '/v1/videos', body, key);
        const said = await answer.json();
        expect([body, answer.status, said]).toMatchObject([body, status, { error: { code } }]);
        if (code === 'price_not_configured') expect(said.error.message).toContain('in the option VideoPrice');
      }
    }),
  ).toBe(0);
  expect(videos.submissions()).toEqual([]);
  await relay.set({ ModelPrice: {}, SelfUseModeEnabled: false });
  videos.refuses = Response.json({ error: { message: 'no such size', code: 'bad_size' } }, { status: 400 });
  expect(
    await spentBy(async () => expect((await call('POST', '/v1/videos', cases[10]?.[0])).status).toBe(400)),
  ).toBe(0);
});

it('that stand in an answer take the room of their caller, and are refused where he has none', async () => {
  const { id } = await create({ model: 'veo-3.0' });
  videos.state = 'done';
  await round();
  const path = `/v1/videos/${id}/content`;
  const { answersHeld } = relay.api.deps.relay;
  const others = answersHeld.of(relay.user.id).hold();
  const fill = (bytes: number) => {
    for (;;) others.grow(bytes);
  };
  for (const bytes of [1_048_576, 1_024, 1]) expect(() => fill(bytes)).toThrow();
  const refused = await call('GET', path);
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'OVERLOADED']);
  others.release();
  const answer = await call('GET', path);
  expect(Buffer.from(await answer.arrayBuffer()).equals(FILM)).toBe(true);
  await until('its room is given back', () => answersHeld.bytes === 0);
});

it('are listed page by page, and deleted once they are over', async () => {
  const owner = await relay.api.createUser({ quota: 1_000_000 });
  const key = await relay.addToken({}, owner);
  const own = new OpenAI({ apiKey: key, baseURL: `${relay.base}/v1`, maxRetries: 0 });
  const ids: string[] = [];
  for (const prompt of ['one', 'two', 'three']) {
    ids.push((await own.videos.create({ model: 'sora-2', prompt, seconds: '4' })).id);
  }
  const listed: string[] = [];
  for await (const { id } of own.videos.list({ limit: 2 })) listed.push(id);
  expect(listed).toEqual(ids.toReversed());
  expect((await own.videos.list({ limit: 2, order: 'asc' })).data.map(({ id }) => id)).toEqual(
    ids.slice(0, 2),
  );
  expect((await call('GET', '/v1/videos?limit=0', undefined, key)).status).toBe(400);
  const [first = ''] = ids;
  expect(await errorOf(() => own.videos.delete(first))).toMatchObject({ status: 409 });
  videos.state = 'done';
  await round();
  expect(await own.videos.delete(first)).toEqual({ id: first, object: 'video.deleted', deleted: true });
  expect(await errorOf(() => own.videos.retrieve(first))).toMatchObject({ status: 404 });
  expect(await errorOf(() => own.videos.downloadContent(first))).toMatchObject({ status: 404 });
  expect((await own.videos.list()).data.map(({ id }) => id)).toEqual(ids.slice(1).toReversed());
  const { items } = (await (await relay.api.as(owner)).get('/api/task/self')).data;
  expect(items).toHaveLength(3);
  expect(items.at(-1)).toMatchObject({ platform: 'video', status: 'SUCCESS', properties: {}, data: null });
});

it('are nobody else’s to see, and tell nobody where they lie', async () => {
  const { id } = await create();
  videos.state = 'done';
  await round();
  const stranger = await relay.addToken({}, await relay.api.createUser({ quota: 1_000_000 }));
  for (const [method, path] of [
    ['GET', `/v1/videos/${id}`],
    ['DELETE', `/v1/videos/${id}`],
    ['GET', `/v1/videos/${id}/content`],
  ] as const) {
    const answer = await call(method, path, undefined, stranger);
    expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'video_not_found']);
    expect((await call(method, path, undefined, 'sk-none')).status).toBe(401);
  }
  expect((await (await call('GET', '/v1/videos', undefined, stranger)).json()).data).toEqual([]);
  expect((await call('GET', '/v1/videos/vendor-1')).status).toBe(404);
  expect((await call('PUT', `/v1/videos/${id}`)).status).toBe(405);
  expect((await call('GET', `/v1/videos/${id}/content?variant=other`)).status).toBe(400);
  expect((await call('GET', `/v1/videos/${id}/content?variant=thumbnail`)).status).toBe(200);
  const own = await relay.api.as(relay.user);
  const { items } = (await own.get(`/api/task/self?platform=video&task_id=${id.replace('video_', '')}`)).data;
  expect(items).toMatchObject([
    { platform: 'video', action: 'VIDEO', status: 'SUCCESS', properties: { prompt: 'a cat', seconds: '8' } },
  ]);
  expect(JSON.stringify(items)).not.toContain('127.0.0.1');
  expect(items[0].expires_at).toBe(4_000_000_000);
  // In the console its owner plays it, and administrators do; as fast as they read, like callers with a key.
  const path = `/api/task/${items[0].id}/content`;
  for (const reader of [own, relay.root]) {
    const { status, headers, text } = await reader.get(path);
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'video/mp4',
      `attachment; filename="${items[0].task_id}"`,
    ]);
    expect(text).toBe(FILM.toString());
  }
  const other = await relay.api.as(await relay.api.createUser());
  expect((await other.get(path)).code).toBe('NOT_FOUND');
  expect((await own.get(`${path}?variant=audio`)).code).toBe('video_gone');
  expect((await own.get(`${path}?variant=thumbnail`)).status).toBe(400);
  await client.videos.delete(id);
  for (const reader of [own, relay.root]) expect((await reader.get(path)).code).toBe('NOT_FOUND');
});

it('are fetched from nowhere inside the house, whatever an upstream says', async () => {
  await relay.set({ EgressPorts: '443' });
  const { id } = await client.videos.create({ model: 'wan2.6-i2v', prompt: 'a cat', seconds: '5' } as never);
  const { db } = relay.api.deps;
  for (const url of ['file:///etc/passwd', 'http://169.254.169.254/latest', 'data:text/html,x', '', '/etc']) {
    await db.query(
      `update tasks set status = 'SUCCESS', data = jsonb_build_object('url', $2::text) where public_id = $1`,
      [id.replace('video_', ''), url],
    );
    const answer = await call('GET', `/v1/videos/${id}/content`);
    expect([url, answer.status]).toEqual([url, url === '' ? 404 : 502]);
  }
  expect(videos.seen.filter(({ path }) => path.startsWith('/files/'))).toEqual([]);
});
