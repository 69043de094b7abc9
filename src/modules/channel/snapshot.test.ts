import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { makeRoot } from '../../../tests/support/accounts.ts';
import {
  callEngines,
  type Engine,
  freshDatabase,
  freshPostgresUrl,
} from '../../../tests/support/database.ts';
import type { Actor } from '../../core/actor.ts';
import { type Changes, openChanges } from '../../db/changes.ts';
import { type Database, openPostgres } from '../../db/client.ts';
import { type Options, openOptions } from '../../options/store.ts';
import { createLogger } from '../../platform/logger.ts';
import { createOutgoing, type Outgoing } from '../../platform/outgoing.ts';
import { createSecrets, type Secrets } from '../../platform/secrets.ts';
import { disableChannel, disableKey, enableChannel, recordTest } from './health.ts';
import type { Tier } from './model.ts';
import { createChannels, removeChannel, updateChannel } from './service.ts';
import { type ChannelSnapshot, createChannelSnapshot } from './snapshot.ts';

const log = createLogger('error');

interface Process {
  db: Database;
  changes: Changes;
  secrets: Secrets;
  options: Options;
  outgoing: Outgoing;
  env: { PRIVATE_EGRESS: [] };
  channels: ChannelSnapshot;
}

async function startProcess(db: Database): Promise<Process> {
  const changes = await openChanges(db, log);
  const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));
  const channels = await createChannelSnapshot({ db, changes, secrets, log });
  const options = await openOptions(db, changes, secrets, log);
  const outgoing = createOutgoing([], async () => ['93.184.215.14']);
  return { db, changes, secrets, options, outgoing, env: { PRIVATE_EGRESS: [] }, channels };
}

const stop = async (process: Process) => {
  await process.changes.close();
  await process.db.close();
};

const body = (over: object = {}) => ({ name: 'made', type: 1, key: 'k', models: 'gpt-4o', ...over });
const names = (tiers: readonly Tier[]) =>
  tiers.map(({ priority, channels }) => [priority, channels.map((channel) => channel.name)]);

describe.each(callEngines)('the channels in memory, on %s', (engine: Engine) => {
  let here: Process;
  let actor: Actor;
  beforeAll(async () => {
    here = await startProcess(await freshDatabase(engine));
    actor = await makeRoot(here.db);
  });
  afterAll(() => stop(here));
  beforeEach(async () => {
    await here.db.query('delete from channels');
    await here.channels.reload();
  });

  const make = async (over: object = {}): Promise<number> => {
    const [id] = await createChannels(here, actor, body(over));
    if (id === undefined) throw new Error('no channel was made');
    return id;
  };

  test('the very next look-up sees what was saved, opened and typed', async () => {
    const id = await make({
      name: 'whole',
      key: 'one\ntwo',
      multi_key_mode: 'random',
      base_url: 'http://10.0.0.1/',
      openai_organization: 'org',
      other: 'o',
      models: 'a,b',
      group: 'default,vip',
      model_mapping: '{"a":"b","b":"c","x":"x"}',
      status_code_mapping: '{"429":"503"}',
      setting:
        '{"proxy":"http://p:1","thinking_to_content":true,"system_prompt":"s","shared_context":true,"idle_timeout":1.5,"headers":{"X-Team":"7"}}',
      param_override: '{"temperature":0}',
      priority: 3,
      weight: 4,
      auto_ban: 0,
      test_model: 't',
      max_input_tokens: 9,
      tag: 'g',
    });
    const channel = here.channels.byId(id);
    expect(channel).toEqual({
      id,
      type: 1,
      name: 'whole',
      status: 1,
      baseUrl: 'http://10.0.0.1',
      privateAllowed: true,
      organization: 'org',
      other: 'o',
      keys: [
        { id: expect.any(Number), value: 'one' },
        { id: expect.any(Number), value: 'two' },
      ],
      keyMode: 'random',
      expiresAt: -1,
      models: ['a', 'b'],
      groups: ['default', 'vip'],
      modelMapping: { a: 'c', b: 'c', x: 'x' },
      statusCodeMapping: { 429: 503 },
      setting: {
        proxy: 'http://p:1',
        forceFormat: false,
        thinkingToContent: true,
        systemPrompt: 's',
        systemPromptOverride: false,
        allowSurcharges: false,
        sharedContext: true,
        deadlines: { connectMs: undefined, firstContentMs: undefined, idleMs: 1500, totalMs: undefined },
        headers: { 'x-team': '7' },
      },
      paramOverride: { temperature: 0 },
      priority: 3,
      weight: 4,
      autoBan: false,
      maxInputTokens: 9,
      testModel: 't',
      tag: 'g',
    });
    await updateChannel(here, actor, { id, name: 'renamed' }, 'zh');
    expect(here.channels.byId(id)?.name).toBe('renamed');
    await removeChannel(here, actor, id);
    expect(here.channels.byId(id)).toBeUndefined();
    expect(here.channels.tiers('default', 'a')).toEqual([]);
  });

  test('tiers hold the enabled channels of a group and model, highest priority first', async () => {
    await make({ name: 'low', priority: -5 });
    await make({ name: 'high', priority: 10 });
    await make({ name: 'also high', priority: 10, models: 'gpt-4o,o3', group: 'default,vip' });
    const off = await make({ name: 'off', priority: 99, models: 'gpt-4o,dead' });
    await updateChannel(here, actor, { id: off, status: 2 }, 'zh');
    const { channels } = here;
    expect(names(channels.tiers('default', 'gpt-4o'))).toEqual([
      [10, ['high', 'also high']],
      [-5, ['low']],
    ]);
    expect(names(channels.tiers('vip', 'gpt-4o'))).toEqual([[10, ['also high']]]);
    expect(channels.tiers('vip', 'dead')).toEqual([]);
    expect(channels.tiers('nowhere', 'gpt-4o')).toEqual([]);
    expect(channels.models('default')).toEqual(['gpt-4o', 'o3']);
    expect(channels.models('vip')).toEqual(['gpt-4o', 'o3']);
    expect(channels.groupsOf('o3').toSorted()).toEqual(['default', 'vip']);
    expect(channels.groupsOf('dead')).toEqual([]);
    expect([channels.knows('dead'), channels.knows('never')]).toEqual([true, false]);
    expect(channels.byId(off)?.status).toBe(2);
    expect(channels.all()).toHaveLength(4);
  });

  test('says the same as the index in the database', async () => {
    for (let i = 0; i < 12; i++) {
      const id = await make({
        name: `c${i}`,
        models: `m${i % 3},m${i % 5}`,
        group: i % 2 ? 'default' : 'default,vip',
        priority: i % 4,
        weight: i,
      });
      if (i % 4 === 0) await updateChannel(here, actor, { id, status: 2 }, 'zh');
    }
    const index = await here.db.query<Record<string, unknown>>(
      'select group_name, model_name, channel_id, priority, weight from abilities where enabled order by 1, 2, 3',
    );
    const routes = ['default', 'vip'].flatMap((group) =>
      here.channels.models(group).flatMap((model) =>
        here.channels
          .tiers(group, model)
          .flatMap(({ channels }) => channels)
          .map(({ id, priority, weight }) => ({
            group_name: group,
            model_name: model,
            channel_id: id,
            priority,
            weight,
          }))
          .toSorted((a, b) => a.channel_id - b.channel_id),
      ),
    );
    expect([...index]).toEqual(routes);
  });

  test('a key that cannot be opened is left out and takes nothing else down', async () => {
    const [bad, good] = [await make({ name: 'bad' }), await make({ name: 'good' })];
    await here.db.query(`update channel_keys set sealed = 'xxxxxx.AAAA' where channel_id = ${bad}`);
    await here.channels.reload();
    expect(here.channels.byId(bad)?.keys).toEqual([]);
    expect(here.channels.byId(good)?.keys).toHaveLength(1);
  });

  test('a key that was stored before one could search for keys is found after a start', async () => {
    const id = await make({ key: 'old-key' });
    const look = () => here.db.query<{ key_lookup: string | null }>('select key_lookup from channel_keys');
    const [made] = await look();
    await here.db.query(`update channel_keys set key_lookup = null where channel_id = ${id}`);
    await createChannelSnapshot({ ...here, log });
    expect(made?.key_lookup).toBe(here.secrets.lookup('old-key'));
    expect(await look()).toEqual([{ key_lookup: made?.key_lookup ?? null }]);
  });

  test('a burst of changes ends with the last one in memory', async () => {
    const id = await make();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => updateChannel(here, actor, { id, tag: `t${i}`, weight: i }, 'zh')),
    );
    const [row] = await here.db.query<{ tag: string }>(`select tag from channels where id = ${id}`);
    expect(here.channels.byId(id)?.tag).toBe(row?.tag ?? '');
  });

  describe('health', () => {
    const row = async (id: number) => {
      const [found] = await here.db.query<Record<string, unknown>>(`select * from channels where id = ${id}`);
      return found;
    };

    test('a disabled channel leaves the routes at once, with its reason, without what looks like a key', async () => {
      const [id, other] = [await make(), await make({ name: 'other' })];
      expect(
        await disableChannel(here, id, { code: 'said', said: 'refused: Bearer sk-abcdefghijklmnop' }),
      ).toBe('disabled');
      expect(names(here.channels.tiers('default', 'gpt-4o'))).toEqual([[0, ['other']]]);
      expect(here.channels.byId(other)?.status).toBe(1);
      expect(here.channels.byId(id)?.status).toBe(3);
      const info = (await row(id))?.other_info as {
        status_reason: { code: string; said: string };
        status_time: number;
      };
      expect(info.status_reason.said).toStartWith('refused: ');
      expect(info.status_reason.said).not.toContain('abcdefgh');
      expect(info.status_time).toBeGreaterThan(1_700_000_000);
      const enabled = await here.db.query(`select 1 from abilities where channel_id = ${id} and enabled`);
      expect([...enabled]).toEqual([]);
    });

    test('a channel that an operator disabled stays as he left it', async () => {
      const id = await make();
      await updateChannel(here, actor, { id, status: 2 }, 'zh');
      expect(await disableChannel(here, id, { code: 'said', said: 'late' })).toBe('unchanged');
      expect(await enableChannel(here, id)).toBe(false);
      expect(await row(id)).toMatchObject({ status: 2, other_info: {} });
    });

    test('a disabled key is used no more; with the last one the channel goes too', async () => {
      await make({ name: 'other' });
      const id = await make({ key: 'a\nb', multi_key_mode: 'random' });
      const [a, b] = here.channels.byId(id)?.keys ?? [];
      expect(await disableKey(here, a?.id ?? 0, { code: 'said', said: 'r' })).toEqual({
        key: 'disabled',
        channel: 'unchanged',
      });
      expect(here.channels.byId(id)?.keys).toEqual(b ? [b] : []);
      expect(await disableKey(here, a?.id ?? 0, { code: 'said', said: 'r' })).toEqual({
        key: 'unchanged',
        channel: 'unchanged',
      });
      expect(await disableKey(here, b?.id ?? 0, { code: 'said', said: 'r' })).toEqual({
        key: 'disabled',
        channel: 'disabled',
      });
      expect(here.channels.byId(id)).toMatchObject({ status: 3, keys: [] });
      expect(await enableChannel(here, id)).toBe(true);
      expect(here.channels.byId(id)).toMatchObject({ status: 1, keys: [{ value: 'a' }, { value: 'b' }] });
      expect(await row(id)).toMatchObject({ other_info: {} });
    });

    test('two keys that are refused at once take their channel down once', async () => {
      await make({ name: 'other' });
      const id = await make({ key: 'a\nb', multi_key_mode: 'random' });
      const keys = here.channels.byId(id)?.keys ?? [];
      const results = await Promise.all(
        keys.map((key) => disableKey(here, key.id, { code: 'said', said: 'r' })),
      );
      expect(results.map(({ key }) => key)).toEqual(['disabled', 'disabled']);
      expect(results.filter(({ channel }) => channel === 'disabled')).toHaveLength(1);
    });

    test('the last channel of a group and model is never disabled, nor is its last key', async () => {
      const id = await make({ models: 'gpt-4o,shared' });
      await make({ models: 'shared' });
      await make({ group: 'vip' });
      expect(await disableChannel(here, id, { code: 'said', said: 'r' })).toBe('last');
      const [key] = here.channels.byId(id)?.keys ?? [];
      expect(await disableKey(here, key?.id ?? 0, { code: 'said', said: 'r' })).toEqual({
        key: 'last',
        channel: 'last',
      });
      expect(here.channels.byId(id)).toMatchObject({ status: 1, keys: [key] });
      await make();
      expect(await disableChannel(here, id, { code: 'said', said: 'r' })).toBe('disabled');
    });

    test('of the last two channels that fail at once one stays', async () => {
      const ids = [await make(), await make(), await make()];
      const results = await Promise.all(
        ids.map((id) => disableChannel(here, id, { code: 'said', said: 'r' })),
      );
      expect(results.toSorted()).toEqual(['disabled', 'disabled', 'last']);
    });

    test('the time of a test is noted', async () => {
      const id = await make();
      await recordTest(here, id, { ms: 321.6, model: 'gpt-4o' });
      expect(await row(id)).toMatchObject({ response_time: 322 });
    });
  });
});

test('another process hears of a change', async () => {
  const url = await freshPostgresUrl();
  const here = await startProcess(await openPostgres(url));
  const there = await startProcess(await openPostgres(url));
  const heard = new Promise<void>((resolve) => {
    // Registered after the snapshot's own: it runs when that has loaded.
    there.changes.on('channels', () => resolve());
  });
  await createChannels(here, await makeRoot(here.db), body());
  await heard;
  expect(names(there.channels.tiers('default', 'gpt-4o'))).toEqual([[0, ['made']]]);
  await stop(here);
  await stop(there);
});
