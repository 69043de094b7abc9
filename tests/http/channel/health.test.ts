import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createHmac } from 'node:crypto';
import { probeAfterSec } from '../../../src/core/probe-times.ts';
import type { Rounds } from '../../../src/jobs/rounds.ts';
import type { Alert } from '../../../src/modules/alert/service.ts';
import { createAlerts } from '../../../src/modules/alert/service.ts';
import { disableChannel } from '../../../src/modules/channel/health.ts';
import type { TestResult } from '../../../src/modules/channel/test-result.ts';
import { startWatch } from '../../../src/modules/channel/watch.ts';
import type { OptionKey } from '../../../src/options/registry.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

const good: TestResult = { success: true, reason: null, timeMs: 500 };
const slow: TestResult = { success: true, reason: null, timeMs: 7_000 };
const failing: TestResult = { success: false, reason: { code: 'said', said: 'status 500' }, timeMs: 20 };
const MINUTE = 60;

describe.each(callEngines)('the health of channels, on %s', (engine) => {
  let api: TestApi;
  let probe: ScriptedProbe;
  let root: Client;
  let watch: Rounds;
  let alerts: Alert[];

  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    probe = new ScriptedProbe();
    probe.result = good;
    root = channelClient(api, probe, await api.root());
    root.headers['accept-language'] = 'en';
    alerts = [];
    api.deps.alerts.send = (alert) => void alerts.push(alert);
    watch = startWatch(api.deps, probe);
    await api.deps.db.query('delete from channels');
    await api.deps.db.query('delete from jobs');
    await api.deps.options.reset([
      'AutomaticDisableChannelEnabled',
      'AutomaticEnableChannelEnabled',
      'AutomaticDisableKeywords',
      'ChannelDisableThreshold',
      'monitor_setting.enabled',
    ]);
  });

  afterEach(() => watch.stop());

  const set = (values: Partial<Record<OptionKey, string>>) => api.deps.options.set(values);
  const make = async (name: string, over: object = {}): Promise<number> =>
    (await root.post('/api/channel/', channelBody({ name, ...over }))).data.ids[0];
  const read = async (id: number) => (await root.get(`/api/channel/${id}`)).data;
  const statusOf = async (id: number): Promise<number> => (await read(id)).status;
  const reasonOf = async (id: number): Promise<string> =>
    JSON.parse((await read(id)).other_info).status_reason;
  /** As if so much time had passed for the channel. */
  const age = (id: number, seconds: number) =>
    api.deps.db.query(
      `update channels set test_time = test_time - $2, other_info = other_info
         || jsonb_strip_nulls(jsonb_build_object('status_time', (other_info->>'status_time')::bigint - $2,
                                                 'probed_at', (other_info->>'probed_at')::bigint - $2)) where id = $1`,
      [id, seconds],
    );
  /** One test of all channels, with this outcome for one of them. */
  const testAll = async (id: number, result: TestResult) => {
    probe.answer = async (channel) => (channel.id === id ? result : good);
    await root.get('/api/channel/test');
    while (['running', 'cancelling'].includes((await root.get('/api/channel/test/status')).data.state)) {
      await Bun.sleep(5);
    }
  };

  describe('a channel may be auto-disabled on response time above ChannelDisableThreshold', () => {
    it('in two of three tests, and not after one', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const [id] = [await make('slow'), await make('other')];
      await testAll(id, slow);
      expect(await statusOf(id)).toBe(1);
      await testAll(id, good);
      await testAll(id, slow);
      expect(await statusOf(id)).toBe(3);
      expect(await reasonOf(id)).toBe('too slow: 7.0 s');
      expect(alerts).toMatchObject([{ type: 'channel_disabled', subject: `channel:${id}` }]);
      expect(alerts[0]?.title.en).toContain(`slow (#${id})`);
    });

    it('but not by two that lie further apart, and not below the threshold', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const [id] = [await make('slow'), await make('other')];
      for (const result of [slow, good, good, slow]) await testAll(id, result);
      expect(await statusOf(id)).toBe(1);
      await set({ ChannelDisableThreshold: '8' });
      for (let n = 0; n < 3; n++) await testAll(id, slow);
      expect(await statusOf(id)).toBe(1);
    });

    it('only where the option and the channel itself allow it', async () => {
      const [id, exempt] = [await make('slow'), await make('exempt', { auto_ban: 0 }), await make('other')];
      for (let n = 0; n < 3; n++) await testAll(id, slow);
      expect(await statusOf(id)).toBe(1);
      await set({ AutomaticDisableChannelEnabled: 'true' });
      for (let n = 0; n < 3; n++) await testAll(exempt, slow);
      expect(await statusOf(exempt)).toBe(1);
    });
  });

  describe('a channel may be auto-disabled on failure', () => {
    it('of two tests in three', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const [id] = [await make('dead'), await make('other')];
      await testAll(id, failing);
      expect(await statusOf(id)).toBe(1);
      await testAll(id, failing);
      expect([await statusOf(id), await reasonOf(id)]).toEqual([3, 'status 500']);
    });

    it('but not by tests that an operator makes by hand, nor where no test is known', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const [id] = [await make('dead'), await make('other')];
      probe.result = failing;
      for (let n = 0; n < 3; n++) await root.get(`/api/channel/test/${id}`);
      const untested: TestResult = {
        success: false,
        untested: true,
        reason: { code: 'said', said: 'not tested' },
        timeMs: 0,
      };
      for (let n = 0; n < 3; n++) await testAll(id, untested);
      expect(await statusOf(id)).toBe(1);
    });

    it('at once, and though it is the last, when its key was refused for good', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const id = await make('last', { models: 'gpt-4o,only-here' });
      await make('other');
      await testAll(id, { ...failing, reason: { code: 'said', said: '401: no such key' }, isKeyDead: true });
      expect([await statusOf(id), await reasonOf(id)]).toEqual([3, '401: no such key']);
    });

    it('key by key where the key is to blame, and goes off with its last one', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true', AutomaticDisableKeywords: 'frozen' });
      const key = ['sk-a', 'sk-b', 'sk-c', 'sk-d'].join('\n');
      const [id] = [await make('many', { key, multi_key_mode: 'random' }), await make('other')];
      const off = async () => {
        const keys: { status: number; reason: string }[] = (await root.get(`/api/channel/${id}/keys`)).data;
        return keys.map(({ status, reason }) => (status === 1 ? '' : reason));
      };
      await testAll(id, { ...failing, reason: { code: 'said', said: '401: no such key' }, isKeyDead: true });
      expect([await statusOf(id), ...(await off())]).toEqual([1, '401: no such key', '', '', '']);
      expect(alerts).toEqual([]);
      await testAll(id, { ...failing, reason: { code: 'said', said: 'it is frozen' } });
      expect([await statusOf(id), ...(await off())]).toEqual([1, '401: no such key', 'it is frozen', '', '']);
      // Neither for good: what counts are two tests of one key.
      const refused: TestResult = {
        ...failing,
        reason: { code: 'said', said: 'status 403' },
        isKeysFault: true,
      };
      await testAll(id, refused);
      expect((await off())[2]).toBe('');
      await testAll(id, refused);
      expect([await statusOf(id), ...(await off())]).toEqual([
        1,
        '401: no such key',
        'it is frozen',
        'status 403',
        '',
      ]);
      await testAll(id, refused);
      expect([await statusOf(id), (await off())[3]]).toEqual([1, '']);
      await testAll(id, refused);
      expect([await statusOf(id), (await off())[3], await reasonOf(id)]).toEqual([
        3,
        'status 403',
        'status 403',
      ]);
      expect(alerts).toMatchObject([{ type: 'channel_disabled', subject: `channel:${id}` }]);
    });

    it('as a whole where no key is to blame', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const [id] = [await make('many', { key: 'sk-a\nsk-b', multi_key_mode: 'random' }), await make('other')];
      for (let n = 0; n < 2; n++) await testAll(id, failing);
      expect([await statusOf(id), (await read(id)).keys_disabled]).toEqual([3, 0]);
    });

    it('but never when it is the last of a group and model: root is told instead', async () => {
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const id = await make('last', { models: 'gpt-4o,only-here' });
      await make('other');
      for (let n = 0; n < 2; n++) await testAll(id, failing);
      expect(await statusOf(id)).toBe(1);
      expect(alerts).toMatchObject([{ type: 'channel_last', content: { en: 'status 500' } }]);
    });
  });

  it('a channel may be auto-disabled on matching AutomaticDisableKeywords, whatever their case, at once', async () => {
    await set({
      AutomaticDisableChannelEnabled: 'true',
      AutomaticDisableKeywords: 'first words\nAccount (frozen)',
    });
    const [id] = [await make('frozen'), await make('other')];
    await testAll(id, { ...failing, reason: { code: 'said', said: 'your account (FROZEN) is' } });
    expect(await statusOf(id)).toBe(3);
  });

  describe('a channel may be auto-enabled on success when that option is on', () => {
    const disabled = async () => {
      const [id] = [await make('off'), await make('other')];
      expect(await disableChannel(api.deps, id, { code: 'said', said: 'reason' })).toBe('disabled');
      return id;
    };

    it('by a test, and not when it is off', async () => {
      const id = await disabled();
      await root.get(`/api/channel/test/${id}`);
      expect(await statusOf(id)).toBe(3);
      await set({ AutomaticEnableChannelEnabled: 'true' });
      await root.get(`/api/channel/test/${id}`);
      expect(await statusOf(id)).toBe(1);
      expect(alerts).toMatchObject([{ type: 'channel_enabled', subject: `channel:${id}` }]);
    });

    it('by probes, the first after five minutes and then less and less often', async () => {
      await set({ AutomaticEnableChannelEnabled: 'true' });
      const id = await disabled();
      probe.result = failing;
      expect(await watch.round()).toBe(0);
      for (const minutes of [5, 15, 60, 360, 1_440, 1_440]) {
        await age(id, minutes * MINUTE - 5);
        expect(await watch.round()).toBe(0);
        await age(id, 5);
        expect(await watch.round()).toBe(1);
      }
      probe.result = good;
      await age(id, probeAfterSec(6));
      expect(await watch.round()).toBe(1);
      expect(await statusOf(id)).toBe(1);
      expect(JSON.parse((await read(id)).other_info)).toEqual({ passed_test: { model: 'gpt-4o' } });
    });

    it('by whichever of its keys is well again', async () => {
      await set({ AutomaticEnableChannelEnabled: 'true' });
      const key = Array.from({ length: 5 }, (_, n) => `sk-${n}`).join('\n');
      const [id] = [await make('many', { key, multi_key_mode: 'random' }), await make('other')];
      await api.deps.db.query('update channel_keys set status = 3 where channel_id = $1', [id]);
      await api.deps.db.query('update channels set status = 3 where id = $1', [id]);
      const dead: TestResult = { ...failing, isKeyDead: true, isKeysFault: true };
      probe.answer = async ({ keys }) => (keys[0]?.value === 'sk-3' ? good : dead);
      await root.get(`/api/channel/test/${id}`);
      expect(probe.tested.map(({ channel }) => channel.keys[0]?.value)).toEqual([
        'sk-0',
        'sk-1',
        'sk-2',
        'sk-3',
      ]);
      expect(await statusOf(id)).toBe(1);
    });

    it('but asks no other key where none is to blame', async () => {
      await set({ AutomaticEnableChannelEnabled: 'true' });
      const id = await make('many', { key: 'sk-a\nsk-b', multi_key_mode: 'random' });
      await api.deps.db.query('update channels set status = 3 where id = $1', [id]);
      probe.answer = async () => failing;
      await root.get(`/api/channel/test/${id}`);
      expect([probe.tested.length, await statusOf(id)]).toEqual([1, 3]);
    });

    it('but asks no more than ten of many keys in one test', async () => {
      const key = Array.from({ length: 40 }, (_, n) => `sk-${n}`).join('\n');
      const id = await make('many', { key, multi_key_mode: 'random' });
      await api.deps.db.query('update channels set status = 3 where id = $1', [id]);
      probe.answer = async () => ({ ...failing, isKeysFault: true });
      await root.get(`/api/channel/test/${id}`);
      expect(new Set(probe.tested.map(({ channel }) => channel.keys[0]?.value)).size).toBe(10);
    });

    it('but not one that an operator has disabled, and not while it is too slow', async () => {
      await set({ AutomaticEnableChannelEnabled: 'true' });
      const id = await make('by hand');
      await root.put('/api/channel/', { id, status: 2 });
      const late = await disabled();
      await age(late, 5 * MINUTE);
      probe.result = slow;
      expect(await watch.round()).toBe(1);
      expect([await statusOf(id), await statusOf(late)]).toEqual([2, 3]);
    });
  });

  describe('scheduled tests', () => {
    const on = () => set({ 'monitor_setting.enabled': 'true', 'monitor_setting.minutes': '10' });

    it('are made when their time has come, of enabled channels that have answered no call meanwhile', async () => {
      await on();
      const [idle, busy, off] = [await make('idle'), await make('busy'), await make('off')];
      await root.put('/api/channel/', { id: off, status: 2 });
      await api.deps.db.query(
        `insert into logs (user_id, created_at, type, channel_id, request_id)
         values (1, extract(epoch from now())::bigint, 2, $1, $2)`,
        [busy, crypto.randomUUID()],
      );
      expect(await watch.round()).toBe(1);
      expect(probe.tested.map(({ channel }) => channel.id)).toEqual([idle]);
      expect(await watch.round()).toBe(0);
      await age(idle, 10 * MINUTE);
      expect(await watch.round()).toBe(1);
    });

    it('look again after a minute where a test was bad', async () => {
      await on();
      await set({ AutomaticDisableChannelEnabled: 'true' });
      const [id] = [await make('dead'), await make('other')];
      probe.answer = async (channel) => (channel.id === id ? failing : good);
      expect(await watch.round()).toBe(2);
      expect(await watch.round()).toBe(0);
      await age(id, MINUTE);
      expect(await watch.round()).toBe(1);
      expect(await statusOf(id)).toBe(3);
    });

    it('are made by one process of several', async () => {
      await on();
      for (let n = 0; n < 8; n++) await make(`c${n}`);
      const held = Promise.withResolvers<TestResult>();
      probe.answer = () => held.promise;
      const other = startWatch({ ...api.deps, bootId: crypto.randomUUID() }, probe);
      const first = watch.round();
      while (probe.tested.length === 0) await Bun.sleep(5);
      expect(await other.round()).toBe(0);
      held.resolve(good);
      expect(await first).toBe(8);
      expect(await other.round()).toBe(0);
      await other.stop();
    });
  });
});

describe('alerts', () => {
  it('of more subjects than are remembered the oldest is told of again', async () => {
    const api = await openApi('postgres');
    let told: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { title } = (await request.json()) as { title: string };
        told.push(title);
        return new Response(null, { status: 204 });
      },
    });
    await api.deps.options.set({ AlertWebhookUrl: `http://127.0.0.1:${server.port}/hook` });
    const alerts = createAlerts({ ...api.deps, outgoing: api.deps.relay.outgoing }, [0], 2);
    const send = (subject: string) =>
      alerts.send({
        type: 'channel_disabled',
        subject,
        title: { zh: subject, en: subject },
        content: null,
      });
    for (const subject of ['a', 'b', 'c']) send(subject);
    while (told.length < 3) await Bun.sleep(5);
    told = [];
    for (const subject of ['c', 'b', 'a']) send(subject);
    while (told.length < 1) await Bun.sleep(5);
    expect(told).toEqual(['a']);
    await server.stop(true);
    await api.close();
  });

  it('go to the webhook with its secret, signed, again when it fails, and each subject once an hour', async () => {
    const api = await openApi('postgres');
    const came: { headers: Headers; body: string }[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        came.push({ headers: request.headers, body: await request.text() });
        return new Response(null, { status: came.length === 1 ? 503 : 204 });
      },
    });
    const alerts = createAlerts({ ...api.deps, outgoing: api.deps.relay.outgoing }, [0, 5, 5]);
    const alert: Alert = {
      type: 'channel_disabled',
      subject: 'channel:1',
      title: { zh: 'gone', en: 'gone' },
      content: { zh: 'why', en: 'why' },
    };
    alerts.send(alert);
    await api.deps.options.set({
      AlertWebhookUrl: `http://127.0.0.1:${server.port}/hook`,
      AlertWebhookSecret: 'a-secret',
    });
    alerts.send(alert);
    alerts.send(alert);
    while (came.length < 2) await Bun.sleep(5);
    alerts.send({ ...alert, subject: 'channel:2' });
    while (came.length < 3) await Bun.sleep(5);
    const [first, second, third] = came;
    expect(JSON.parse(first?.body ?? '')).toEqual({
      type: 'channel_disabled',
      title: 'gone',
      content: 'why',
      values: [],
      timestamp: expect.any(Number),
    });
    expect(second?.body).toBe(first?.body ?? '');
    expect(second?.headers.get('x-webhook-id')).toBe(first?.headers.get('x-webhook-id') ?? '');
    expect(third?.headers.get('x-webhook-id')).not.toBe(first?.headers.get('x-webhook-id') ?? '');
    expect(first?.headers.get('authorization')).toBe('Bearer a-secret');
    const signature = createHmac('sha256', 'a-secret')
      .update(first?.body ?? '')
      .digest('hex');
    expect(first?.headers.get('x-webhook-signature')).toBe(signature);
    await server.stop(true);
    await api.close();
  });

  it('go to the mailbox of the options too, when mail is set up', async () => {
    const [api, server] = await Promise.all([openApi('postgres'), startMailServer()]);
    const alert: Alert = {
      type: 'channel_disabled',
      subject: 'channel:1',
      title: { zh: 'gone', en: 'gone' },
      content: { zh: 'why', en: 'why' },
    };
    await api.deps.options.set({ AlertEmail: 'ops@example.com' });
    api.deps.alerts.send(alert);
    await api.deps.options.set({ SMTPServer: '127.0.0.1', SMTPPort: String(server.port) });
    api.deps.alerts.send(alert);
    api.deps.alerts.send(alert);
    api.deps.alerts.send({ ...alert, subject: 'channel:2', content: null });
    // The two go side by side.
    const mails = [await server.nth(1), await server.nth(2)];
    for (const { recipients, subject } of mails)
      expect([recipients, subject]).toEqual([['ops@example.com'], '[Tollgate] gone']);
    expect(mails.map(({ text }) => text?.trim()).sort()).toEqual(['gone', 'gone\n\nwhy']);
    await server.close();
    await api.close();
  });
});
