/** Which channels and keys calls go to: a channel's time that is over, and keys that take turns. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { expireChannels } from '../../src/modules/channel/expiry.ts';
import { disableChannel } from '../../src/modules/channel/health.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

describe('a channel whose time is over', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await openTestRelay('postgres');
  });
  afterAll(() => relay.close());

  const read = async (id: number) => (await relay.root.get(`/api/channel/${id}`)).data;
  const put = (id: number, over: object) => relay.root.put('/api/channel/', { id, ...over });

  it('is not chosen from that second on, is switched off with the reason, and comes back when it is put off', async () => {
    const id = relay.channelId;
    const at = nowSec() + 6;
    expect(await put(id, { expired_time: at })).toMatchObject({ success: true, data: { expired_time: at } });
    expect((await relay.chat()).status).toBe(200);
    while (nowSec() < at) await Bun.sleep(50);
    // Nobody has looked for it yet.
    expect((await relay.chat()).status).toBe(503);
    expect((await read(id)).status).toBe(1);

    expect(await expireChannels(relay.api.deps)).toBe(1);
    expect(await expireChannels(relay.api.deps)).toBe(0);
    const row = await read(id);
    expect(row.status).toBe(3);
    expect(JSON.parse(row.other_info)).toMatchObject({ status_reason: '已过期' });
    expect((await relay.chat()).status).toBe(503);

    // Enabling does not help, by hand, for many or after a good test.
    expect(await put(id, { status: 1 })).toMatchObject({ success: false, code: 'CHANNEL_EXPIRED' });
    await relay.root.post('/api/channel/batch/status', { ids: [id], status: 1 });
    await relay.set({ AutomaticEnableChannelEnabled: true });
    await relay.root.get(`/api/channel/test/${id}`);
    expect((await read(id)).status).toBe(3);
    expect(await put(id, { expired_time: at })).toMatchObject({ success: true });
    expect(await put(id, { expired_time: at - 1 })).toMatchObject({ success: false, code: 'CHANNEL_EXPIRY' });

    expect((await put(id, { expired_time: -1 })).data).toMatchObject({ status: 1, expired_time: -1 });
    expect((await relay.chat()).status).toBe(200);
  });

  it('is no other one whose upstream said the same word', async () => {
    const id = await relay.addChannel({ models: 'x', expired_time: nowSec() + 1_000 });
    expect(
      await disableChannel(relay.api.deps, id, { code: 'said', said: 'expired' }, { isSure: true }),
    ).toBe('disabled');
    expect((await put(id, { expired_time: nowSec() + 2_000 })).data).toMatchObject({ status: 3 });
  });

  it('comes back too where an earlier version noted the bare word, which nobody reads', async () => {
    const id = await relay.addChannel({ models: 'x' });
    await relay.api.deps.db.query(
      `update channels set status = 3, expired_time = 1,
              other_info = '{"status_reason":"expired","status_time":1}' where id = $1`,
      [id],
    );
    expect(JSON.parse((await read(id)).other_info).status_reason).toBe('已过期');
    const { data } = await put(id, { expired_time: -1 });
    expect([data.status, data.other_info]).toEqual([1, '']);
  });

  it('is not made, and 0 is never', async () => {
    const body = { name: 'n', type: 1, key: 'k', models: 'x' };
    expect(await relay.root.post('/api/channel/', { ...body, expired_time: nowSec() - 1 })).toMatchObject({
      code: 'CHANNEL_EXPIRY',
    });
    const id = await relay.addChannel({ models: 'x', expired_time: 0 });
    expect(await read(id)).toMatchObject({ expired_time: -1, status: 1 });
  });
});

describe('the keys of a channel', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await openTestRelay('postgres');
    await relay.root.del(`/api/channel/${relay.channelId}`);
  });
  afterAll(() => relay.close());

  const keys = ['sk-first-0123456789', 'sk-second-0123456789', 'sk-third-0123456789'];
  const asked = () => relay.upstream.chats.map(({ headers }) => String(headers.authorization).slice(7));

  it('take turns where that is wanted, and only there', async () => {
    const id = await relay.addChannel({ key: keys.join('\n'), multi_key_mode: 'polling' });
    expect((await relay.root.get(`/api/channel/${id}`)).data.multi_key_mode).toBe('polling');
    for (let i = 0; i < 9; i++) expect((await relay.chat()).status).toBe(200);
    expect(asked()).toEqual([...keys, ...keys, ...keys]);

    await relay.root.put('/api/channel/', { id, multi_key_mode: 'random' });
    expect((await relay.root.get(`/api/channel/${id}`)).data.multi_key_mode).toBe('random');
    for (let i = 0; i < 30; i++) await relay.chat();
    const later = asked().slice(9);
    expect(new Set(later).size).toBe(3);
    expect(later).not.toEqual(Array.from({ length: 30 }, (_, i) => keys[i % 3] ?? ''));
  });
});
