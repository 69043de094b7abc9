/** Drawing: every call of a proxy's clients, what each costs, how its progress and its picture reach the caller. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { objectOf } from '../../src/dialects/fields.ts';
import { actionOfButton } from '../../src/dialects/plain/midjourney.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { claimWindow, reopenWindow } from '../../src/modules/task/service.ts';
import { midjourneyPlus } from '../../src/providers/midjourney.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import { DRAWING_KEY, type DrawingServer, PNG, startDrawing } from '../support/drawing-server.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const CENTS = 5_000;

let relay: TestRelay;
let proxy: DrawingServer;
let rounds: Rounds;
let plus: number;
beforeAll(async () => {
  proxy = startDrawing();
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await relay.setBalance(50_000_000);
  await relay.api.deps.db.query(
    'insert into ledger (ref, kind, user_id, delta, created_at) values ($1, 4, $2, 49000000, 1)',
    [crypto.randomUUID(), relay.user.id],
  );
  plus = await relay.addChannel({
    ...{ name: 'plus', type: 5, key: DRAWING_KEY, base_url: proxy.base },
    models: midjourneyPlus.models.join(','),
    setting: '{"headers":{"x-gateway-auth":"Token gateways-own"}}',
  });
  rounds = startTasks(relay.api.deps, createTaskProbe(relay.api.deps.relay));
});
afterAll(async () => {
  await rounds.stop();
  expect((await audit(relay.api.deps.db)).findings).toEqual([]);
  await relay.close();
  await proxy.close();
});
beforeEach(async () => {
  proxy.seen.length = 0;
  proxy.told.length = 0;
  proxy.says = {};
  proxy.news = { status: 'IN_PROGRESS', progress: '40%' };
  proxy.showsHtml = false;
  await relay.set({
    ...{ MjNotifyEnabled: false, MjAccountFilterEnabled: false, MjModeClearEnabled: false },
    ...{
      MjForwardUrlEnabled: true,
      MjActionCheckSuccessEnabled: true,
      EgressPorts: new URL(proxy.base).port,
    },
  });
});

const call = (method: string, path: string, body?: JsonObject, headers: Record<string, string> = {}) =>
  fetch(`${relay.base}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'mj-api-secret': relay.key, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const submit = async (path: string, body: JsonObject, root = '/mj') => {
  const answer = await call('POST', `${root}${path}`, body);
  return { status: answer.status, ...(await answer.json()) };
};
const round = async () => {
  await relay.api.deps.db.query('update tasks set poll_at = 0, hook_at = 0');
  await rounds.round();
};
const drawn = async (id: string) => (await call('GET', `/mj/task/${id}/fetch`)).json();
const upstreamId = async (id: string) =>
  (
    await relay.api.deps.db.query<{ upstream_id: string }>(
      'select upstream_id from tasks where public_id = $1',
      [id],
    )
  )[0]?.upstream_id;
const done = (): JsonObject => ({
  ...{ status: 'SUCCESS', progress: '100%', startTime: 1_700_000_001_000, finishTime: 1_700_000_031_000 },
  ...{ imageUrl: `${proxy.base}/picture`, promptEn: 'a cat', description: '/imagine a cat' },
  buttons: [{ customId: 'MJ::JOB::upsample::1::x', emoji: '', label: 'U1', type: 2, style: 2, extra: 'no' }],
  properties: { finalPrompt: 'a cat --v 7', discordInstanceId: 'secret' },
});
/** A drawing that is done, with these buttons beside its own. */
const finished = async (...buttons: string[]): Promise<string> => {
  const { result } = await submit('/submit/imagine', { prompt: 'a cat' });
  const news = done();
  const more = buttons.map((customId) => ({ customId }));
  proxy.news = { ...news, buttons: [...(news.buttons as JsonObject[]), ...more] };
  await round();
  return result;
};
const spentBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = await relay.account();
  await work();
  const after = await relay.account();
  expect(after.reserved).toBe(0);
  return (before.quota - after.quota) / CENTS;
};

/**
 * What an address is answered whose network asked for so many that are none that it may look for few a second, and in this
 * one has: for another that is none, and for what is there and was seen before.
 */
async function besideNone(there: string): Promise<number[]> {
  const network = '198.51.100.61';
  const used: [string, number][] = [
    ['wrong-credential:drawings', limits.badKeysAMinute],
    ['slow-lookup:drawings', limits.slowLookupsASecond],
  ];
  for (const [name, amount] of used)
    await relay.api.deps.limiter.add({ key: `${name}:${network}`, windowSec: 60 }, amount);
  const statuses: number[] = [];
  for (const address of [there.replace(/[0-9a-f]{32}/, '0'.repeat(32)), there])
    statuses.push((await fetch(address, { headers: { 'x-forwarded-for': network } })).status);
  return statuses;
}

it('submits, polls, and shows the drawing with its buttons and its picture from here', async () => {
  let id = '';
  const cents = await spentBy(async () => {
    const answer = await submit('/submit/imagine', {
      prompt: 'a cat',
      state: 'mine',
      accountFilter: { modes: ['FAST'] },
    });
    expect(answer).toEqual({
      ...{ status: 200, code: 1, description: '提交成功', properties: {} },
      result: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    id = answer.result;
  });
  expect(cents).toBe(10);
  expect(proxy.submitted).toEqual([
    {
      method: 'POST',
      path: '/mj/submit/imagine',
      secret: DRAWING_KEY,
      body: { prompt: 'a cat', state: 'mine' },
    },
  ]);
  expect(await drawn(id)).toMatchObject({
    id,
    action: 'IMAGINE',
    status: 'SUBMITTED',
    progress: '0%',
    imageUrl: '',
    prompt: 'a cat',
    state: 'mine',
  });
  proxy.news = { ...proxy.news, imageUrl: `${proxy.base}/picture` };
  await round();
  expect((await drawn(id)).imageUrl).toMatch(`/mj/image/${id}?rand=40-`);
  proxy.news = done();
  await round();
  const whole = await drawn(id);
  expect(whole).toEqual({
    ...{
      id,
      action: 'IMAGINE',
      customId: '',
      botType: '',
      maskBase64: '',
      prompt: 'a cat',
      promptEn: 'a cat',
    },
    ...{ description: '/imagine a cat', state: 'mine', submitTime: expect.any(Number) },
    ...{ startTime: 1_700_000_001_000, finishTime: 1_700_000_031_000, status: 'SUCCESS', progress: '100%' },
    ...{ failReason: '', imageUrl: `${relay.base}/mj/image/${id}` },
    buttons: [{ customId: 'MJ::JOB::upsample::1::x', emoji: '', label: 'U1', type: 2, style: 2 }],
    properties: { finalPrompt: 'a cat --v 7', finalZhPrompt: '' },
  });
  const picture = await fetch(whole.imageUrl);
  expect([picture.status, picture.headers.get('content-type'), picture.headers.get('set-cookie')]).toEqual([
    200,
    'image/png',
    null,
  ]);
  expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG);
  expect(await besideNone(whole.imageUrl)).toEqual([429, 200]);
  proxy.showsHtml = true;
  expect((await fetch(whole.imageUrl)).status).toBe(404);
  expect((await fetch(`${relay.base}/mj/image/${'0'.repeat(32)}`)).status).toBe(404);
  await relay.set({ MjForwardUrlEnabled: false });
  expect((await drawn(id)).imageUrl).toBe(`${proxy.base}/picture`);
  const listed = await (await call('POST', '/mj/task/list-by-condition', { ids: [id, 'vendor-1'] })).json();
  expect(listed).toEqual([expect.objectContaining({ id })]);
  expect(await (await call('GET', `/mj/task/${id}/image-seed`)).json()).toEqual({
    code: 1,
    description: 'success',
    result: '1234567',
  });
  expect(proxy.seen.at(-1)?.path).toBe(`/mj/task/${await upstreamId(id)}/image-seed`);
});

describe('every action', () => {
  const images = ['data:image/png;base64,AA', 'data:image/png;base64,BB'];
  it.each<[string, JsonObject, string, number]>([
    ['/submit/describe', { base64: images[0] as string }, 'DESCRIBE', 5],
    ['/submit/blend', { base64Array: images, dimensions: 'SQUARE' }, 'BLEND', 10],
    ['/submit/shorten', { prompt: 'a very long cat' }, 'SHORTEN', 10],
    ['/insight-face/swap', { sourceBase64: 'AA', targetBase64: 'BB' }, 'SWAP_FACE', 5],
    ['/submit/edits', { prompt: 'a hat', image: images[0] as string }, 'EDITS', 10],
    ['/submit/video', { prompt: 'it turns', motion: 'low', image: images[0] as string }, 'VIDEO', 80],
  ])('that begins: %s', async (path, body, action, price) => {
    expect(
      await spentBy(async () => {
        const { code, result } = await submit(path, body);
        expect(code).toBe(1);
        expect((await drawn(result)).action).toBe(action);
      }),
    ).toBe(price);
    expect(proxy.submitted).toMatchObject([{ path: `/mj${path}`, body }]);
  });

  it.each<[string, (id: string) => JsonObject, string, number]>([
    ['/submit/change', (taskId) => ({ taskId, action: 'UPSCALE', index: 2 }), 'UPSCALE', 5],
    ['/submit/change', (taskId) => ({ taskId, action: 'VARIATION', index: 4 }), 'VARIATION', 10],
    ['/submit/change', (taskId) => ({ taskId, action: 'REROLL' }), 'REROLL', 10],
    ['/submit/simple-change', (id) => ({ content: `${id} U3` }), 'UPSCALE', 5],
    ['/submit/action', (taskId) => ({ taskId, customId: 'MJ::JOB::pan_left::1::x::SOLO' }), 'PAN', 10],
    ['/submit/action', (taskId) => ({ taskId, customId: 'MJ::Outpaint::50::1::x::SOLO' }), 'ZOOM', 10],
    [
      '/submit/action',
      (taskId) => ({ taskId, customId: 'MJ::JOB::low_variation::1::x::SOLO' }),
      'LOW_VARIATION',
      10,
    ],
    [
      '/submit/action',
      (taskId) => ({ taskId, customId: 'MJ::JOB::high_variation::1::x::SOLO' }),
      'HIGH_VARIATION',
      10,
    ],
  ])('that goes on from another: %s %p', async (path, bodyOf, action, price) => {
    const { customId } = bodyOf('');
    const first = await finished(...(typeof customId === 'string' ? [customId] : []));
    expect(
      await spentBy(async () => {
        const { code, result } = await submit(path, bodyOf(first));
        expect(code).toBe(1);
        expect(await drawn(result)).toMatchObject({ action, prompt: 'a cat' });
      }),
    ).toBe(price);
    const own = (await upstreamId(first)) ?? '';
    expect(proxy.submitted.at(-1)?.body).toEqual(bodyOf(own));
  });

  it('that opens a window is free and waits for what is said in it, which is charged', async () => {
    const first = await finished('MJ::Inpaint::1::x::SOLO');
    let window = '';
    proxy.says = { code: 21, properties: { status: 'MODAL' } };
    expect(
      await spentBy(async () => {
        const opened = await submit('/submit/action', { taskId: first, customId: 'MJ::Inpaint::1::x::SOLO' });
        expect(opened.code).toBe(21);
        window = opened.result;
        expect((await drawn(window)).status).toBe('MODAL');
      }),
    ).toBe(0);
    proxy.says = {};
    expect(
      await spentBy(async () => {
        const said = await submit('/submit/modal', { taskId: window, prompt: 'a hat', maskBase64: 'AA' });
        expect(said.code).toBe(1);
        expect(await drawn(said.result)).toMatchObject({ action: 'MODAL', prompt: 'a hat' });
      }),
    ).toBe(10);
    expect(proxy.submitted.at(-1)?.body).toMatchObject({
      taskId: await upstreamId(window),
      maskBase64: 'AA',
    });
  });

  it('that exists already is done at once, and just submitted to its caller; so is one that is queued', async () => {
    const first = await finished();
    proxy.says = { code: 21, properties: { status: 'SUCCESS', imageUrl: `${proxy.base}/picture` } };
    const again = await submit('/submit/change', { taskId: first, action: 'UPSCALE', index: 1 });
    expect(again.code).toBe(1);
    expect(await drawn(again.result)).toMatchObject({
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: expect.stringContaining('/mj/image/'),
    });
    proxy.says = {
      code: 22,
      description: 'queued',
      properties: { numberOfQueues: 3, discordInstanceId: 'secret' },
    };
    expect(await submit('/submit/imagine', { prompt: 'a dog' })).toMatchObject({
      code: 1,
      properties: { numberOfQueues: 3 },
    });
    const own = await relay.api.as(relay.user);
    const { items } = (await own.get('/api/mj/self/')).data;
    expect(items.slice(0, 2).map(({ code }: JsonObject) => code)).toEqual([22, 21]);
    expect(JSON.stringify(items)).not.toContain('secret');
  });

  it('that films shows the films from here, goes on from one of them, and makes no more than it costs', async () => {
    const film = { motion: 'high', image: `${proxy.base}/picture` };
    const { result: first } = await submit('/submit/video', { ...film, batchSize: 4, videoType: '720' });
    expect(proxy.submitted.at(-1)?.body).toEqual(film);
    const addresses = [`${proxy.base}/film/1`, `${proxy.base}/film/2`];
    // The one that is told alone is one of the list, by whatever address.
    proxy.news = {
      ...done(),
      videoUrl: `${addresses[0]}?signed`,
      videoUrls: addresses.map((url) => ({ url })),
    };
    await round();
    const own = `${relay.base}/mj/video/${first}`;
    const told = await drawn(first);
    expect([told.videoUrl, told.videoUrls]).toEqual([own, [{ url: own }, { url: `${own}?piece=1` }]]);
    const second = await fetch(`${own}?piece=1`);
    expect([second.status, second.headers.get('content-type'), await second.text()]).toEqual([
      ...[200, 'video/mp4', 'film /film/2'],
    ]);
    for (const none of [`${own}?piece=2`, `${own}?piece=x`, `${relay.base}/mj/video/${'0'.repeat(32)}`])
      expect((await fetch(none)).status).toBe(404);
    expect(await besideNone(own)).toEqual([429, 200]);
    const client = await relay.api.as(relay.user);
    const [item] = (await client.get(`/api/mj/self/?mj_id=${first}`)).data.items;
    const listed = `/mj/video/${first}`;
    expect([item.video_url, JSON.parse(item.video_urls)]).toEqual([listed, [listed, `${listed}?piece=1`]]);
    await relay.set({ MjForwardUrlEnabled: false });
    expect((await drawn(first)).videoUrl).toBe(addresses[0]);
    const further = { motion: 'low', action: 'extend', index: 1 };
    expect(
      await spentBy(async () => {
        expect((await submit('/submit/video', { ...further, taskId: first })).code).toBe(1);
      }),
    ).toBe(80);
    expect(proxy.submitted.at(-1)?.body).toEqual({ ...further, taskId: (await upstreamId(first)) ?? '' });
  });

  it('that uploads answers the addresses themselves', async () => {
    proxy.says = { result: ['https://cdn.example/1.png'] };
    expect(
      await spentBy(async () => {
        const answer = await submit('/submit/upload-discord-images', { base64Array: images });
        expect(answer).toMatchObject({ code: 1, result: ['https://cdn.example/1.png'] });
      }),
    ).toBe(5);
  });

  it.each<[string, JsonObject, string[] | undefined]>([
    ['alone', { videoUrl: 'https://a.example/1' }, ['https://a.example/1']],
    ['in an empty list', { videoUrl: 'https://a.example/1', videoUrls: [] }, ['https://a.example/1']],
    [
      'twice in a list',
      { videoUrls: ['https://a.example/1', 'https://a.example/1'] },
      ['https://a.example/1'],
    ],
    ['nowhere', { videoUrl: '', videoUrls: [''] }, undefined],
  ])('has its films where they are told: %s', (_where, told, videoUrls) => {
    const [news] = midjourneyPlus.tasks?.read([{ id: '1', status: 'SUCCESS', ...told }], '1') ?? [];
    expect(objectOf(news?.data)?.videoUrls).toEqual(videoUrls);
  });

  it('has its button', () => {
    expect(actionOfButton('MJ::JOB::upsample_v6_2x_subtle::1::x')).toBe('UPSCALE');
    expect(actionOfButton('MJ::JOB::variation::2::x')).toBe('VARIATION');
    expect(actionOfButton('MJ::JOB::reroll::0::x')).toBe('REROLL');
    expect(actionOfButton('MJ::CustomZoom::x')).toBe('CUSTOM_ZOOM');
    expect(actionOfButton('MJ::BOOKMARK::x')).toBeNull();
    expect(actionOfButton('mj::CustomZoom::x')).toBeNull();
    expect(actionOfButton('x::JOB::upsample::1::x')).toBeNull();
  });

  it('presses no button that the drawing does not show', async () => {
    const first = await finished();
    const taken = proxy.submitted.length;
    const press = (customId: string) => submit('/submit/action', { taskId: first, customId });
    expect(
      await spentBy(async () => {
        for (const button of ['MJ::JOB::upsample::2::x', 'MJ::CustomZoom::x']) {
          const refused = await press(button);
          expect(refused).toMatchObject({ status: 400, code: 4, type: 'invalid_request' });
          expect(refused.description).toContain('customId');
        }
      }),
    ).toBe(0);
    expect(proxy.submitted.length).toBe(taken);
    expect((await press('MJ::JOB::upsample::1::x')).code).toBe(1);
  });
});

it('refuses what no proxy takes, and charges nothing', async () => {
  const first = await finished();
  proxy.news = { status: 'IN_PROGRESS' };
  const { result: going } = await submit('/submit/imagine', { prompt: 'b' });
  const taken = proxy.submitted.length;
  const further = { motion: 'low', action: 'extend', taskId: first, index: 0 };
  const cases: [string, JsonObject, string][] = [
    ['/submit/imagine', {}, 'invalid_request'],
    ['/submit/blend', { base64Array: ['AA'] }, 'invalid_request'],
    ['/submit/change', { taskId: first, action: 'UPSCALE' }, 'invalid_request'],
    ['/submit/change', { taskId: first, action: 'PAN', index: 1 }, 'invalid_request'],
    ['/submit/simple-change', { content: `${first} U9` }, 'invalid_request'],
    ['/submit/edits', { prompt: 'a hat' }, 'invalid_request'],
    ['/submit/edits', { prompt: 'a hat', image: 'file:///etc/passwd' }, 'invalid_request'],
    ['/submit/describe', { link: 'file:///etc/passwd' }, 'invalid_request'],
    ['/submit/video', { motion: 'low', image: 'file:///etc/passwd' }, 'invalid_request'],
    ['/submit/video', { ...further, image: 'ftp://a.example/b' }, 'invalid_request'],
    ['/submit/video', { motion: 'wild', image: 'AA' }, 'invalid_request'],
    ['/submit/video', { motion: 'low' }, 'invalid_request'],
    ['/submit/video', { ...further, index: 4 }, 'invalid_request'],
    ['/submit/video', { motion: 'low', image: 'AA', taskId: 'vendor-1' }, 'task_not_exist'],
    ['/submit/action', { taskId: first, customId: 'MJ::BOOKMARK::x' }, 'invalid_request'],
    ['/submit/change', { taskId: 'vendor-1', action: 'REROLL' }, 'task_not_exist'],
    ['/submit/change', { taskId: going, action: 'REROLL' }, 'task_not_done'],
    // Neither has a window: what failed of it would give back the drawing, too.
    ['/submit/modal', { taskId: going, prompt: 'a hat' }, 'invalid_request'],
    ['/submit/modal', { taskId: first, prompt: 'a hat' }, 'invalid_request'],
  ];
  expect(
    await spentBy(async () => {
      for (const [path, body, type] of cases) {
        expect(await submit(path, body)).toMatchObject({ status: 400, code: 4, type, result: '' });
      }
      expect(proxy.submitted.length).toBe(taken);
      proxy.says = { code: 24, description: '可能包含敏感词', result: '' };
      expect(await submit('/submit/imagine', { prompt: 'bad' })).toMatchObject({ status: 400, code: 24 });
      proxy.says = { code: 23, description: '队列已满', result: '' };
      expect((await submit('/submit/imagine', { prompt: 'x' })).status).toBe(429);
    }),
  ).toBe(0);
  await relay.set({ MjActionCheckSuccessEnabled: false });
  proxy.says = {};
  expect((await submit('/submit/change', { taskId: going, action: 'REROLL' })).code).toBe(1);
});

it.each([
  ['failed', 0, { status: 'FAILURE', progress: '10%', failReason: 'banned prompt' }, 'banned prompt'],
  ['took too long', 25, { status: 'IN_PROGRESS', progress: '40%' }, 'too long'],
])('gives back what %s', async (_, hours, news, reason) => {
  const { db } = relay.api.deps;
  await db.query(`update tasks set status = 'SUCCESS'`);
  expect(
    await spentBy(async () => {
      const { result } = await submit('/submit/imagine', { prompt: 'a cat' });
      await db.query('update tasks set submit_time = submit_time - $1::bigint where public_id = $2', [
        hours * 3_600_000,
        result,
      ]);
      proxy.news = news;
      await round();
      expect(await drawn(result)).toMatchObject({
        status: 'FAILURE',
        failReason: expect.stringContaining(reason),
      });
    }),
  ).toBe(0);
});

it('takes no channel out for want of an account, which is another’s for other calls', async () => {
  const first = await finished();
  const status = async (): Promise<number> => (await relay.root.get(`/api/channel/${plus}`)).data.status;
  proxy.says = { code: 3, description: '无可用的账号实例', result: '' };
  await relay.set({ RetryTimes: 0, AutomaticDisableChannelEnabled: true, MjAccountFilterEnabled: true });
  // No account that may film, nor one of this name; a drawing that is gone there.
  for (const [path, body] of [
    ['/submit/imagine', { prompt: 'a cat --video', botType: 'NIJI_JOURNEY' }],
    ['/submit/imagine', { prompt: 'a cat', accountFilter: { instanceId: 'x' } }],
    ['/submit/change', { taskId: first, action: 'REROLL' }],
  ] as const) {
    const answer = await submit(path, body);
    expect([answer.code === 1, answer.description.includes('账号')]).toEqual([false, false]);
  }
  // What is disabled at once is so before the next call is answered.
  proxy.says = {};
  expect((await submit('/submit/imagine', { prompt: 'a cat' })).code).toBe(1);
  expect(await status()).toBe(1);
});

it('hands on how fast it is to be drawn, and what the operator allows of the rest', async () => {
  await relay.set({ MjAccountFilterEnabled: true, MjModeClearEnabled: true });
  await submit(
    '/submit/imagine',
    { prompt: 'a cat --fast --v 7', accountFilter: { remark: 'r' } },
    '/mj-relax/mj',
  );
  expect(proxy.submitted[0]).toMatchObject({
    path: '/mj/submit/imagine',
    body: { prompt: 'a cat --v 7', accountFilter: { remark: 'r', modes: ['RELAX'] } },
  });
  expect((await call('GET', '/mj-slow/mj/task/x/fetch')).status).toBe(404);
});

it.each<[string, string, JsonObject, Record<string, boolean>, number]>([
  ['/mj', 'a cat', {}, {}, 10],
  ['/mj-fast/mj', 'a cat', {}, {}, 10],
  ['/mj-turbo/mj', 'a cat', {}, {}, 20],
  ['/mj', 'a cat --turbo --v 7', {}, {}, 20],
  ['/mj', 'a cat \u2014Turbo', {}, {}, 20],
  ['/mj', 'a cat --turbocharged', {}, {}, 10],
  ['/mj', 'a cat --turbo', {}, { MjModeClearEnabled: true }, 10],
  ['/mj-relax/mj', 'a cat', { modes: ['TURBO'] }, { MjAccountFilterEnabled: true }, 10],
  ['/mj', 'a cat', { modes: ['FAST', 'turbo'] }, { MjAccountFilterEnabled: true }, 20],
  ['/mj', 'a cat', { modes: ['TURBO'] }, {}, 10],
])('by %s “%s” of %j with %j costs %i cents', async (root, prompt, accountFilter, options, cents) => {
  await relay.set(options);
  const spent = await spentBy(() => submit('/submit/imagine', { prompt, accountFilter }, root));
  expect(proxy.submitted).toHaveLength(1);
  expect(spent).toBe(cents);
});

it('is told by its proxy, with a secret of the task alone, and tells its caller', async () => {
  await relay.set({ MjNotifyEnabled: true, ServerAddress: relay.base });
  const { result: id } = await submit('/submit/imagine', {
    prompt: 'a cat',
    notifyHook: `${proxy.base}/hook`,
  });
  const hook = new URL(String(proxy.submitted[0]?.body.notifyHook));
  expect([hook.origin, hook.pathname, hook.searchParams.get('task')]).toEqual([relay.base, '/mj/notify', id]);
  const { db } = relay.api.deps;
  const isDue = async () =>
    (
      await db.query(
        'select 1 from tasks where public_id = $1 and poll_at <= extract(epoch from now()) + 1',
        [id],
      )
    ).length > 0;
  await db.query('update tasks set poll_at = 9000000000');
  // What it says is not believed.
  const notice = (url: string | URL) =>
    fetch(url, { method: 'POST', body: JSON.stringify({ id: 'x', status: 'FAILURE' }) });
  const other = (await submit('/submit/imagine', { prompt: 'b' })).result;
  const wrongs = [
    `task=${id}`,
    `task=${id}&secret=x`,
    // As many characters as it has, and more bytes.
    `task=${id}&secret=${'%C3%A9'.repeat(hook.searchParams.get('secret')?.length ?? 0)}`,
    hook.search.slice(1).replace(id, other),
  ];
  for (const wrong of wrongs) {
    expect((await notice(`${relay.base}/mj/notify?${wrong}`)).status).toBe(401);
  }
  expect(await isDue()).toBe(false);
  expect((await notice(hook)).status).toBe(200);
  expect([await isDue(), (await drawn(id)).status]).toEqual([true, 'SUBMITTED']);
  proxy.news = done();
  await round();
  await round();
  expect(proxy.told).toEqual([
    expect.objectContaining({ id, status: 'SUCCESS', imageUrl: `${relay.base}/mj/image/${id}` }),
  ]);
  // Nobody is called inside the house.
  await relay.set({ MjNotifyEnabled: true });
  const inside = await submit('/submit/imagine', { prompt: 'c', notifyHook: 'file:///etc/passwd' });
  expect(inside).toMatchObject({ status: 400, code: 4 });
});

it('asks after tasks while an owner is slow to hear of his', async () => {
  await relay.set({ MjNotifyEnabled: true, ServerAddress: relay.base });
  const { result: heard } = await submit('/submit/imagine', {
    prompt: 'a',
    notifyHook: `${proxy.base}/hook`,
  });
  proxy.news = done();
  const hook = proxy.hold('/hook');
  await relay.api.deps.db.query('update tasks set poll_at = 0, hook_at = 0');
  const telling = rounds.round();
  await hook.came;
  const { result: other } = await submit('/submit/imagine', { prompt: 'b' });
  await relay.api.deps.db.query('update tasks set poll_at = 0');
  const asking = rounds.round();
  while ((await drawn(other)).status !== 'SUCCESS') await Bun.sleep(20);
  expect(hook.isWaiting).toBe(true);
  hook.answer();
  await Promise.all([telling, asking]);
  expect(proxy.told).toContainEqual(expect.objectContaining({ id: heard }));
});

describe('a window', () => {
  const opened = async (): Promise<string> => {
    const first = await finished('MJ::Inpaint::1::x::SOLO');
    proxy.says = { code: 21, properties: { status: 'MODAL' } };
    const { result } = await submit('/submit/action', { taskId: first, customId: 'MJ::Inpaint::1::x::SOLO' });
    proxy.says = {};
    return result;
  };
  const say = (taskId: string, prompt: string) => submit('/submit/modal', { taskId, prompt });
  const asked = () =>
    proxy.seen.filter(({ path }) => path.endsWith('/list-by-condition')).flatMap(({ body }) => body.ids);

  it('is asked after seldom, and goes as the drawing that is said in it', async () => {
    const window = await opened();
    const { db } = relay.api.deps;
    const [row] = await db.query<{ waits: number }>(
      'select poll_at - extract(epoch from now())::bigint as waits from tasks where public_id = $1',
      [window],
    );
    expect(row?.waits).toBeGreaterThan(300);
    const id = await upstreamId(window);
    const { result } = await submit('/submit/modal', { taskId: window, prompt: 'a hat' });
    expect((await drawn(window)).status).toBe('SUBMITTED');
    proxy.news = done();
    proxy.seen.length = 0;
    await round();
    expect(asked().filter((one) => one === id)).toHaveLength(1);
    expect(await drawn(result)).toMatchObject({ action: 'MODAL', status: 'SUCCESS' });
    expect(await drawn(window)).toMatchObject({ action: 'INPAINT', status: 'SUCCESS', progress: '100%' });
  });

  it('fails with what is said in it, and costs nothing', async () => {
    const window = await opened();
    expect(
      await spentBy(async () => {
        const { result } = await submit('/submit/modal', { taskId: window, prompt: 'a hat' });
        expect(await upstreamId(result)).toBe((await upstreamId(window)) ?? '');
        proxy.news = { status: 'FAILURE', failReason: 'banned prompt' };
        await round();
        await round();
        for (const id of [result, window])
          expect(await drawn(id)).toMatchObject({ status: 'FAILURE', failReason: 'banned prompt' });
      }),
    ).toBe(0);
  });

  it('takes one thing that is said in it, and another only where that was refused', async () => {
    const window = await opened();
    proxy.says = { code: 24, description: '可能包含敏感词', result: '' };
    expect((await say(window, 'bad')).status).toBe(400);
    proxy.says = {};
    const taken = proxy.submitted.length;
    const said = await Promise.all([say(window, 'a hat'), say(window, 'a coat')]);
    expect(said.map(({ code }) => code).sort()).toEqual([1, 4]);
    expect(await say(window, 'a scarf')).toMatchObject({ status: 400, type: 'invalid_request' });
    expect(proxy.submitted.length).toBe(taken + 1);
  });

  it('is nobody else’s as long as what is said in it is under way', async () => {
    const window = await opened();
    const modal = proxy.hold('/mj/submit/modal');
    const first = say(window, 'a hat');
    await modal.came;
    // A minute later its upstream still knows nothing of it.
    proxy.news = { status: 'MODAL' };
    await round();
    expect((await drawn(window)).status).toBe('SUBMITTED');
    expect(await say(window, 'a coat')).toMatchObject({ status: 400, type: 'invalid_request' });
    modal.answer();
    expect((await first).code).toBe(1);
  });

  it('is not opened by what was told of it before something was said in it', async () => {
    const window = await opened();
    proxy.news = { status: 'MODAL' };
    const asking = proxy.hold('/mj/task/list-by-condition');
    await relay.api.deps.db.query('update tasks set poll_at = 0 where public_id = $1', [window]);
    const round = rounds.round();
    await asking.came;
    expect((await say(window, 'a hat')).code).toBe(1);
    asking.answer();
    await round;
    expect((await drawn(window)).status).toBe('SUBMITTED');
  });

  it('stays closed once something was taken in it, whatever state its upstream tells', async () => {
    const window = await opened();
    const { result: said } = await say(window, 'a hat');
    proxy.news = { status: 'MODAL' };
    await round();
    const taken = proxy.submitted.length;
    for (const id of [window, said]) {
      expect((await drawn(id)).status).toBe('MODAL');
      expect(await say(id, 'a coat')).toMatchObject({ status: 400, type: 'invalid_request' });
    }
    expect(proxy.submitted.length).toBe(taken);
    // It is asked after as a drawing is, and has as long.
    await relay.api.deps.db.query(
      'update tasks set submit_time = submit_time - 3601000 where public_id = $1',
      [window],
    );
    await round();
    expect((await drawn(window)).status).toBe('MODAL');
    proxy.news = done();
    await round();
    for (const id of [window, said]) expect((await drawn(id)).status).toBe('SUCCESS');
  });

  it('is opened again by who took it alone, or where he is gone', async () => {
    const window = await opened();
    const { db } = relay.api.deps;
    const [gone, other] = ['e'.repeat(32), 'f'.repeat(32)];
    expect(await claimWindow(db, window, gone)).toBe(true);
    await reopenWindow(db, window, other);
    expect((await drawn(window)).status).toBe('SUBMITTED');
    proxy.news = { status: 'MODAL' };
    await round();
    expect((await drawn(window)).status).toBe('MODAL');
    expect((await say(window, 'a hat')).code).toBe(1);
  });

  it('that nobody says anything in closes', async () => {
    const window = await opened();
    const { db } = relay.api.deps;
    await db.query('update tasks set submit_time = submit_time - 3601000 where public_id = $1', [window]);
    proxy.news = { status: 'MODAL' };
    await round();
    expect(await drawn(window)).toMatchObject({
      status: 'FAILURE',
      failReason: expect.stringContaining('window'),
    });
  });
});

it('hides the operator’s account and address in what a proxy says', async () => {
  proxy.says = { description: `ok, see ${proxy.base}/admin, balance of your account: 3, ${DRAWING_KEY}` };
  const { code, description } = await submit('/submit/imagine', { prompt: 'a cat' });
  expect(code).toBe(1);
  expect(description).not.toMatch(/127\.0\.0\.1|secret|balance/);
});

it('hides what authorises at a proxy when that says it again, at once and later', async () => {
  const words = `refused: ${DRAWING_KEY}, Token gateways-own, gateways-own`;
  proxy.says = { description: words };
  const { result, description } = await submit('/submit/imagine', { prompt: 'a cat' });
  proxy.news = { status: 'FAILURE', failReason: words };
  await round();
  const { failReason } = await drawn(result);
  expect([description, failReason]).toEqual(Array(2).fill('refused: ***, ***, ***'));
});

it('takes prompts, states and addresses that hold what the database refuses', async () => {
  await relay.set({ MjNotifyEnabled: true, ServerAddress: relay.base });
  // Wherever a list cuts it, one of the two is cut within an emoji.
  for (const prompt of ['😀'.repeat(2_900), `a${'😀'.repeat(2_900)}`]) {
    const answer = await submit('/submit/imagine', {
      ...{ prompt, state: 'a\0\ud83d' },
      notifyHook: `${proxy.base}/hook?\0`,
    });
    expect(answer).toMatchObject({ status: 200, code: 1 });
    expect(await drawn(answer.result)).toMatchObject({ state: 'a\ufffd' });
  }
});

it('shows nobody another’s drawing', async () => {
  const id = await finished();
  const key = await relay.addToken({}, await relay.api.createUser({ quota: 1_000_000 }));
  const stranger = (method: string, path: string, body?: JsonObject) =>
    call(method, path, body, { 'mj-api-secret': '', authorization: `Bearer ${key}` });
  for (const path of [`/mj/task/${id}/fetch`, `/mj/task/${id}/image-seed`])
    expect((await stranger('GET', path)).status).toBe(400);
  expect(await (await stranger('POST', '/mj/task/list-by-condition', { ids: [id] })).json()).toEqual([]);
  expect((await stranger('POST', '/mj/submit/change', { taskId: id, action: 'REROLL' })).status).toBe(400);
  const bare = await call('GET', `/mj/task/${id}/fetch`, undefined, { authorization: 'midjourney-proxy' });
  expect(bare.status).toBe(200);
  const client = await relay.api.as(await relay.api.createUser());
  expect((await client.get(`/api/mj/self/?mj_id=${id}`)).data.items).toEqual([]);
  expect((await client.get('/api/mj/')).status).toBe(403);
});

it('lists drawings in milliseconds, apart from other tasks', async () => {
  const id = await finished();
  const own = await relay.api.as(relay.user);
  const { items } = (await own.get(`/api/mj/self/?mj_id=${id}`)).data;
  expect(items).toMatchObject([
    {
      ...{
        mj_id: id,
        action: 'IMAGINE',
        code: 1,
        status: 'SUCCESS',
        progress: '100%',
        prompt: 'a cat',
        prompt_en: 'a cat',
      },
      ...{
        finish_time: 1_700_000_031_000,
        channel_id: 0,
        fail_reason: '',
        buttons: expect.stringContaining('upsample'),
      },
    },
  ]);
  expect((await own.get(`/api/task/self?task_id=${id}`)).data.items).toEqual([]);
  const now = Date.now();
  const all = async (query: string) => (await relay.root.get(`/api/mj/?mj_id=${id}&${query}`)).data.total;
  expect(await all(`start_timestamp=${now - 60_000}&end_timestamp=${now + 60_000}`)).toBe(1);
  expect(
    await all(`start_timestamp=${Math.floor(now / 1000) - 60}&end_timestamp=${Math.floor(now / 1000) + 60}`),
  ).toBe(1);
  expect(await all(`start_timestamp=${now + 60_000}`)).toBe(0);
  expect(await all('channel_id=99')).toBe(0);
});
