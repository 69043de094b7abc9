import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { createLogger } from '../platform/logger.ts';
import { type ChangeKind, type Changes, openChanges } from './changes.ts';
import type { Database } from './client.ts';

const log = createLogger('error');
const KINDS: readonly ChangeKind[] = ['options', 'channels'];

describe.each(engines)('changes, on %s', (engine) => {
  let db: Database;
  const open: Changes[] = [];
  beforeAll(async () => {
    db = await freshDatabase(engine);
  });
  afterAll(() => db.close());
  afterEach(async () => {
    for (const changes of open.splice(0)) await changes.close();
  });

  /** A process that looks at the versions when it is let, or has lost its connection; and what it was told. */
  async function start() {
    let gate = Promise.resolve();
    let reconnect = () => {};
    const own: Database = {
      ...db,
      query: async (text, params) => {
        await gate;
        return db.query(text, params);
      },
      listen(channel, callback, onReconnect) {
        reconnect = onReconnect;
        return db.listen(channel, callback, onReconnect);
      },
    };
    const changes = await openChanges(own, log, 5);
    const { promise, resolve: compare } = Promise.withResolvers<void>();
    gate = promise;
    open.push(changes);
    const told: string[] = [];
    for (const kind of KINDS) changes.on(kind, (id) => void told.push(`${kind} ${id ?? 'all'}`));
    return { changes, told, compare, reconnect: () => reconnect() };
  }
  const touchThree = (changes: Changes) =>
    changes.commit(async (_, touch) => {
      touch('channels', 7);
      touch('channels', 8);
      touch('options');
    });
  const until = async (condition: () => boolean) => {
    while (!condition()) await Bun.sleep(2);
  };
  const THREE = ['channels 7', 'channels 8', 'options all'];

  it('are told to the process that made them before it goes on, and then once to each other', async () => {
    const [here, there] = [await start(), await start()];
    await touchThree(here.changes);
    expect(here.told.toSorted()).toEqual(THREE);
    await until(() => there.told.length === 3);
    // What a later change brings comes after everything of this one.
    await there.changes.commit(async (_, touch) => touch('channels', 9));
    await until(() => here.told.length === 4);
    expect(here.told.at(-1)).toBe('channels 9');
    expect(there.told.toSorted()).toEqual([...THREE, 'channels 9'].toSorted());
  });

  it('that were told are not told again when versions are compared; those that were missed are', async () => {
    const [here, there] = [await start(), await start()];
    await touchThree(here.changes);
    await until(() => there.told.length === 3);
    await db.query(`update versions set n = n + 1 where name = 'options'`);
    for (const { compare, told } of [here, there]) {
      compare();
      await until(() => told.length > 3);
      expect(told.toSorted()).toEqual([...THREE, 'options all']);
    }
  });

  it('are all told anew when the connection was lost', async () => {
    const here = await start();
    await touchThree(here.changes);
    here.reconnect();
    here.compare();
    await until(() => here.told.length === 5);
    expect(here.told.slice(3).toSorted()).toEqual(['channels all', 'options all']);
  });

  it('tell nobody when they are undone', async () => {
    const here = await start();
    const undone = here.changes.commit(async (_, touch) => {
      touch('channels', 7);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    here.compare();
    await here.changes.commit(async (_, touch) => touch('options'));
    expect(here.told).toEqual(['options all']);
  });
});
