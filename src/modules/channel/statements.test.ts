import { afterAll, beforeAll, expect, test } from 'bun:test';
import { makeRoot } from '../../../tests/support/accounts.ts';
import { type CountedDatabase, countedDatabase } from '../../../tests/support/statements.ts';
import type { Actor } from '../../core/actor.ts';
import { type Changes, openChanges } from '../../db/changes.ts';
import { openOptions } from '../../options/store.ts';
import { createLogger } from '../../platform/logger.ts';
import { createOutgoing } from '../../platform/outgoing.ts';
import { createSecrets } from '../../platform/secrets.ts';
import { listQuery } from './contract.ts';
import { listChannels } from './list.ts';
import { type ChannelDeps, createChannels, updateChannel } from './service.ts';

const body = { name: 'made', type: 1, models: 'a,b,c', group: 'default,vip' };

let counted: CountedDatabase;
let changes: Changes;
let actor: Actor;
let deps: ChannelDeps;
beforeAll(async () => {
  counted = await countedDatabase();
  actor = await makeRoot(counted.db);
  const log = createLogger('error');
  changes = await openChanges(counted.db, log);
  const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));
  const options = await openOptions(counted.db, changes, secrets, log);
  const outgoing = createOutgoing([]);
  deps = { db: counted.db, changes, secrets, options, outgoing, env: { PRIVATE_EGRESS: [] } };
});
afterAll(async () => {
  await changes.close();
  await counted.db.close();
});

const keys = (n: number) => Array.from({ length: n }, (_, i) => `key-${i}`).join('\n');

test('a page costs as many statements for a hundred channels as for one', async () => {
  const page = listQuery.parse({ page_size: '100' });
  await createChannels(deps, actor, { ...body, key: keys(1) });
  const forOne = await counted.statementsOf(() => listChannels(deps, page, 'zh'));
  await createChannels(deps, actor, { ...body, key: keys(120) });
  const forMany = await counted.statementsOf(() => listChannels(deps, page, 'zh'));
  expect(forMany).toHaveLength(forOne.length);
  expect(forMany).toHaveLength(2);
});

test('making a hundred channels costs as many statements as making one', async () => {
  const forOne = await counted.statementsOf(() => createChannels(deps, actor, { ...body, key: keys(1) }));
  const forMany = await counted.statementsOf(() => createChannels(deps, actor, { ...body, key: keys(100) }));
  expect(forMany).toHaveLength(forOne.length);
});

test('saving reads and writes its own channel; the index only when it repeats what changed', async () => {
  const [id = 0] = await createChannels(deps, actor, { ...body, key: keys(1) });
  const save = (changed: object) =>
    counted.statementsOf(() => updateChannel(deps, actor, { id, ...changed }, 'zh'));
  const nothing = await save({ name: 'made' });
  // The row under its lock, and the answer.
  expect(nothing).toHaveLength(2);
  const renamed = await save({ name: 'renamed' });
  expect(renamed.some((text) => /abilities/.test(text))).toBe(false);
  const rerouted = await save({ models: 'a,b,c,d' });
  // One more than for a new name: the index, by difference.
  expect(rerouted).toHaveLength(renamed.length + 1);
  expect(rerouted.filter((text) => /abilities/.test(text))).toHaveLength(1);
});

test('saving one of many channels writes its own rows and no others', async () => {
  const { db } = counted;
  const models = Array.from({ length: 20 }, (_, i) => `model-${i}`);
  const ids = await createChannels(deps, actor, { ...body, key: keys(200), models: models.join(',') });
  const [id = 0] = ids;
  // Every written row is noted by the database itself.
  await db.script(`
    create table written (name text, channel_id bigint);
    create function note() returns trigger language plpgsql as $$
      begin
        insert into written values (tg_table_name, coalesce(
          (to_jsonb(coalesce(new, old))->>'channel_id')::bigint, (to_jsonb(coalesce(new, old))->>'id')::bigint));
        return null;
      end $$;
    create trigger note after insert or update or delete on channels for each row execute function note();
    create trigger note after insert or update or delete on abilities for each row execute function note();
    create trigger note after insert or update or delete on channel_keys for each row execute function note();`);
  const written = async () => {
    const rows = await db.query<{ name: string; channel_id: number; n: number }>(
      'select name, channel_id, count(*)::int as n from written group by 1, 2 order by 1, 2',
    );
    await db.query('delete from written');
    return rows;
  };
  await updateChannel(deps, actor, { id, name: 'renamed' }, 'zh');
  expect(await written()).toEqual([{ name: 'channels', channel_id: id, n: 1 }]);
  await updateChannel(deps, actor, { id, models: [...models, 'one-more'].join(',') }, 'zh');
  // One new model in two groups.
  expect(await written()).toEqual([
    { name: 'abilities', channel_id: id, n: 2 },
    { name: 'channels', channel_id: id, n: 1 },
  ]);
  await updateChannel(deps, actor, { id, models: models.slice(1).join(',') }, 'zh');
  expect(await written()).toEqual([
    { name: 'abilities', channel_id: id, n: 4 },
    { name: 'channels', channel_id: id, n: 1 },
  ]);
  await updateChannel(deps, actor, { id, priority: 5 }, 'zh');
  expect(await written()).toEqual([
    { name: 'abilities', channel_id: id, n: 38 },
    { name: 'channels', channel_id: id, n: 1 },
  ]);
});
