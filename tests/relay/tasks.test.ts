/** Music: what a caller submits and asks after, what is charged for it, and what is given back. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import { orphanAll } from '../../src/billing/statements.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { refundTask } from '../../src/modules/task/refunds.ts';
import { forgetOldTasks } from '../../src/modules/task/retention.ts';
import { openTask } from '../../src/modules/task/service.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import { callEngines } from '../support/database.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { DONE, FAILED, SONGS, SUNO_KEY, type SunoServer, startSuno } from '../support/suno-server.ts';

const MUSIC = 50_000;
const LYRICS = 5_000;

describe.each(callEngines)('tasks on %s', (engine) => {
  let relay: TestRelay;
  let suno: SunoServer;
  let engineOf: Rounds;
  let channelId: number;
  beforeAll(async () => {
    suno = startSuno();
    relay = await openTestRelay(engine);
    await relay.setBalance(5_000_000);
    await relay.api.deps.db.query(
      'insert into ledger (ref, kind, user_id, delta, created_at) values ($1, 4, $2, 4000000, 1)',
      [crypto.randomUUID(), relay.user.id],
    );
    channelId = await relay.addChannel({
      name: 'suno',
      type: 36,
      key: SUNO_KEY,
      base_url: suno.base,
      models: 'suno_music,suno_lyrics',
    });
    engineOf = startTasks(relay.api.deps, createTaskProbe(relay.api.deps.relay));
  });
  afterAll(async () => {
    await engineOf.stop();
    expect((await audit(relay.api.deps.db)).findings).toEqual([]);
    await relay.close();
    await suno.close();
  });
  beforeEach(() => {
    suno.seen.length = 0;
    suno.refuses = null;
    suno.isSilent = false;
    suno.tell({ status: 'IN_PROGRESS', progress: '40%' });
  });

  const call = (method: string, path: string, body?: JsonObject, key = relay.key) =>
    fetch(`${relay.base}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const submit = (body: JsonObject = { prompt: 'rain' }, action = 'music', key = relay.key) =>
    call('POST', `/suno/submit/${action}`, body, key);
  /** The id of one that was taken. */
  const submitted = async (body?: JsonObject, action?: string, key?: string): Promise<string> => {
    const answer = await submit(body, action, key);
    expect(answer.status).toBe(200);
    const { code, data } = await answer.json();
    expect(code).toBe('success');
    expect(data).toMatch(/^[0-9a-f]{32}$/);
    return data;
  };
  const task = async (id: string, key?: string) =>
    (await (await call('GET', `/suno/fetch/${id}`, undefined, key)).json()).data;
  /** As if all waits were over. */
  const round = async () => {
    await relay.api.deps.db.query('update tasks set poll_at = 0');
    await engineOf.round();
  };
  /** What was spent since, and by the token. */
  const spentBy = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await relay.account();
    await work();
    const after = await relay.account();
    expect(after.reserved).toBe(0);
    expect(after.used_quota - before.used_quota).toBe(before.quota - after.quota);
    return before.quota - after.quota;
  };
  const rowOf = async (id: string) => {
    const [row] = await relay.api.deps.db.query<{
      upstream_id: string;
      refunded: number;
      refund: number;
      request_id: string;
    }>('select upstream_id, refunded, refund, request_id::text from tasks where public_id = $1', [id]);
    if (!row) throw new Error('no such task');
    return row;
  };

  it('is taken and charged though its caller has filled his room for answers', async () => {
    const held = relay.api.deps.relay.answersHeld;
    relay.api.deps.relay.answersHeld = new BodyBudget(10);
    try {
      let id = '';
      expect(
        await spentBy(async () => {
          id = await submitted();
        }),
      ).toBe(MUSIC);
      expect(await task(id)).toMatchObject({ status: 'SUBMITTED' });
      expect(relay.api.deps.relay.answersHeld.bytes).toBe(0);
    } finally {
      relay.api.deps.relay.answersHeld = held;
    }
  });

  it('keeps and charges one that was taken by an answer too large to be read, and asks nobody else', async () => {
    const message = 'x'.repeat(limits.taskTakenBytes);
    const rowsOf = () =>
      relay.api.deps.db.query<{ public_id: string; status: string; refund: number; fail_code: string }>(
        'select public_id, status, refund, fail_code from tasks order by id desc',
      );
    const before = await rowsOf();
    expect(
      await spentBy(async () => {
        suno.refuses = Response.json({ code: 'success', message, data: 'vendor-large' });
        const answer = await submit();
        expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'false']);
        expect(await answer.text()).toContain('charged');
        expect(suno.submitted.length).toBe(1);
        const [kept, ...others] = await rowsOf();
        expect(others).toEqual(before);
        expect(kept).toMatchObject({ status: 'SUBMITTED', refund: 0 });
        // Nobody can ask after it. It is over in the end, and stays charged.
        await relay.api.deps.db.query('update tasks set submit_time = 0 where public_id = $1', [
          kept?.public_id ?? '',
        ]);
        await round();
        await round();
        expect((await rowsOf())[0]).toMatchObject({ status: 'FAILURE', fail_code: 'timeout', refund: 0 });
      }),
    ).toBe(MUSIC);
  });

  it('takes a song, charges its price, tells how it goes, and what came out', async () => {
    let id = '';
    expect(
      await spentBy(async () => {
        id = await submitted({
          prompt: 'rain',
          title: 'Rain',
          negative_tags: 'metal',
          notify_hook: 'https://x.example',
        });
      }),
    ).toBe(MUSIC);
    expect(suno.submitted).toEqual([
      {
        path: '/suno/submit/MUSIC',
        authorization: `Bearer ${SUNO_KEY}`,
        body: {
          prompt: 'rain',
          title: 'Rain',
          negative_tags: 'metal',
          mv: 'chirp-v3-0',
          make_instrumental: false,
        },
      },
    ]);
    expect(await task(id)).toMatchObject({
      task_id: id,
      action: 'MUSIC',
      status: 'SUBMITTED',
      progress: '0%',
      data: null,
    });
    await round();
    expect(await task(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '40%' });
    suno.tell(DONE);
    await round();
    expect(await task(id)).toEqual({
      task_id: id,
      action: 'MUSIC',
      status: 'SUCCESS',
      fail_reason: '',
      submit_time: expect.any(Number),
      start_time: 1_700_000_001,
      finish_time: 1_700_000_031,
      progress: '100%',
      data: SONGS,
    });
    // It is over: nobody asks after it any more, and nothing changes it.
    const asked = suno.seen.length;
    suno.tell(FAILED);
    await round();
    expect(suno.seen.length).toBe(asked);
    expect((await task(id)).status).toBe('SUCCESS');
    const [charge] = (await relay.logs()).slice(-1);
    expect(charge).toMatchObject({ type: 2, quota: MUSIC, channel_id: channelId, model_name: 'suno_music' });
    expect(charge?.other.task_id).toBe(id);
    expect(charge?.request_id).toBe((await rowOf(id)).request_id);
  });

  it('gives back what failed, once: to the account, to the token’s limit, and with a word in the log', async () => {
    const key = await relay.addToken({ unlimited_quota: false, remain_quota: 60_000 });
    const left = async () =>
      (
        await relay.api.deps.db.query<{ remain_quota: number; used_quota: number }>(
          'select remain_quota, used_quota from tokens order by id desc limit 1',
        )
      )[0];
    const spent = await spentBy(async () => {
      const id = await submitted({ prompt: 'words' }, 'lyrics', key);
      expect(await left()).toEqual({ remain_quota: 60_000 - LYRICS, used_quota: LYRICS });
      suno.tell(FAILED);
      await round();
      expect(await task(id)).toMatchObject({
        status: 'FAILURE',
        fail_reason: 'no such style',
        progress: '0%',
      });
      await Promise.all([round(), round()]);
      expect(await rowOf(id)).toMatchObject({ refund: 2, refunded: LYRICS });
      const words = await relay.api.deps.db.query<{ quota: number; content: string }>(
        'select quota, content from logs where type = 4 and request_id = $1::uuid',
        [(await rowOf(id)).request_id],
      );
      expect(words).toEqual([{ quota: LYRICS, content: expect.stringContaining(id) }]);
    });
    expect(spent).toBe(0);
    expect(await left()).toEqual({ remain_quota: 60_000, used_quota: 0 });
  });

  it('gives back once what several processes give back at once', async () => {
    const { db } = relay.api.deps;
    const spent = await spentBy(async () => {
      const id = await submitted();
      await db.query(`update tasks set status = 'FAILURE', refund = 1 where public_id = $1`, [id]);
      const [row] = await db.query<{ id: number }>('select id from tasks where public_id = $1', [id]);
      const given = await Promise.all(Array.from({ length: 5 }, () => refundTask(db, row?.id ?? 0)));
      expect(given.toSorted((a, b) => b - a)).toEqual([MUSIC, 0, 0, 0, 0]);
      // Nor does the statement itself give twice, whatever the row says.
      await db.query('update tasks set refund = 1, refunded = 0 where public_id = $1', [id]);
      expect(await refundTask(db, row?.id ?? 0)).toBe(0);
      await db.query('update tasks set refunded = $2 where public_id = $1', [id, MUSIC]);
    });
    expect(spent).toBe(0);
  });

  it('gives back to a token as much as a token can have', async () => {
    const { db } = relay.api.deps;
    const key = await relay.addToken({ unlimited_quota: false, remain_quota: 60_000 });
    const left = async () =>
      (
        await db.query<{ remain_quota: number; used_quota: number }>(
          'select remain_quota, used_quota from tokens order by id desc limit 1',
        )
      )[0];
    const spent = await spentBy(async () => {
      const id = await submitted({ prompt: 'words' }, 'lyrics', key);
      await db.query('update tokens set remain_quota = $1::bigint where id = (select max(id) from tokens)', [
        Number.MAX_SAFE_INTEGER - 1,
      ]);
      suno.tell(FAILED);
      await round();
      expect(await rowOf(id)).toMatchObject({ refund: 2, refunded: LYRICS });
    });
    expect([spent, await left()]).toEqual([0, { remain_quota: Number.MAX_SAFE_INTEGER, used_quota: 0 }]);
  });

  it('gives back to an account as much as an account can have', async () => {
    const { db } = relay.api.deps;
    const owner = await relay.api.createUser({ quota: 1_000_000 });
    const id = await submitted({ prompt: 'words' }, 'lyrics', await relay.addToken({}, owner));
    const { quota } = await relay.account(owner);
    const more = Number.MAX_SAFE_INTEGER - 7 - quota;
    await db.query('update users set quota = quota + $2::bigint where id = $1', [owner.id, more]);
    suno.tell(FAILED);
    await round();
    expect(await rowOf(id)).toMatchObject({ refund: 2, refunded: 7 });
    expect((await relay.account(owner)).quota).toBe(Number.MAX_SAFE_INTEGER);
    await db.query('update users set quota = quota - $2::bigint where id = $1', [owner.id, more]);
  });

  it('looks later at a refund that fails, so that it keeps back no other', async () => {
    const { db } = relay.api.deps;
    const spent = await spentBy(async () => {
      const id = await submitted();
      await db.query(
        `alter table tasks add constraint stuck check (public_id <> '${id}' or refund <> 2) not valid`,
      );
      suno.tell(FAILED);
      await round();
      const [row] = await db.query<{ waits: number }>(
        `select poll_at - extract(epoch from now())::bigint as waits from tasks where public_id = $1 and refund = 1`,
        [id],
      );
      await db.query('alter table tasks drop constraint stuck');
      expect(row?.waits).toBeGreaterThan(30);
      await round();
      expect(await rowOf(id)).toMatchObject({ refund: 2, refunded: MUSIC });
    });
    expect(spent).toBe(0);
  });

  it('notes what an upstream says of each task, whatever it says of others', async () => {
    const { db } = relay.api.deps;
    const deep = JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`);
    const said: JsonObject[] = [
      { status: 'IN_PROGRESS', progress: 77 },
      // Nanoseconds.
      { ...DONE, start_time: 1_700_000_001_000_000_000, finish_time: 1e300 },
      { ...DONE, data: { 'a\0': 1, '\ud83d': 'b\0', c: [{ 'd\0': 'e' }], __proto: 2 } },
      { ...DONE, data: { deep } },
      { ...FAILED, fail_reason: `${'x'.repeat(limits.taskReasonChars - 1)}😀` },
      DONE,
    ];
    const ids: string[] = [];
    for (const news of said) {
      const id = await submitted();
      suno.tell(news, (await rowOf(id)).upstream_id);
      ids.push(id);
    }
    await db.query('alter table tasks add constraint refused check (progress <> 77) not valid');
    await round();
    await db.query('alter table tasks drop constraint refused');
    const [refused, late, odd, tooDeep, failed, usual] = await Promise.all(ids.map((id) => task(id)));
    expect(refused.status).toBe('SUBMITTED');
    expect(late).toMatchObject({ status: 'SUCCESS', start_time: 0, data: SONGS });
    expect(Math.abs(late.finish_time - Date.now() / 1000)).toBeLessThan(60);
    expect(odd).toMatchObject({
      status: 'SUCCESS',
      data: { a: 1, '\ufffd': 'b', c: [{ d: 'e' }], __proto: 2 },
    });
    expect(tooDeep).toMatchObject({ status: 'SUCCESS', data: null });
    expect(failed).toMatchObject({ status: 'FAILURE', fail_reason: expect.stringMatching(/^x+\ufffd$/) });
    expect(usual).toMatchObject({ status: 'SUCCESS', data: SONGS });
    await round();
  });

  it('gives back what takes too long, also while its upstream is silent', async () => {
    suno.isSilent = true;
    const spent = await spentBy(async () => {
      const id = await submitted();
      await round();
      expect((await task(id)).status).toBe('SUBMITTED');
      await relay.api.deps.db.query(
        `update tasks set submit_time = submit_time - 24 * 3600000 - 1000 where public_id = $1`,
        [id],
      );
      await round();
      expect(await task(id)).toMatchObject({
        status: 'FAILURE',
        fail_reason: expect.stringContaining('too long'),
      });
    });
    expect(spent).toBe(0);
  });

  it('charges nothing where no upstream takes it, and tries another first', async () => {
    suno.refuses = Response.json({ code: 'fail_to_submit', message: 'banned words', data: null });
    const priced = await spentBy(async () => {
      // The other channel is the same service, which refuses the first try and takes the second.
      const other = await relay.addChannel({
        name: 'second',
        type: 36,
        key: `${SUNO_KEY}2`,
        base_url: suno.base,
        models: 'suno_music',
        priority: 9,
      });
      await submitted();
      await relay.root.del(`/api/channel/${other}`);
    });
    expect([priced, suno.submitted.length]).toEqual([MUSIC, 2]);
    suno.refuses = Response.json({ code: 'fail_to_submit', message: 'banned words', data: null });
    const open = async () => (await relay.api.deps.db.query('select 1 from tasks')).length;
    const before = await open();
    const refused = await spentBy(async () => {
      const answer = await submit();
      expect(answer.status).toBe(502);
      expect(await answer.json()).toEqual({
        code: 'upstream_error',
        message: expect.stringContaining('banned words'),
        data: null,
      });
    });
    expect([refused, await open()]).toEqual([0, before]);
  });

  it('fails the tasks of a channel that was deleted, and gives back what they cost', async () => {
    const other = await relay.addChannel({
      ...{ name: 'gone', type: 36, key: `${SUNO_KEY}3`, base_url: suno.base },
      ...{ models: 'suno_music', priority: 9 },
    });
    const spent = await spentBy(async () => {
      const id = await submitted();
      await relay.root.del(`/api/channel/${other}`);
      await round();
      expect(await task(id)).toMatchObject({
        status: 'FAILURE',
        fail_reason: expect.stringContaining('deleted'),
      });
    });
    expect(spent).toBe(0);
  });

  describe('of a channel with several keys', () => {
    let other: number;
    const keys = ['sk-several-0000000001', 'sk-several-0000000002'] as const;
    beforeEach(async () => {
      other = await relay.addChannel({
        ...{ name: 'several', type: 36, key: keys.join('\n'), base_url: suno.base },
        ...{ models: 'suno_music', priority: 9, multi_key_mode: 'random' },
      });
    });
    afterEach(() => relay.root.del(`/api/channel/${other}`));
    const keyAskedWith = async () => {
      suno.seen.length = 0;
      await round();
      return suno.seen
        .filter(({ path, body }) => path === '/suno/fetch' && Array.isArray(body.ids))
        .map(({ authorization }) => authorization?.replace('Bearer ', ''));
    };
    const save = async (key: string) => {
      const saved = await relay.root.put('/api/channel/', { id: other, key });
      expect(saved.success).toBe(true);
    };
    /** Which key has a new task, among those under way. */
    const begun = async () => {
      await relay.api.deps.db.query(`update tasks set status = 'SUCCESS' where status <> 'FAILURE'`);
      const id = await submitted();
      return { id, key: suno.submitted.at(-1)?.authorization?.replace('Bearer ', '') ?? '' };
    };

    it('goes on with its key when the channel is saved, and when the key is out of service', async () => {
      const { key } = await begun();
      const [a, b] = keys;
      await save(['sk-several-0000000003', b, a].join('\n'));
      expect(await keyAskedWith()).toEqual([key]);
      const { db, relay: parts } = relay.api.deps;
      await db.query(
        'update channel_keys set status = 3 where id = (select key_id from tasks order by id desc limit 1)',
      );
      await relay.root.put('/api/channel/', { id: other, name: 'touched' });
      expect(parts.channels.byId(other)?.keys.some(({ value }) => value === key)).toBe(false);
      expect(await keyAskedWith()).toEqual([key]);
    });

    it('goes on with the present key where its own is gone, also for who continues it', async () => {
      const { id } = await begun();
      suno.tell(DONE);
      const present = 'sk-several-0000000009';
      await save(present);
      expect(await keyAskedWith()).toEqual([present]);
      expect(await task(id)).toMatchObject({ status: 'SUCCESS' });
      await submitted({ continue_clip_id: 'clip-1', task_id: id, continue_at: 12 });
      expect(suno.submitted.at(-1)?.authorization).toBe(`Bearer ${present}`);
    });

    it('goes on in a process that has not heard of the channel yet', async () => {
      const { id } = await begun();
      suno.tell(DONE);
      const parts = relay.api.deps.relay;
      const unaware = {
        ...parts,
        channels: {
          ...parts.channels,
          byId: (at: number) => (at === other ? undefined : parts.channels.byId(at)),
        },
      };
      const theirs = startTasks(relay.api.deps, createTaskProbe(unaware));
      await relay.api.deps.db.query('update tasks set poll_at = 0');
      await theirs.round();
      await theirs.stop();
      expect(await task(id)).toMatchObject({ status: 'SUCCESS' });
    });
  });

  it('asks once more after what took too long, and believes what it hears', async () => {
    const spent = await spentBy(async () => {
      const id = await submitted();
      suno.tell(DONE);
      await relay.api.deps.db.query(
        `update tasks set submit_time = submit_time - 24 * 3600000 - 1000, poll_at = 9000000000 where public_id = $1`,
        [id],
      );
      await engineOf.round();
      expect(await task(id)).toMatchObject({ status: 'SUCCESS' });
    });
    expect(spent).toBe(MUSIC);
  });

  it('charges what an upstream has taken though the process died before it was charged', async () => {
    const { db, billing, bootId } = relay.api.deps;
    const { settle } = billing;
    // The process dies with the task taken: what it would have settled is lost with it.
    billing.settle = () => Promise.reject(new Error('killed'));
    let id = '';
    try {
      expect((await submit()).status).toBe(500);
    } finally {
      billing.settle = settle;
    }
    const [row] = await db.query<{ public_id: string; status: string }>(
      'select public_id, status from tasks order by id desc limit 1',
    );
    id = row?.public_id ?? '';
    expect(row?.status).toBe('SUBMITTED');
    const before = await relay.account();
    await orphanAll(db, [bootId]);
    expect((await relay.account()).reserved).toBe(0);
    await round();
    await round();
    const after = await relay.account();
    expect(before.quota + before.reserved - after.quota).toBe(MUSIC);
    expect((await relay.logs()).at(-1)).toMatchObject({ type: 2, quota: MUSIC, other: { task_id: id } });
    // Nobody charges it twice, and what fails is given back as ever.
    suno.tell(FAILED);
    await round();
    await round();
    expect(await rowOf(id)).toMatchObject({ refund: 2, refunded: MUSIC });
  });

  it('tells of what an upstream cancelled, and keeps the operator’s account to himself', async () => {
    const spent = await spentBy(async () => {
      const cancelled = await submitted();
      suno.tell({ status: 'CANCEL', progress: '10%' }, (await rowOf(cancelled)).upstream_id);
      const telling = await submitted();
      suno.tell(
        { ...FAILED, fail_reason: `insufficient balance of account acct-1234567890ab, key ${SUNO_KEY}` },
        (await rowOf(telling)).upstream_id,
      );
      await round();
      expect(await task(cancelled)).toMatchObject({
        status: 'FAILURE',
        fail_reason: expect.stringContaining('cancelled'),
      });
      const { status, fail_reason } = await task(telling);
      expect(status).toBe('FAILURE');
      expect(fail_reason).not.toBe('');
      expect(fail_reason).not.toMatch(/balance|acct|sk-/);
      await round();
    });
    expect(spent).toBe(0);
  });

  it('takes no name of a task that is longer than names are', async () => {
    const spent = await spentBy(async () => {
      suno.refuses = Response.json({ code: 'success', message: '', data: 'v'.repeat(5_000) });
      const answer = await submit();
      expect([answer.status, suno.submitted.length]).toEqual([502, 1]);
    });
    expect(spent).toBe(0);
  });

  it('forgets tasks that are older than the log, but of a refund that it was', async () => {
    const { db, options } = relay.api.deps;
    const [done, failed, going] = [await submitted(), await submitted(), await submitted()];
    suno.tell(DONE, (await rowOf(done)).upstream_id);
    suno.tell(FAILED, (await rowOf(failed)).upstream_id);
    await round();
    await round();
    await db.query('update tasks set submit_time = submit_time - 366 * 86400000::bigint');
    await options.set({ 'log.retention_days': '0' });
    const forget = () => forgetOldTasks(relay.api.deps, new AbortController().signal);
    await forget();
    expect(await task(done)).toMatchObject({ data: SONGS });
    await options.set({ 'log.retention_days': '365' });
    await forget();
    const rows = await db.query<{ public_id: string; refunded: number; input: string }>(
      `select public_id, refunded, input::text as input from tasks where public_id in ($1, $2, $3) order by id`,
      [done, failed, going],
    );
    expect(rows).toEqual([
      { public_id: failed, refunded: MUSIC, input: '{}' },
      { public_id: going, refunded: 0, input: expect.stringContaining('rain') },
    ]);
    await db.query(`update tasks set status = 'SUCCESS', submit_time = submit_time + 366 * 86400000::bigint`);
  });

  it('continues a song of his own where it was made, and nobody else’s', async () => {
    const id = await submitted();
    suno.tell(DONE);
    await round();
    const more = { task: 'extend', continue_clip_id: 'clip-1', task_id: id, continue_at: 12 };
    await submitted(more);
    expect(suno.submitted.at(-1)?.body).toMatchObject({ ...more, task_id: (await rowOf(id)).upstream_id });
    const stranger = await relay.addToken({}, await relay.api.createUser({ quota: 1_000_000 }));
    const taken = suno.submitted.length;
    for (const [body, key, code] of [
      [more, stranger, 'task_not_exist'],
      [{ ...more, continue_clip_id: 'clip-9' }, relay.key, 'task_not_exist'],
      [{ ...more, task_id: 'vendor-1' }, relay.key, 'task_not_exist'],
      [{ continue_clip_id: 'clip-1' }, relay.key, 'invalid_request'],
      [{ ...more, task: 'gen_stem', stem_task: 'twelve' }, relay.key, 'invalid_request'],
      [{ prompt: 'x', persona_id: 'of-another' }, relay.key, 'shared_context_refused'],
    ] as const) {
      const answer = await submit(body, 'music', key);
      expect([answer.status, (await answer.json()).code]).toEqual([400, code]);
    }
    expect(suno.submitted.length).toBe(taken);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    [
      'music',
      {
        ...{ vocal_gender: 'f', metadata: { create_mode: 'custom', mashup_clip_ids: ['a', 'b'] } },
        ...{ stem_task: 'twelve', mashup_clip_ids: ['a', 'b'], edited_clip_id: 'a', stem_from_id: 'a' },
      },
      {
        ...{ vocal_gender: 'f', metadata: { create_mode: 'custom' } },
        ...{ mv: 'chirp-v3-0', make_instrumental: false },
      },
      'stem_task, mashup_clip_ids, edited_clip_id, stem_from_id, metadata.mashup_clip_ids',
    ],
    ['lyrics', { mv: 'dear', metadata: { lyrics_model: 'dear' } }, {}, 'mv, metadata'],
  ])(
    'sends up of %s what is known to cost what it costs, and tells the rest',
    async (action, more, up, lost) => {
      const answer = await submit({ prompt: 'rain', ...more }, action);
      expect([answer.status, answer.headers.get('x-gateway-lost')]).toEqual([200, lost]);
      expect(suno.submitted.at(-1)?.body).toEqual({ prompt: 'rain', ...up });
    },
  );

  it('shows nobody another’s task', async () => {
    const id = await submitted();
    const stranger = await relay.addToken({}, await relay.api.createUser({ quota: 1_000_000 }));
    const alone = await call('GET', `/suno/fetch/${id}`, undefined, stranger);
    expect([alone.status, await alone.json()]).toEqual([
      400,
      { code: 'task_not_exist', message: expect.stringContaining('does not exist'), data: null },
    ]);
    const { upstream_id } = await rowOf(id);
    const fetched = async (ids: unknown, key = relay.key) =>
      (await call('POST', '/suno/fetch', { ids } as JsonObject, key)).json();
    expect(await fetched([id, upstream_id, 7], stranger)).toEqual({ code: 'success', message: '', data: [] });
    expect((await fetched([id, upstream_id, "x'; --"])).data).toEqual([
      expect.objectContaining({ task_id: id }),
    ]);
    expect(await fetched([])).toEqual({ code: 'success', message: '', data: [] });
    expect((await fetched('all')).code).toBe('invalid_request');
    const client = await relay.api.as(await relay.api.createUser());
    expect((await client.get(`/api/task/self?task_id=${id}`)).data).toMatchObject({ items: [], total: 0 });
    expect((await client.get(`/api/task/?task_id=${id}`)).status).toBe(403);
  });

  it('plays a song to its owner in the console, from wherever its upstream keeps it', async () => {
    const id = await submitted();
    const here = SONGS.map((song) => ({ ...song, audio_url: `${suno.base}/${String(song.id)}.mp3` }));
    suno.tell({ ...DONE, data: here });
    await round();
    const own = await relay.api.as(relay.user);
    const [item] = (await own.get(`/api/task/self?task_id=${id}`)).data.items;
    const path = `/api/task/${item.id}/content?variant=audio&piece=`;
    const { status, headers, text } = await own.get(`${path}1`);
    expect([status, headers.get('content-type'), text]).toEqual([200, 'audio/mpeg', 'the song /clip-2.mp3']);
    expect(suno.seen.at(-1)?.authorization).toBeNull();
    expect((await own.get(`${path}2`)).code).toBe('video_gone');
  });

  it('lists them to their owner, and to administrators with the channel', async () => {
    const id = await submitted({ prompt: 'listed' });
    suno.tell(DONE);
    await round();
    const own = await relay.api.as(relay.user);
    const { data } = await own.get(`/api/task/self?task_id=${id}`);
    expect(data).toMatchObject({ page: 1, total: 1 });
    expect(data.items[0]).toMatchObject({
      ...{
        task_id: id,
        platform: 'suno',
        action: 'MUSIC',
        status: 'SUCCESS',
        progress: '100%',
        fail_reason: '',
      },
      ...{ quota: MUSIC, refunded: 0, channel_id: 0, user_id: relay.user.id, username: relay.user.username },
      ...{ finish_time: 1_700_000_031, properties: { input: 'listed' }, data: SONGS },
    });
    expect((await own.get(`/api/task/self?task_id=${id}&brief=true`)).data.items[0].data).toBeNull();
    const all = (query: string) => relay.root.get(`/api/task/?task_id=${id}&${query}`);
    expect((await all(`channel_id=${channelId}`)).data.items[0]).toMatchObject({ channel_id: channelId });
    for (const query of [
      `channel_id=${channelId + 99}`,
      'status=FAILURE',
      'action=lyrics',
      'platform=mj',
      'end_timestamp=1600000000',
      'start_timestamp=4000000000',
      'username=nobody',
    ]) {
      expect((await all(query)).data).toMatchObject({ items: [], total: 0 });
    }
    for (const query of [
      'p=0',
      'status=success&action=music&platform=suno',
      `username=${relay.user.username}`,
    ])
      expect((await all(query)).data.total).toBe(1);
  });

  it('lists them by when they were finished, and those that are not at the end', async () => {
    const first = await submitted();
    suno.tell(DONE);
    await round();
    const open = await submitted();
    const own = await relay.api.as(relay.user);
    for (const sort of ['finished', '-finished']) {
      const { items } = (await own.get(`/api/task/self?sort=${sort}&page_size=100`)).data;
      const ids: string[] = items.map(({ task_id }: { task_id: string }) => task_id);
      expect(ids.filter((id) => id === first || id === open)).toEqual([first, open]);
    }
    // Which of them went to one channel is not told their owner, by no order either.
    for (const list of ['task', 'mj']) {
      expect((await own.get(`/api/${list}/self?sort=channel`)).code).toBe('BAD_PARAM');
      expect((await relay.root.get(`/api/${list}/?sort=channel`)).success).toBe(true);
    }
  });

  it('lists no page that is too large, of music as of drawings', async () => {
    const { db } = relay.api.deps;
    const owner = await relay.api.createUser();
    const client = await relay.api.as(owner);
    const lists = { suno: '/api/task/', mj: '/api/mj/' };
    for (const platform of Object.keys(lists)) {
      // What came out of each, and what was asked for, is nearly as long as it may be.
      await db.query(
        `insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, input, hook,
           submit_time, poll_at, status, data)
         select md5($1 || n), $1, 'MUSIC', 'm', $2::bigint, 0, gen_random_uuid(), 0,
           jsonb_build_object('input', repeat('i', 4000)), '', n, 0, 'SUCCESS', jsonb_build_object('text', repeat('d', 60000))
         from generate_series(1, 100) n`,
        [platform, owner.id],
      );
    }
    for (const [platform, path] of Object.entries(lists)) {
      for (const [reader, query] of [
        [client, `${path}self?page_size=100`],
        [relay.root, `${path}?username=${owner.username}&page_size=100`],
      ] as const) {
        expect(await reader.get(query)).toMatchObject({ success: false, code: 'TASKS_LARGE' });
        const { items, total } = (await reader.get(query.replace('=100', '=20'))).data;
        expect([items.length, total]).toEqual([20, 100]);
        if (platform === 'mj') continue;
        expect(items[0].data.text).toHaveLength(60_000);
        // Without what came out of them they are short.
        expect((await reader.get(`${query}&brief=true`)).data.items).toHaveLength(100);
      }
    }
    await db.query(`delete from tasks where user_id = ${owner.id}`);
  });

  it('wants a price a call, and quota for it', async () => {
    await relay.set({ ModelPrice: {}, ModelRatio: { 'gpt-4o': 1, suno_music: 1 } });
    await relay.addChannel({
      name: 'odd',
      type: 36,
      key: `${SUNO_KEY}4`,
      base_url: suno.base,
      models: 'suno_music',
    });
    const unpriced = await submit();
    expect([unpriced.status, (await unpriced.json()).code]).toEqual([400, 'price_not_configured']);
    await relay.set({ ModelPrice: { suno_music: 0.1, suno_lyrics: 0.01 }, ModelRatio: { 'gpt-4o': 1 } });
    const poor = await relay.addToken({ unlimited_quota: false, remain_quota: MUSIC - 1 });
    const refused = await submit({ prompt: 'x' }, 'music', poor);
    expect([refused.status, (await refused.json()).code]).toEqual([403, 'token_quota_exhausted']);
    for (const [body, action] of [
      [{}, 'music'],
      [{ prompt: 7 }, 'music'],
      [{ prompt: ' ' }, 'lyrics'],
    ] as const) {
      const answer = await submit(body, action);
      expect([answer.status, (await answer.json()).code]).toEqual([400, 'invalid_request']);
    }
    expect((await submit({ prompt: 'x' }, 'video')).status).toBe(404);
    expect((await call('GET', '/suno/submit/music')).status).toBe(405);
    expect(suno.submitted).toEqual([]);
  });

  it('bounds how many are under way', async () => {
    const { db } = relay.api.deps;
    const user = await relay.api.createUser({ quota: 1_000_000 });
    const key = await relay.addToken({}, user);
    await db.query(
      `insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, submit_time, poll_at,
         upstream_id, status)
       select md5(i::text), 'suno', 'MUSIC', 'm', $1::bigint, 0, gen_random_uuid(), 0, 9000000000000, 9000000000, 'x', 'SUBMITTED'
       from generate_series(1, ${limits.tasksOpen}) i`,
      [user.id],
    );
    const before = await relay.account(user);
    const answer = await submit({ prompt: 'x' }, 'music', key);
    expect([answer.status, (await answer.json()).code]).toEqual([429, 'too_many_tasks']);
    expect(await relay.account(user)).toEqual(before);
    expect(suno.submitted).toEqual([]);
    await db.query('delete from tasks where user_id = $1', [user.id]);
  });

  it('fails what a process that died had been submitting, once what it held was given back', async () => {
    const { db, billing, bootId } = relay.api.deps;
    const requestId = Bun.randomUUIDv7();
    const publicId = 'f'.repeat(32);
    const spent = await spentBy(async () => {
      await billing.reserve({
        id: requestId,
        userId: relay.user.id,
        tokenId: 0,
        sold: 'suno_music',
        amount: MUSIC,
      });
      const what = {
        platform: 'suno',
        action: 'MUSIC',
        modelName: 'suno_music',
        input: {},
        hook: '',
      } as const;
      await openTask(db, {
        ...what,
        publicId,
        userId: relay.user.id,
        tokenId: 0,
        appId: null,
        requestId,
        quota: MUSIC,
      });
      await round();
      // Its call is still under way, however long that takes.
      const status = async () =>
        (await db.query<{ status: string }>('select status from tasks where public_id = $1', [publicId]))[0]
          ?.status;
      expect(await status()).toBe('');
      await orphanAll(db, [bootId]);
      await round();
      expect(await status()).toBe('FAILURE');
      // A settlement may still come from a spool: it is charged then, and given back.
      expect(await rowOf(publicId)).toMatchObject({ refund: 1, refunded: 0 });
      await billing.settle({
        ...{ id: requestId, charge: MUSIC, type: 2, channelId, modelName: 'suno_music', promptTokens: 0 },
        sold: 'suno_music',
        ...{
          completionTokens: 0,
          useTimeSec: 0,
          isStream: false,
          username: '',
          tokenName: '',
          groupName: 'default',
        },
        ...{ ip: '', content: '', other: {} },
      });
      await round();
      expect(await rowOf(publicId)).toMatchObject({ refund: 2, refunded: MUSIC });
    });
    expect(spent).toBe(0);
  });

  it('is asked after by one process alone', async () => {
    const { deps } = relay.api;
    const [row] = await deps.db.query<{ upstream_id: string }>(
      'select upstream_id from tasks where public_id = $1',
      [await submitted()],
    );
    const others = [1, 2].map(() =>
      startTasks({ ...deps, bootId: crypto.randomUUID() }, createTaskProbe(deps.relay)),
    );
    suno.seen.length = 0;
    await deps.db.query('update tasks set poll_at = 0');
    await Promise.all([engineOf, ...others].map((each) => each.round()));
    // What was seen is counted, not what the rounds say: one that comes by itself may be the one that asks.
    const asked = suno.seen.filter(
      ({ body: { ids } }) => Array.isArray(ids) && ids.includes(row?.upstream_id ?? ''),
    );
    expect(asked).toHaveLength(1);
    for (const each of others) await each.stop();
  });
});
