/**
 * Configuration changes, told to every process. A write runs in a transaction that also raises the version of what it
 * touched and sends NOTIFY; this process drops its own copies before it answers, the others when the notice arrives.
 * Every 15 s, and after a lost connection, versions are compared, so that a missed notice heals itself.
 * The money statements never pass here: cached callers hold no balance.
 */
import { sql } from 'drizzle-orm';
import type { Logger } from '../platform/logger.ts';
import type { Database, Tx } from './client.ts';

/** Kinds of configuration that processes keep copies of. */
export type ChangeKind = 'options' | 'channels' | 'tokens' | 'users' | 'sessions';

const CHANNEL = 'changes';
const COMPARE_MS = 15_000;

/** Marks a row (or, without an id, all of a kind) as changed by the transaction. */
export type Touch = (kind: ChangeKind, id?: string | number) => void;
type Listener = (id: string | undefined) => void | Promise<void>;

export interface Changes {
  /** Runs `work` in a transaction; what it touched is announced with the commit and dropped here before this resolves. */
  commit<T>(work: (tx: Tx, touch: Touch) => Promise<T>): Promise<T>;
  on(kind: ChangeKind, listener: Listener): void;
  close(): Promise<void>;
}

export async function openChanges(db: Database, log: Logger): Promise<Changes> {
  const listeners = new Map<ChangeKind, Listener[]>();
  let known = new Map<string, number>();

  const tell = async (kind: ChangeKind, id: string | undefined) => {
    for (const listener of listeners.get(kind) ?? []) await listener(id);
  };

  const compare = async () => {
    const rows = await db.query<{ name: ChangeKind; n: number }>('select name, n from versions');
    const seen = new Map(rows.map((row) => [row.name, row.n]));
    for (const [name, n] of seen) if (known.get(name) !== n) await tell(name, undefined);
    known = seen;
  };

  const safely = (work: Promise<void>) => work.catch((error: unknown) => log.warn('changes', { error }));
  const stop = await db.listen(
    CHANNEL,
    (payload) => {
      const [kind, id] = payload.split(':') as [ChangeKind, string | undefined];
      void safely(tell(kind, id));
    },
    () => void safely(compare()),
  );
  await compare();
  const timer = setInterval(() => void safely(compare()), COMPARE_MS);
  timer.unref();

  return {
    async commit(work) {
      const touched = new Map<string, [ChangeKind, string | undefined]>();
      const result = await db.orm.transaction(async (tx) => {
        const value = await work(tx, (kind, id) =>
          touched.set(`${kind}:${id ?? ''}`, [kind, id?.toString()]),
        );
        const kinds = [...new Set([...touched.values()].map(([kind]) => kind))].sort();
        for (const kind of kinds) {
          await tx.execute(
            sql`insert into versions (name, n) values (${kind}, 1) on conflict (name) do update set n = versions.n + 1`,
          );
        }
        for (const [kind, id] of touched.values()) {
          await tx.execute(sql`select pg_notify(${CHANNEL}, ${id === undefined ? kind : `${kind}:${id}`})`);
        }
        return value;
      });
      for (const [kind, id] of touched.values()) await tell(kind, id);
      return result;
    },
    on(kind, listener) {
      listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
    },
    async close() {
      clearInterval(timer);
      await stop();
    },
  };
}
