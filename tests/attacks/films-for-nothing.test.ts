/**
 * Films that an upstream has taken and nobody pays for: what a caller or an upstream writes stands in the charge, and so in
 * the statement that notes the task. What has been taken is charged, whatever goes wrong with us.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { startVideos, type VideoServer } from '../support/video-server.ts';

let relay: TestRelay;
let videos: VideoServer;
let rounds: Rounds;
beforeAll(async () => {
  videos = startVideos();
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await relay.addChannel({ name: 'o', type: 1, key: 'sk-films-1', base_url: videos.base, models: 'sora-2' });
  await relay.set({
    VideoPrice: { 'sora-2': { per_second: 0.01 } },
    RetryTimes: 0,
    EgressPorts: new URL(videos.base).port,
  });
  rounds = startTasks(relay.api.deps, createTaskProbe(relay.api.deps.relay));
});
afterAll(async () => {
  await rounds.stop();
  expect((await audit(relay.api.deps.db)).findings).toEqual([]);
  await relay.close();
  await videos.close();
});

const film = (field = '"fps":1') =>
  fetch(`${relay.base}/v1/videos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${relay.key}` },
    body: `{"model":"sora-2","prompt":"a cat","seconds":"1",${field}}`,
  });

describe('a film with a field that does not go up', () => {
  it.each([
    ['a NUL', '"a\\u0000b":1', 'part'],
    ['half a pair', '"a\\ud800":1', 'part'],
    ['Chinese', '"时长":1', 'part'],
    ['a line end', '"a\\r\\nb":1', 'part'],
    ['a usual one', '"fps":1', 'fps'],
  ])('is charged where it was taken, and shown: %s', async (_what, field, shown) => {
    const before = await relay.account();
    videos.seen.length = 0;
    const { status, headers } = await film(field);
    const spent = before.quota - (await relay.account()).quota;
    expect({ status, films: videos.submissions().length, spent }).toEqual({
      status: 200,
      films: 1,
      spent: 5_000,
    });
    expect(headers.get('x-gateway-lost')).toBe(shown);
    expect((await relay.logs()).at(-1)?.other.lost).toEqual([shown]);
  });

  it('leaves rows and a head of usual size, however many and long they are', async () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `"${'x'.repeat(100)}${n}":1,"y${n}":1`);
    const { status, headers } = await film(names.join());
    expect(status).toBe(200);
    expect(headers.get('x-gateway-lost')?.length).toBeLessThan(3_000);
    const [kept] = await relay.api.deps.db.query<{ log: number; charge: number }>(
      `select (select max(octet_length(other::text)) from logs)::int as log,
         (select max(octet_length(charge::text)) from tasks)::int as charge`,
    );
    expect(kept?.log).toBeLessThan(16_384);
    expect(kept?.charge).toBeLessThan(20_000);
  });
});

/** Rows of the log were written before they had a bound. */
it('a log with rows that are too heavy is read within bounds', async () => {
  await film();
  await relay.api.deps.db.query(
    `update logs set other = other || jsonb_build_object('lost', repeat('x', 1000000)) where id = (select max(id) from logs)`,
  );
  const headers = { authorization: `Bearer ${relay.key}` };
  const text = await (await fetch(`${relay.base}/api/log/token`, { headers })).text();
  expect(text.length).toBeLessThan(100_000);
  expect(text).toContain('cut');
  const page = await (await relay.api.as(relay.user)).get('/api/log/self?page_size=100');
  expect(JSON.stringify(page).length).toBeLessThan(100_000);
});

interface Noted {
  public_id: string;
  status: string;
  upstream_id: string;
  refund: number;
}

/** The last film, and what it cost. */
async function filmed(work: () => Promise<Response>) {
  const before = await relay.account();
  videos.seen.length = 0;
  const answer = await work();
  const [row] = await relay.api.deps.db.query<Noted>(
    'select public_id, status, upstream_id, refund from tasks order by id desc limit 1',
  );
  return {
    answer,
    row,
    films: videos.submissions().length,
    spent: before.quota - (await relay.account()).quota,
    reserved: (await relay.account()).reserved,
  };
}

/** Has statements that note a task as taken fail, as often as `times`. */
async function notNoting<T>(times: number, fault: Error, work: () => Promise<T>): Promise<T> {
  const { db } = relay.api.deps;
  const { query } = db;
  let left = times;
  db.query = ((...given: Parameters<typeof query>) => {
    if (!given[0].includes('with taken as') || left === 0) return query.apply(db, given);
    left--;
    return Promise.reject(fault);
  }) as typeof query;
  try {
    return await work();
  } finally {
    db.query = query;
  }
}

const refused = () => Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' });
const away = () => Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
const round = async () => {
  await relay.api.deps.db.query('update tasks set poll_at = 0');
  await rounds.round();
};

describe('a film that was taken and cannot be noted', () => {
  it('is charged, and stays to be asked after, where the database refuses what was said of it', async () => {
    const { answer, row, films, spent, reserved } = await notNoting(1, refused(), () => filmed(film));
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([500, 'false']);
    expect(await answer.text()).toContain('charged');
    expect({ films, spent, reserved }).toEqual({ films: 1, spent: 5_000, reserved: 0 });
    expect(row).toMatchObject({
      status: 'SUBMITTED',
      refund: 0,
      upstream_id: expect.stringMatching(/^vendor-/),
    });
  });

  it('is noted and told as ever where the database was away for a moment', async () => {
    const { answer, row, spent } = await notNoting(1, away(), () => filmed(film));
    expect([answer.status, spent]).toEqual([200, 5_000]);
    expect((await answer.json()).id).toBe(`video_${row?.public_id}`);
  });

  it('is charged where the database is away, and is not given back', async () => {
    const { answer, row, spent, reserved } = await notNoting(100, away(), () => filmed(film));
    expect([answer.status, answer.headers.get('x-should-retry'), spent, reserved]).toEqual([
      503,
      'false',
      5_000,
      0,
    ]);
    expect(row?.status).toBe('');
    const before = await relay.account();
    await round();
    await round();
    expect((await relay.account()).quota).toBe(before.quota);
    const headers = { authorization: `Bearer ${relay.key}` };
    const seen = await (await fetch(`${relay.base}/v1/videos/video_${row?.public_id}`, { headers })).json();
    expect(seen.status).toBe('queued');
  });

  it('goes on though the engine took its process for dead meanwhile', async () => {
    const { db } = relay.api.deps;
    const { query } = db;
    let failed = false;
    db.query = (async (...given: Parameters<typeof query>) => {
      if (given[0].includes('with taken as') && !failed) {
        failed = true;
        await query.call(
          db,
          `update tasks set status = 'FAILURE', fail_code = 'interrupted', refund = 1, poll_at = 0 where status = ''`,
        );
      }
      return query.apply(db, given);
    }) as typeof query;
    try {
      const { answer, row, spent } = await filmed(film);
      expect([failed, answer.status, spent]).toEqual([true, 200, 5_000]);
      expect(row).toMatchObject({ status: 'SUBMITTED', refund: 0 });
    } finally {
      db.query = query;
    }
  });
});

it('a film is charged after a try whose reason was cut within a letter', async () => {
  const second = { name: 'p', type: 1, key: 'sk-films-2', base_url: videos.base, models: 'sora-2' };
  await relay.addChannel(second);
  await relay.set({ RetryTimes: 1 });
  try {
    const message = `${'x'.repeat(499)}\u{1f600}${'x'.repeat(20)}`;
    videos.refuses = Response.json({ error: { message } }, { status: 500 });
    const { answer, films, spent } = await filmed(film);
    expect({ status: answer.status, films, spent }).toEqual({ status: 200, films: 2, spent: 5_000 });
  } finally {
    await relay.set({ RetryTimes: 0 });
  }
});

it.each([
  [12, '12'],
  ['12', '12'],
  ['1', undefined],
  ['long', undefined],
])('a film whose upstream says that it has %p seconds: its row tells them as %p', async (seconds, told) => {
  videos.refuses = Response.json({
    id: 'vendor-longer',
    object: 'video',
    status: 'queued',
    progress: 0,
    seconds,
  });
  const { answer, spent } = await filmed(film);
  expect([answer.status, spent]).toEqual([200, 5_000]);
  expect((await relay.logs()).at(-1)?.other.told_seconds).toBe(told as string);
});
