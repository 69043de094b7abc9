/** The view of a channel's keys: which is off and why, never what they are. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { disableChannel, disableKey } from '../../../src/modules/channel/health.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { channelBody } from './support.ts';

describe('the keys of a channel', () => {
  let api: TestApi;
  let admin: Client;
  let id: number;
  const keys = ['sk-first-0123456789', 'sk-second-0123456789', 'short'];
  beforeAll(async () => {
    api = await openApi('postgres');
    admin = await api.as(await api.createUser({ role: 10 }));
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    await api.deps.db.query('delete from channels');
    const body = channelBody({ key: keys.join('\n'), multi_key_mode: 'polling' });
    id = (await admin.post('/api/channel/', body)).data.ids[0];
  });

  const shown = () => admin.get(`/api/channel/${id}/keys`);
  const enable = (ids: number[], channel = id) => admin.post(`/api/channel/${channel}/keys/enable`, { ids });

  it('are shown in order by their ends alone, with what is off and why', async () => {
    const [, second] = (await shown()).data;
    const said = `401 Incorrect API key provided: ${keys[1]}`;
    await disableKey(api.deps, second.id, { code: 'said', said });
    const answer = await shown();
    expect(answer.data).toEqual([
      { id: expect.any(Number), position: 1, hint: 'sk-f…789', status: 1, reason: '', disabled_at: 0 },
      {
        id: second.id,
        position: 2,
        hint: 'sk-s…789',
        status: 3,
        reason: expect.stringContaining('401 Incorrect API key'),
        disabled_at: expect.any(Number),
      },
      { id: expect.any(Number), position: 3, hint: '…', status: 1, reason: '', disabled_at: 0 },
    ]);
    for (const key of keys) expect(answer.text).not.toContain(key);
  });

  it('are put back in use one by one, seen by the next call and written down', async () => {
    const [first, second] = (await shown()).data;
    for (const key of [first, second]) await disableKey(api.deps, key.id, { code: 'said', said: 'r' });
    const routed = () => api.deps.relay.channels.byId(id)?.keys.map(({ value }) => value);
    expect(routed()).toEqual(['short']);
    expect((await enable([second.id])).data).toBe(1);
    expect(routed()).toEqual([keys[1] ?? '', 'short']);
    expect((await enable([second.id])).data).toBe(0);
    const [action] = await api.deps.db.query<{ action: string; detail: object }>(
      'select action, detail from admin_actions order by id desc limit 1',
    );
    expect(action).toEqual({ action: 'channel.keys_enable', detail: { positions: [2] } });
  });

  describe('that are put back in use after the channel went off', () => {
    const status = async (): Promise<number> => (await admin.get(`/api/channel/${id}`)).data.status;
    const isRouted = () => {
      const tiers = api.deps.relay.channels.tiers('default', 'gpt-4o');
      return tiers.some(({ channels }) => channels.some((channel) => channel.id === id));
    };
    const ids = async (): Promise<number[]> => (await shown()).data.map((key: { id: number }) => key.id);
    const allOff = async () => {
      for (const key of await ids())
        await disableKey(api.deps, key, { code: 'said', said: 'r' }, { isSure: true });
      expect([await status(), isRouted()]).toEqual([3, false]);
    };

    it('bring it back where it went off with its last one', async () => {
      await allOff();
      const [, second = 0] = await ids();
      expect((await enable([second])).data).toBe(1);
      expect([await status(), isRouted()]).toEqual([1, true]);
      const row = (await admin.get(`/api/channel/${id}`)).data;
      expect(row).toMatchObject({ keys_disabled: 2, other_info: '' });
    });

    it('do not where it is off for another reason, by hand or for its time', async () => {
      const [first = 0, second = 0] = await ids();
      await disableKey(api.deps, first, { code: 'said', said: 'r' });
      expect(await disableChannel(api.deps, id, { code: 'said', said: 'too slow' }, { isSure: true })).toBe(
        'disabled',
      );
      expect((await enable([first])).data).toBe(1);
      expect(await status()).toBe(3);

      await admin.put('/api/channel/', { id, status: 1 });
      await allOff();
      await admin.put('/api/channel/', { id, status: 2 });
      expect((await enable([second])).data).toBe(1);
      expect(await status()).toBe(2);

      await admin.put('/api/channel/', { id, status: 1 });
      await allOff();
      await api.deps.db.query('update channels set expired_time = 1 where id = $1', [id]);
      expect((await enable([second])).data).toBe(1);
      expect(await status()).toBe(3);
    });
  });

  it('of another channel are none of this one', async () => {
    const other: number = (await admin.post('/api/channel/', channelBody())).data.ids[0];
    const [first] = (await shown()).data;
    await disableKey(api.deps, first.id, { code: 'said', said: 'r' });
    expect((await enable([first.id], other)).data).toBe(0);
    expect((await shown()).data[0].status).toBe(3);
    expect(await enable([first.id], 999_999)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await admin.get('/api/channel/999999/keys')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await enable([])).toMatchObject({ status: 400, code: 'BAD_PARAM' });
  });

  it('come back by no call, whoever asks', async () => {
    const root = await api.root();
    await root.put('/api/channel/', { id, name: 'n', key: 'sk-fresh-0123456789' });
    const secrets = [...keys.slice(0, 2), 'sk-fresh-0123456789'];
    const calls = [
      ['GET', '/api/channel/'],
      ['GET', '/api/channel/?brief=true'],
      ['GET', '/api/channel/?tag_mode=true'],
      ['GET', '/api/channel/search?keyword=n'],
      ['GET', '/api/channel/types'],
      ['GET', `/api/channel/${id}`],
      ['GET', `/api/channel/${id}/keys`],
      ['GET', `/api/channel/${id}/key`],
      ['POST', `/api/channel/${id}/key`],
      ['GET', `/api/channel/test/${id}`],
      ['GET', `/api/channel/fetch_models/${id}`],
      ['GET', `/api/channel/update_balance/${id}`],
      ['POST', `/api/channel/copy/${id}`],
      ['GET', '/api/log/?p=1'],
    ] as const;
    for (const client of [root, admin]) {
      for (const [method, path] of calls) {
        const { text } = await client.call(method, path);
        for (const secret of secrets) expect([path, text.includes(secret)]).toEqual([path, false]);
      }
      const put = await client.put('/api/channel/', { id, name: 'm', key: secrets[2] });
      expect(put.data.key).toBe('');
      expect(put.text).not.toContain('fresh');
    }
    const [actions] = await api.deps.db.query<{ text: string }>(
      `select coalesce(json_agg(a)::text, '') || (select coalesce(json_agg(l)::text, '') from logs l) as text from admin_actions a`,
    );
    for (const secret of secrets) expect(actions?.text).not.toContain(secret);
  });
});
