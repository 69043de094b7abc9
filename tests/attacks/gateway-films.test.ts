/**
 * Films of gateways that speak OpenAI's wire before other vendors, each in a manner of its own: what is paid is what is
 * made, and what is made comes to who paid for it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import { type JsonObject, parseObject } from '../../src/core/json.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

/** Units of a second, at 0.01 US dollars. */
const SECOND = 5_000;

const LITELLM = /^video_/;
const encode = (id: string, model: string) => `video_${btoa(`litellm:model_id:${model};video_id:${id}`)}`;
const decode = (id: string) => atob(id.replace(LITELLM, '')).replace(/^.*video_id:/, '');

let sent: JsonObject[] = [];
/** What its first answer to a film says beside its name. */
let taken: JsonObject = {};
/** What is said of each film that is asked after, beside its id. */
let told: JsonObject = { status: 'completed' };
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  async fetch(request) {
    const last = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
    if (request.method === 'POST') {
      const isForm = request.headers.get('content-type')?.startsWith('multipart/');
      const form = isForm ? await request.formData() : null;
      const body = form
        ? (Object.fromEntries(form) as JsonObject)
        : (parseObject(await request.text()) ?? {});
      sent.push(body);
      const id = `film-${sent.length}`;
      if (body.model === 'veo')
        return Response.json({ id: encode(id, 'veo'), object: 'video', status: 'processing' });
      return Response.json({ id, object: 'video', status: 'queued', progress: 0, ...taken });
    }
    return Response.json({
      id: LITELLM.test(last) ? encode(decode(last), '') : last,
      object: 'video',
      ...told,
    });
  },
});

let relay: TestRelay;
let rounds: Rounds;
beforeAll(async () => {
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  const base = { type: 1, key: 'sk-gate-1', base_url: `http://127.0.0.1:${server.port}` };
  await relay.addChannel({ name: 'gateway', ...base, models: 'veo,kling,sora-2,jimeng_v30_pro,clip' });
  await relay.set({
    VideoPrice: {
      ...Object.fromEntries(
        ['veo', 'kling', 'sora-2', 'jimeng_v30_pro'].map((name) => [name, { per_second: 0.01 }]),
      ),
      clip: { per_second: 0.01, seconds: [3, 20] },
    },
    RetryTimes: 0,
    EgressPorts: String(server.port),
  });
  rounds = startTasks(relay.api.deps, createTaskProbe(relay.api.deps.relay));
});
afterAll(async () => {
  await rounds.stop();
  expect((await audit(relay.api.deps.db)).findings).toEqual([]);
  await relay.close();
  await server.stop(true);
});
/** None of an earlier test is asked after. */
beforeEach(() => relay.api.deps.db.query(`update tasks set status = 'SUCCESS' where status <> 'FAILURE'`));

const authorization = () => `Bearer ${relay.key}`;
const submit = async (body: JsonObject): Promise<JsonObject> => {
  const answer = await fetch(`${relay.base}/v1/videos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: authorization() },
    body: JSON.stringify({ prompt: 'a cat', ...body }),
  });
  return answer.json();
};
const round = async () => {
  await relay.api.deps.db.query('update tasks set poll_at = 0');
  await rounds.round();
};
const seen = async (id: unknown): Promise<JsonObject> => {
  const answer = await fetch(`${relay.base}/v1/videos/${id}`, {
    headers: { authorization: authorization() },
  });
  return answer.json();
};
/** A film that was submitted and then asked after, as its owner sees it, and what it has cost him. */
async function filmed(body: JsonObject, news: JsonObject) {
  sent = [];
  told = news;
  const before = (await relay.account()).quota;
  const { id } = await submit(body);
  await round();
  await round();
  return { film: await seen(id), spent: before - (await relay.account()).quota, up: sent };
}

it('a film whose status comes under another id than its submission is had by who paid for it', async () => {
  const { film, spent } = await filmed({ model: 'veo', seconds: '8' }, { status: 'completed' });
  expect([film.status, spent]).toEqual(['completed', 8 * SECOND]);
});

it('an answer without a word of a film is no news of it', async () => {
  const { film } = await filmed({ model: 'kling', seconds: '5' }, { error: { message: 'try later' } });
  expect(film.status).toBe('queued');
});

describe('the seconds that are paid', () => {
  it.each([
    ['1', 1],
    ['10', 10],
    [undefined, 4],
  ])('go up in each word that a gateway reads: %p', async (seconds, paid) => {
    const { spent, up } = await filmed(
      { model: 'kling', ...(seconds && { seconds }) },
      { status: 'in_progress' },
    );
    expect(spent).toBe(paid * SECOND);
    expect(up).toEqual([{ model: 'kling', prompt: 'a cat', seconds: String(paid), duration: paid }]);
  });

  it('go up as the caller is charged for them, whatever he calls them', async () => {
    const { spent, up } = await filmed(
      { model: 'kling', seconds: '2', duration: 60 },
      { status: 'in_progress' },
    );
    expect([spent, up[0]?.seconds, up[0]?.duration]).toEqual([2 * SECOND, '2', 2]);
  });

  it('go up in the one word of OpenAI’s models, which refuse the other', async () => {
    const { up } = await filmed({ model: 'sora-2', seconds: '8' }, { status: 'in_progress' });
    expect(up).toEqual([{ model: 'sora-2', prompt: 'a cat', seconds: '8' }]);
  });

  it('go up in the one word of a form', async () => {
    sent = [];
    const body = new FormData();
    for (const [name, value] of Object.entries({
      model: 'kling',
      prompt: 'a cat',
      seconds: '8',
      duration: '60',
    })) {
      body.set(name, value);
    }
    await fetch(`${relay.base}/v1/videos`, {
      method: 'POST',
      headers: { authorization: authorization() },
      body,
    });
    expect(sent).toEqual([{ model: 'kling', prompt: 'a cat', seconds: '8' }]);
  });
});

/** New API has Jimeng make ten seconds where that is asked for, five of whatever else is, and tells none. */
describe('a length that no film of its model has', () => {
  it.each([
    ['jimeng_v30_pro', '1', '5, 10'],
    ['jimeng_v30_pro', '9', '5, 10'],
    // As its operator says.
    ['clip', '4', '3, 20'],
  ])('is refused, and nothing goes up: %s of %s', async (model, seconds, lengths) => {
    sent = [];
    const { error } = await submit({ model, seconds });
    expect(error).toMatchObject({ param: 'seconds', message: expect.stringContaining(lengths) });
    expect(sent).toEqual([]);
  });

  it.each([
    ['jimeng_v30_pro', '10', 10],
    ['jimeng_v30_pro', undefined, 5],
    ['clip', '20', 20],
    ['clip', undefined, 20],
  ])('is none that is sold: %s of %p', async (model, seconds, paid) => {
    const { spent, up } = await filmed({ model, ...(seconds && { seconds }) }, { status: 'completed' });
    expect([spent, up[0]?.duration]).toEqual([paid * SECOND, paid]);
  });
});

describe('a film that has other seconds than were paid', () => {
  it('is told to root where it is longer, once and when it is there', async () => {
    const sentAlerts = spyOn(relay.api.deps.alerts, 'send');
    await filmed({ model: 'kling', seconds: '10' }, { status: 'completed', seconds: '5' });
    // What a first answer says may be no more than a default.
    taken = { seconds: '5' };
    await filmed({ model: 'kling', seconds: '1' }, { status: 'completed', seconds: '1' });
    expect(sentAlerts).not.toHaveBeenCalled();
    await filmed({ model: 'kling', seconds: '1' }, { status: 'completed', seconds: '5' });
    expect(sentAlerts.mock.calls).toMatchObject([
      [{ type: 'film_longer', title: { en: expect.stringContaining('gateway') } }],
    ]);
    expect(relay.api.deps.metrics.snapshot().tollgate_films_longer_total?.samples).toMatchObject([
      [expect.stringContaining('channel='), 1],
    ]);
    sentAlerts.mockRestore();
    taken = {};
  });

  const toldOf = async () => {
    const [row] = await relay.api.deps.db.query<{ input: JsonObject }>(
      'select input from tasks order by id desc limit 1',
    );
    return row?.input.told_seconds;
  };

  it.each([
    ['5', '5', 5],
    [5.041, '5', 5],
    ['15', '15', 10],
    ['10.08', undefined, 10],
    ['none', undefined, 10],
    [0, undefined, 10],
    [1e30, undefined, 10],
  ])('is seen as it is, and given back where it is shorter: %p', async (seconds, other, paid) => {
    const { film, spent } = await filmed({ model: 'kling', seconds: '10' }, { status: 'completed', seconds });
    expect([film.status, film.seconds, spent]).toEqual(['completed', other ?? '10', paid * SECOND]);
    expect(await toldOf()).toBe(other);
  });

  it('is given back in part once, and the rest stays paid', async () => {
    const { film } = await filmed({ model: 'kling', seconds: '10' }, { status: 'completed', seconds: '3' });
    const before = await relay.account();
    await round();
    expect(await relay.account()).toEqual(before);
    const { items } = (await (await relay.api.as(relay.user)).get('/api/task/self')).data;
    expect(items[0]).toMatchObject({ status: 'SUCCESS', quota: 10 * SECOND, refunded: 7 * SECOND });
    const [row] = (await (await relay.api.as(relay.user)).get('/api/log/self')).data.items;
    expect(row).toMatchObject({ quota: 7 * SECOND, content: expect.stringMatching(/3.*10|10.*3/) });
    expect(film.seconds).toBe('3');
  });

  it('is given back in part though its owner deletes it at once', async () => {
    told = { status: 'in_progress' };
    const before = (await relay.account()).quota;
    const { id } = await submit({ model: 'kling', seconds: '10' });
    const { db } = relay.api.deps;
    await db.query(
      `update tasks set status = 'SUCCESS', refund = 1, poll_at = 2000000000, input = input || '{"told_seconds":"5"}'
       where id = (select max(id) from tasks)`,
    );
    await fetch(`${relay.base}/v1/videos/${id}`, {
      method: 'DELETE',
      headers: { authorization: authorization() },
    });
    await round();
    expect(before - (await relay.account()).quota).toBe(5 * SECOND);
  });
});

describe('what OpenRouter says of a film', () => {
  it.each([
    ['cancelled', ''],
    ['expired', ''],
    ['failed', 'the prompt was refused'],
  ])('ends it, and gives back what it cost: %s', async (status, error) => {
    const { film, spent } = await filmed(
      { model: 'kling', seconds: '8' },
      { status, ...(error && { error }) },
    );
    expect([film.status, spent]).toEqual(['failed', 0]);
    expect((film.error as JsonObject).message).toContain(error || 'given back');
  });

  it.each([
    ['pending', 'queued'],
    ['in_progress', 'in_progress'],
  ])('is told as it is: %s', async (status, shown) => {
    expect((await filmed({ model: 'kling', seconds: '8' }, { status })).film.status).toBe(shown);
  });
});
