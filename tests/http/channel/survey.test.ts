import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { fail } from '../../../src/core/errors.ts';
import type { Alert } from '../../../src/modules/alert/service.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

const good = { success: true, reason: null, timeMs: 500 };

describe.each(callEngines)('tests and balances of many channels, on %s', (engine) => {
  let api: TestApi;
  let probe: ScriptedProbe;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    probe = new ScriptedProbe();
    root = channelClient(api, probe, await api.root());
    await api.deps.db.query('delete from channels');
    await api.deps.db.query('delete from jobs');
  });

  const make = async (name: string, over: object = {}): Promise<number> =>
    (await root.post('/api/channel/', channelBody({ name, ...over }))).data.ids[0];
  const read = async (id: number) => (await root.get(`/api/channel/${id}`)).data;
  const progress = async (what = 'test', after = 0) =>
    (await root.get(`/api/channel/${what}/status?after=${after}`)).data;
  const ended = async (what = 'test') => {
    for (;;) {
      const job = await progress(what);
      if (!['running', 'cancelling'].includes(job.state)) return job;
      await Bun.sleep(10);
    }
  };

  it('a test of one takes the wish for a stream', async () => {
    const id = await make('one');
    let wished: boolean | undefined;
    probe.answer = async (_channel, wish) => {
      wished = wish?.stream;
      return good;
    };
    await root.get(`/api/channel/test/${id}?stream=true&model=x`);
    expect(wished).toBe(true);
  });

  describe('GET /api/channel/test', () => {
    it('answers at once, tests every channel in the background, and keeps one result a channel', async () => {
      const ids = [await make('good'), await make('bad'), await make('off')];
      await root.put('/api/channel/', { id: ids[2], status: 2 });
      probe.answer = async ({ name }) =>
        name === 'bad' ? { success: false, reason: { code: 'said', said: 'status 401' }, timeMs: 40 } : good;
      expect((await root.get('/api/channel/test')).data).toEqual({ accepted: true, total: 3 });
      const job = await ended();
      expect(job).toMatchObject({ state: 'done', total: 3, done: 3, failed: 1 });
      const results = [...job.results].sort((a, b) => a.id - b.id);
      expect(results).toMatchObject([
        { id: ids[0], name: 'good', ok: true, message: '', time: 0.5 },
        { id: ids[1], name: 'bad', ok: false, message: '上游的回答：“status 401”', time: 0.04 },
        { id: ids[2], name: 'off', ok: true },
      ]);
      expect((await read(ids[0] ?? 0)).response_time).toBe(500);
      expect((await progress('test', 2)).results).toHaveLength(1);
    });

    it('tests those of a status, or those that are named', async () => {
      const ids = [await make('a'), await make('b'), await make('c')];
      await root.put('/api/channel/', { id: ids[0], status: 2 });
      expect((await root.get('/api/channel/test?status=2')).data.total).toBe(1);
      await ended();
      expect((await root.get(`/api/channel/test?ids=${ids[1]},${ids[2]}`)).data.total).toBe(2);
      await ended();
      expect(probe.tested.map(({ channel }) => channel.name).sort()).toEqual(['a', 'b', 'c']);
      expect(await root.get('/api/channel/test?ids=x')).toMatchObject({ status: 400 });
    });

    it('runs once at a time, tells its progress, and stops when asked', async () => {
      for (const name of 'abcdefgh') await make(name);
      const held: (() => void)[] = [];
      probe.answer = (_channel, wish) =>
        new Promise((resolve) => {
          held.push(() => resolve(good));
          wish?.signal?.addEventListener('abort', () => resolve({ ...good, success: false }));
        });
      await root.get('/api/channel/test');
      while (held.length < 4) await Bun.sleep(5);
      expect(await root.get('/api/channel/test')).toMatchObject({
        success: false,
        code: 'CHANNEL_JOB_RUNNING',
      });
      held[0]?.();
      while ((await progress()).done < 1) await Bun.sleep(5);
      expect(await progress()).toMatchObject({ state: 'running', total: 8, done: 1, failed: 0 });
      // Another process would write the same row.
      expect((await root.post('/api/channel/test/cancel')).data).toBe(true);
      const job = await ended();
      expect(job).toMatchObject({ state: 'cancelled', done: 1, failed: 0 });
      expect(held.length).toBeLessThan(8);
      expect((await root.post('/api/channel/test/cancel')).data).toBe(false);
      probe.answer = async () => good;
      expect((await root.get('/api/channel/test')).success).toBe(true);
      await ended();
    });

    it('a job whose process went away counts as lost and makes room', async () => {
      await make('a');
      await api.deps.db.query(
        `insert into jobs (id, name, state, total, created_at, updated_at) values ('old', 'channel.test', 'running', 9, 1000, 1000)`,
      );
      expect(await progress()).toMatchObject({ state: 'lost', seconds: 0 });
      expect((await root.get('/api/channel/test')).data.total).toBe(1);
      expect(await ended()).toMatchObject({ state: 'done', total: 1 });
    });

    it('tells nothing before the first one', async () => {
      expect(await progress()).toBeNull();
    });
  });

  describe('balances', () => {
    it('GET /api/channel/update_balance/{id} answers the balance beside data, and notes it', async () => {
      const id = await make('a');
      probe.balanceOf = () => 12.5;
      expect(JSON.parse((await root.get(`/api/channel/update_balance/${id}/`)).text)).toEqual({
        success: true,
        message: '',
        balance: 12.5,
      });
      expect(await read(id)).toMatchObject({ balance: 12.5 });
      expect((await read(id)).balance_updated_time).toBeGreaterThan(1_700_000_000);
    });

    it('says where the type does not offer it, and leaves the balance unknown', async () => {
      const id = await make('a');
      probe.balanceOf = () => {
        throw fail('CHANNEL_BALANCE_NONE');
      };
      expect(await root.get(`/api/channel/update_balance/${id}`)).toMatchObject({
        status: 200,
        success: false,
        code: 'CHANNEL_BALANCE_NONE',
      });
      expect((await read(id)).balance_updated_time).toBe(0);
    });

    it('of all run in the background; not offered is no failure', async () => {
      const ids = { full: await make('full'), silent: await make('silent'), broken: await make('broken') };
      probe.balanceOf = ({ key }) => {
        if (key === 'silent') throw fail('CHANNEL_BALANCE_NONE');
        if (key === 'broken')
          throw fail('CHANNEL_BALANCE', { params: { reason: { zh: '状态码 500', en: 'status 500' } } });
        return 3;
      };
      await root.put('/api/channel/', { id: ids.silent, key: 'silent' });
      await root.put('/api/channel/', { id: ids.broken, key: 'broken' });
      expect((await root.get('/api/channel/update_balance')).data).toEqual({ accepted: true, total: 3 });
      const job = await ended('update_balance');
      expect(job).toMatchObject({ state: 'done', done: 3, failed: 1 });
      const by = new Map(job.results.map((result: { name: string }) => [result.name, result]));
      expect(by.get('full')).toMatchObject({ ok: true, balance: 3 });
      expect(by.get('silent')).toMatchObject({ ok: true, offered: false });
      expect(by.get('broken')).toMatchObject({ ok: false, message: '查询余额失败：状态码 500' });
    });

    it('take an enabled channel with an empty account out of service, where that is switched on', async () => {
      const id = await make('empty');
      const kept = await make('kept', { auto_ban: 0 });
      probe.balanceOf = () => 0;
      await root.get('/api/channel/update_balance');
      await ended('update_balance');
      expect((await read(id)).status).toBe(1);
      await api.deps.options.set({ AutomaticDisableChannelEnabled: 'true' });
      const alerts: Alert[] = [];
      api.deps.alerts.send = (alert) => void alerts.push(alert);
      await root.get('/api/channel/update_balance');
      const job = await ended('update_balance');
      await api.deps.options.reset(['AutomaticDisableChannelEnabled']);
      expect(job.results.filter((result: { disabled?: true }) => result.disabled)).toHaveLength(1);
      expect(await read(id)).toMatchObject({ status: 3 });
      expect(alerts).toMatchObject([
        {
          type: 'channel_disabled',
          subject: `channel:${id}`,
          content: { zh: '余额不足', en: 'insufficient balance' },
        },
      ]);
      expect(JSON.parse((await read(id)).other_info).status_reason).toBe('余额不足');
      expect((await read(kept)).status).toBe(1);
    });

    it('take the one key out whose account is empty, and the channel with its last', async () => {
      const id = await make('many', { key: 'sk-empty\nsk-full', multi_key_mode: 'random' });
      await make('other', { auto_ban: 0 });
      probe.balanceOf = ({ key }) => (key === 'sk-empty' ? 0 : 5);
      await api.deps.options.set({ AutomaticDisableChannelEnabled: 'true' });
      for (let n = 0; n < 2; n++) {
        await root.get('/api/channel/update_balance');
        await ended('update_balance');
        expect(await read(id)).toMatchObject({ status: 1, keys_disabled: 1 });
      }
      probe.balanceOf = () => 0;
      await root.get('/api/channel/update_balance');
      await ended('update_balance');
      await api.deps.options.reset(['AutomaticDisableChannelEnabled']);
      expect(await read(id)).toMatchObject({ status: 3, keys_disabled: 2 });
    });
  });
});
