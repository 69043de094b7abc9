import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { engines, freshDatabase, freshPostgresUrl } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { openChanges } from '../db/changes.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { createLogger } from '../platform/logger.ts';
import { createSecrets } from '../platform/secrets.ts';
import { openOptions } from './store.ts';

const secrets = createSecrets(Buffer.alloc(32, 7).toString('base64'));

/** A process's view of the options, with the lines that it logged. */
async function openStore(db: Database) {
  const lines: string[] = [];
  const log = createLogger('error', (line) => lines.push(line));
  const changes = await openChanges(db, log);
  return { options: await openOptions(db, changes, secrets, log), changes, lines };
}

const until = async (what: () => boolean, ms: number) => {
  const end = performance.now() + patience(ms);
  while (!what() && performance.now() < end) await Bun.sleep(5);
  return what();
};

describe.each(engines)('the options on %s', (engine) => {
  let db: Database;
  let store: Awaited<ReturnType<typeof openStore>>;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    store = await openStore(db);
  });
  afterAll(async () => {
    await store.changes.close();
    await db.close();
  });

  it('are their defaults until set, then what was set, then defaults again', async () => {
    expect(store.options.get('RetryTimes')).toBe(2);
    expect(store.options.isSet('RetryTimes')).toBe(false);
    await store.options.set({ RetryTimes: '5' });
    expect(store.options.get('RetryTimes')).toBe(5);
    expect(store.options.isSet('RetryTimes')).toBe(true);
    await store.options.reset(['RetryTimes']);
    expect(store.options.get('RetryTimes')).toBe(2);
  });

  it('keep the operator’s own text of a JSON option', async () => {
    await store.options.set({ ModelRatio: '{ "gpt-4o": 1.250 }' });
    expect(store.options.text('ModelRatio')).toBe('{ "gpt-4o": 1.250 }');
    expect(store.options.get('ModelRatio')).toEqual({ 'gpt-4o': 1.25 });
  });

  it('refuse a bad value and store none of the call', async () => {
    await store.options.set({ RetryTimes: '3' });
    await expect(store.options.set({ Price: '6.9', RetryTimes: '99' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    expect(store.options.get('RetryTimes')).toBe(3);
    expect(store.options.isSet('Price')).toBe(false);
  });

  it('undo the change when what is written with it fails', async () => {
    await expect(
      store.options.set({ Price: '6.5' }, async () => {
        throw new Error('no room');
      }),
    ).rejects.toThrow('no room');
    expect(store.options.isSet('Price')).toBe(false);
  });

  it('seal secrets at rest', async () => {
    await store.options.set({ SMTPToken: 'hunter2-hunter2' });
    expect(store.options.get('SMTPToken')).toBe('hunter2-hunter2');
    const [row] = await db.query<{ value: string }>(`select value from options where key = 'SMTPToken'`);
    expect(row?.value).not.toContain('hunter2');
  });

  it('keep the last good value when a stored one has gone bad, and say so', async () => {
    await store.options.set({ QuotaForNewUser: '70' });
    await db.query(`update options set value = 'lots' where key = 'QuotaForNewUser'`);
    await store.options.set({ RetryTimes: '4' });
    expect(store.options.get('QuotaForNewUser')).toBe(70);
    expect(store.lines.join()).toContain('QuotaForNewUser');
    const restarted = await openStore(db);
    expect(restarted.options.get('QuotaForNewUser')).toBe(0);
    await restarted.changes.close();
  });

  it('leave rows alone whose key this version does not know', async () => {
    await db.query(`insert into options (key, value) values ('FromTheFuture', '1')`);
    await store.options.set({ RetryTimes: '1' });
    expect(await db.query(`select value from options where key = 'FromTheFuture'`)).toEqual([{ value: '1' }]);
  });
});

describe('two processes on one Postgres', () => {
  it('see each other’s changes within a second', async () => {
    const url = await freshPostgresUrl();
    const [first, second] = await Promise.all([openPostgres(url), openPostgres(url)]);
    const a = await openStore(first);
    const b = await openStore(second);
    await a.options.set({ ModelRatio: '{"gpt-4o": 3}' });
    expect(await until(() => b.options.get('ModelRatio')['gpt-4o'] === 3, 1_000)).toBe(true);
    await b.options.reset(['ModelRatio']);
    expect(b.options.get('ModelRatio')['gpt-4o']).toBe(1.25);
    expect(await until(() => a.options.get('ModelRatio')['gpt-4o'] === 1.25, 1_000)).toBe(true);
    await a.changes.close();
    await b.changes.close();
    await first.close();
    await second.close();
  });
});
