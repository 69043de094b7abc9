/**
 * Tasks of one key are asked after together: what one of them does to the answer is nothing to the others, and an upstream
 * that hangs keeps back its own tasks alone.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { parseObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import type { Dialer } from '../../src/relay/attempt/dial.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const KEY = 'mj-secret-0123456789';
const LIST = '/mj/task/list-by-condition';

/** What it answers instead of the list, by the path before it and the ids that are asked for; null for the list. */
let spoil: (place: string, ids: string[]) => Response | null | Promise<Response | null> = () => null;
/** The ids of each question, and at which of its places. */
let asked: { place: string; ids: string[] }[] = [];
/** By id, what stands in the list beside the news. */
const pads = new Map<string, string>();
const proxy = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const [, place = ''] = /^\/(\w+)\//.exec(pathname) ?? [];
    if (request.method === 'GET') {
      const id = pathname.slice(pathname.lastIndexOf('/') + 1);
      asked.push({ place, ids: [id] });
      return (await spoil(place, [id])) ?? Response.json({ id, status: 'completed' });
    }
    const body = parseObject(await request.text()) ?? {};
    if (!pathname.endsWith(LIST) && !pathname.endsWith('/suno/fetch'))
      return Response.json({ code: 1, description: '', result: `vendor-${crypto.randomUUID()}` });
    const ids = Array.isArray(body.ids) ? body.ids.map(String) : [];
    asked.push({ place, ids });
    const list = ids.map((id) => ({ id, status: 'SUCCESS', progress: '100%', state: pads.get(id) ?? '' }));
    return (await spoil(place, ids)) ?? Response.json(list);
  },
});

/** What the calls of the probe meet instead of the proxy; null for the proxy. */
let instead: ((body: string) => Error | null) | null = null;

let relay: TestRelay;
let rounds: Rounds;
const channels = new Map<string, number>();
const addPlace = async (place: string, type: number) => {
  const base_url = `http://127.0.0.1:${proxy.port}/${place}`;
  channels.set(place, await relay.addChannel({ name: place, type, key: KEY, base_url, models: place }));
};
beforeAll(async () => {
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await addPlace('own', 2);
  await addPlace('other', 2);
  await addPlace('films', 1);
  await addPlace('songs', 36);
  const own = relay.api.deps.relay;
  const dialer: Dialer = {
    ...own.dialer,
    open(request, route) {
      const fault = instead?.(String(request.body)) ?? null;
      if (fault === null) return own.dialer.open(request, route);
      asked.push({ place: 'nobody', ids: [] });
      route.goesUp?.();
      return Promise.reject(fault);
    },
  };
  rounds = startTasks(relay.api.deps, createTaskProbe({ ...own, dialer }));
});
afterAll(async () => {
  await rounds.stop();
  await relay.close();
  await proxy.stop(true);
});
beforeEach(async () => {
  await relay.api.deps.db.query('delete from tasks');
  pads.clear();
  asked = [];
  spoil = () => null;
  instead = null;
});

/** Puts tasks that are due at one of the proxy's places. */
const due = async (place: string, ids: readonly string[], { hours = 0 } = {}) => {
  await relay.api.deps.db.query(
    `insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, status, upstream_id,
       channel_id, key_id, submit_time, poll_at)
     select replace(gen_random_uuid()::text, '-', ''), case when $4 then 'video' else 'mj' end, 'IMAGINE', 'm', $1::bigint, 1,
       gen_random_uuid(), 0, 'SUBMITTED', id, $3::bigint, (select min(k.id) from channel_keys k where k.channel_id = $3::bigint),
       extract(epoch from now())::bigint * 1000 - $5::bigint, 0
     from unnest(string_to_array($2, ',')) as id`,
    [relay.user.id, ids.join(','), channels.get(place) ?? 0, place === 'films', hours * 3_600_000],
  );
};
const statusOf = async (id: string) =>
  (
    await relay.api.deps.db.query<{ status: string }>('select status from tasks where upstream_id = $1', [id])
  )[0]?.status;
const heard = async (ids: readonly string[]) => {
  const each = await Promise.all(ids.map(statusOf));
  return each.filter((status) => status === 'SUCCESS').length;
};
const names = (what: string, count: number) => Array.from({ length: count }, (_, n) => `${what}-${n}`);
const QUARTER = 'x'.repeat(limits.taskAnswerBytes / 4);

describe('of a batch that one task spoils, the others are heard of', () => {
  const has = (ids: string[]) => ids.includes('bad-0');
  const away = (code: string) => (body: string) =>
    body.includes('bad-0') ? Object.assign(new Error(code), { code }) : null;
  it.each<[string, () => void]>([
    ['alone it is too large', () => pads.set('bad-0', QUARTER.repeat(5))],
    ['a failure', () => (spoil = (_, ids) => (has(ids) ? new Response('no', { status: 500 }) : null))],
    ['it is not found', () => (spoil = (_, ids) => (has(ids) ? new Response('no', { status: 404 }) : null))],
    ['no JSON', () => (spoil = (_, ids) => (has(ids) ? new Response('[{"id":') : null))],
    ['no list', () => (spoil = (_, ids) => (has(ids) ? Response.json({ code: 5 }) : null))],
    [
      'badly packed',
      () =>
        (spoil = (_, ids) =>
          has(ids) ? new Response('no', { headers: { 'content-encoding': 'gzip' } }) : null),
    ],
    ['the connection is cut', () => (instead = away('ECONNRESET'))],
    [
      'nothing in time',
      () => (instead = (body) => (body.includes('bad-0') ? new DOMException('late', 'AbortError') : null)),
    ],
  ])('%s', async (_, make) => {
    const good = names('good', 30);
    make();
    await due('own', [...good.slice(0, 11), 'bad-0', ...good.slice(11)]);
    await rounds.round();
    expect(await heard(good)).toBe(30);
    expect(await statusOf('bad-0')).toBe('SUBMITTED');
    // Some for each half that has it, and none for each task.
    expect(asked.length).toBeLessThan(2 * Math.log2(31) + 2);
  });
});

it('a song that nests too deep to be read keeps back no other', async () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  spoil = (_, ids) => {
    const songs = ids.map(
      (id) => `{"task_id":"${id}","status":"SUCCESS","data":${id === 'bad-0' ? nested : '[]'}}`,
    );
    return new Response(`{"code":"success","data":[${songs.join(',')}]}`);
  };
  await due('songs', ['bad-0', ...names('good', 5)]);
  await rounds.round();
  expect([await heard(names('good', 5)), await statusOf('bad-0')]).toEqual([5, 'SUBMITTED']);
});

it('tasks whose answers are too large together are all heard of', async () => {
  const heavy = names('heavy', 11);
  for (const id of heavy) pads.set(id, QUARTER);
  const good = names('good', 20);
  await due('own', [...heavy, ...good]);
  await rounds.round();
  expect([await heard(heavy), await heard(good)]).toEqual([11, 20]);
});

it('one that is too large alone is failed like any other once it takes too long', async () => {
  pads.set('bad-0', QUARTER.repeat(5));
  await due('own', ['bad-0', ...names('good', 5)], { hours: 24.5 });
  await rounds.round();
  expect([await statusOf('bad-0'), await heard(names('good', 5))]).toEqual(['FAILURE', 5]);
});

describe('a task that nobody could be asked after when its time was up', () => {
  it.each<[string, () => void]>([
    ['the key is refused', () => (spoil = () => new Response('no', { status: 401 }))],
    [
      'nobody is there',
      () => (instead = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    ],
    ['it fails whatever is asked', () => (spoil = () => new Response('no', { status: 503 }))],
    [
      'half of its batch spoils the answers',
      () =>
        (spoil = (_, ids) =>
          ids.length > 1 || ids[0]?.startsWith('bad') ? new Response('no', { status: 500 }) : null),
    ],
  ])('is asked after for a while more where %s', async (_, make) => {
    const good = names('good', 20);
    make();
    await due('own', [...good, ...names('bad', 20)], { hours: 24.5 });
    await rounds.round();
    const statuses = await Promise.all(good.map(statusOf));
    expect(statuses).not.toContain('FAILURE');
    spoil = () => null;
    instead = null;
    await relay.api.deps.db.query('update tasks set poll_at = 0');
    await rounds.round();
    expect(await heard(good)).toBe(20);
  });

  it('is failed once that is over', async () => {
    spoil = () => new Response('no', { status: 503 });
    await due('own', names('lost', 20), { hours: 25.5 });
    await rounds.round();
    expect(new Set(await Promise.all(names('lost', 20).map(statusOf)))).toEqual(new Set(['FAILURE']));
  });

  it('is asked after no more often than others meanwhile', async () => {
    spoil = () => new Response('no', { status: 401 });
    await due('own', names('late', 20), { hours: 24.5 });
    await rounds.round();
    await rounds.round();
    expect(asked).toHaveLength(1);
  });
});

describe('what is no matter of any task is asked once', () => {
  it.each<[string, () => void]>([
    ['a key that is refused', () => (spoil = () => new Response('no', { status: 401 }))],
    ['too many questions', () => (spoil = () => new Response('no', { status: 429 }))],
    ['nobody there', () => (instead = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))],
  ])('%s', async (_, make) => {
    make();
    await due('own', names('good', 30));
    await rounds.round();
    expect([asked.length, await heard(names('good', 30))]).toEqual([1, 0]);
    // Where each is asked after by itself, those are that are under way already.
    asked = [];
    await due('films', names('film', 30));
    await rounds.round();
    expect(asked.length).toBeWithin(1, limits.tasksAskedOfOne + 1);
  });
});

it('an upstream that answers a few questions a minute is asked after other tasks each time', async () => {
  const first = new Set<string>();
  spoil = () => new Response('no', { status: 429 });
  await due('films', names('film', 40));
  for (let n = 0; n < 30; n++) {
    asked = [];
    await relay.api.deps.db.query('update tasks set poll_at = 0');
    await rounds.round();
    first.add(asked[0]?.ids[0] ?? '');
  }
  // Half of them as a rule.
  expect(first.size).toBeGreaterThan(7);
});

describe('an upstream that is down is asked a few times, and after one task alone at last', () => {
  it.each<[string, () => void]>([
    ['a proxy whose own upstream is away', () => (spoil = () => new Response('no', { status: 503 }))],
    ['a page in place of the list', () => (spoil = () => new Response('<html>'))],
    ['nothing in time', () => (instead = () => new DOMException('late', 'AbortError'))],
  ])('%s', async (_, make) => {
    make();
    await due('own', names('good', 50));
    await rounds.round();
    expect(asked).toHaveLength(limits.tasksAskedInVain + 1);
    if (asked.every(({ place }) => place === 'own')) expect(asked.at(-1)?.ids).toHaveLength(1);
  });
});

it('many that spoil all of their batches keep the others from being heard of for some rounds at most', async () => {
  spoil = (_, ids) => (ids.some((id) => id.startsWith('bad-')) ? new Response('no', { status: 502 }) : null);
  const good = names('good', 10);
  await due('own', [...names('bad', 10), ...good].sort());
  for (let n = 0; n < 100 && (await heard(good)) < 10; n++) {
    await relay.api.deps.db.query('update tasks set poll_at = 0');
    await rounds.round();
  }
  expect(await heard(good)).toBe(10);
});

describe('an upstream that hangs', () => {
  /** Holds every question at a place. */
  const hold = (at: string) => {
    const came = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    const held = { waiting: 0, most: 0, came: came.promise, open: open.resolve };
    spoil = async (place) => {
      if (place === at) {
        held.most = Math.max(held.most, ++held.waiting);
        came.resolve();
        await open.promise;
        held.waiting--;
      }
      return null;
    };
    return held;
  };

  it('keeps back its own tasks alone, and is asked after none of them twice', async () => {
    const held = hold('own');
    const own = names('own', 60);
    await due('own', own);
    const hung = rounds.round();
    await held.came;
    await due('other', names('other', 3));
    await relay.api.deps.db.query('update tasks set poll_at = 0');
    const next = rounds.round();
    while ((await heard(names('other', 3))) < 3) await Bun.sleep(20);
    expect(held.waiting).toBeGreaterThan(0);
    const questions = asked.flatMap(({ place, ids }) => (place === 'own' ? ids : []));
    expect(new Set(questions).size).toBe(questions.length);
    held.open();
    await Promise.all([hung, next]);
    expect(await heard(own)).toBe(60);
  });

  it('keeps back no task that came meanwhile where it hangs on one', async () => {
    const open = Promise.withResolvers<void>();
    spoil = async (_, ids) => {
      if (ids.includes('film-0')) await open.promise;
      return null;
    };
    await due('films', names('film', 30));
    const hung = rounds.round();
    while ((await heard(names('film', 30))) < 29) await Bun.sleep(20);
    await due('films', ['new-0']);
    await relay.api.deps.db.query('update tasks set poll_at = 0');
    const next = rounds.round();
    while ((await heard(['new-0'])) < 1) await Bun.sleep(20);
    open.resolve();
    await Promise.all([hung, next]);
    const questions = asked.flatMap(({ ids }) => ids);
    expect(questions.toSorted()).toEqual([...names('film', 30), 'new-0'].toSorted());
  });

  it('is asked no more at once than one may be', async () => {
    const held = hold('films');
    await due('films', names('film', 30));
    const hung = rounds.round();
    await held.came;
    await due('other', ['other-0']);
    const next = rounds.round();
    while ((await heard(['other-0'])) < 1) await Bun.sleep(20);
    expect(held.waiting).toBeGreaterThan(0);
    held.open();
    await Promise.all([hung, next]);
    expect([asked.length, held.most <= limits.tasksAskedOfOne]).toEqual([31, true]);
  });

  it('leaves room for the others where its answers may be large', async () => {
    const held = hold('own');
    await due('own', names('own', 4 * limits.tasksAsked));
    const hung = rounds.round();
    await held.came;
    await due('other', ['other-0']);
    const next = rounds.round();
    while ((await heard(['other-0'])) < 1) await Bun.sleep(20);
    held.open();
    await Promise.all([hung, next]);
    expect(held.most).toBeLessThanOrEqual(limits.largeTasksOfOne);
  });

  it('keeps no other from being asked after, however many like it there are', async () => {
    const hung = ['hung0', 'hung1', 'hung2', 'hung3', 'hung4'];
    expect(hung.length * limits.largeTasksOfOne).toBe(limits.largeTasksAtOnce);
    for (const place of hung) await addPlace(place, 2);
    const open = Promise.withResolvers<void>();
    let waiting = 0;
    const came = Promise.withResolvers<void>();
    spoil = async (place) => {
      if (!place.startsWith('hung')) return null;
      if (++waiting === limits.largeTasksAtOnce) came.resolve();
      await open.promise;
      return null;
    };
    for (const place of hung) await due(place, names(place, limits.tasksAsked + 1));
    const held = rounds.round();
    await came.promise;
    await due('other', names('other', 3));
    const next = rounds.round();
    while ((await heard(names('other', 3))) < 3) await Bun.sleep(20);
    open.resolve();
    await Promise.all([held, next]);
    for (const place of hung)
      expect(await heard(names(place, limits.tasksAsked + 1))).toBe(limits.tasksAsked + 1);
  });

  it('has none of its tasks failed for want of an answer that nobody waited for', async () => {
    const held = hold('films');
    const films = names('film', 30);
    await due('films', films, { hours: 24.5 });
    const leaving = startTasks(relay.api.deps, createTaskProbe(relay.api.deps.relay));
    const last = leaving.round();
    await held.came;
    const stopping = leaving.stop();
    held.open();
    await Promise.all([last, stopping]);
    const statuses = await Promise.all(films.map(statusOf));
    expect(new Set(statuses)).toEqual(new Set(['SUCCESS', 'SUBMITTED']));
  });
});
