/**
 * Configuration changes, told to every process. A write runs in a transaction that also raises the version of what it
 * touched and sends NOTIFY; this process drops its own copies before it answers, the others when the notice arrives.
 * Every 15 s, and after a lost connection, versions are compared, so that a missed notice heals itself.
 * The money statements never pass here: cached callers hold no balance.
 */
import { sql } from 'drizzle-orm';
import type { Logger } from '../platform/logger.ts';
import type { Database, Tx } from './client.ts';
import { textList } from './statement.ts';

/** Kinds of configuration that processes keep copies of. Rows are named by their ids; sessions and custom models by their users'. */
export type ChangeKind =
  | 'options'
  | 'channels'
  | 'hub_models'
  | 'suppliers'
  | 'prompts'
  | 'tokens'
  | 'users'
  | 'sessions'
  | 'custom_models';

const CHANNEL = 'changes';
const COMPARE_MS = 15_000;
/** What stands for the rows of a kind as a whole where an id is expected. */
const ALL = '';

/** What belongs to users: there are too many of them to drop what is kept of all when that of one has changed. */
type OfUsers = 'tokens' | 'users' | 'sessions' | 'custom_models';

/** Marks a row, or without an id all of a kind, as changed by the transaction. Several tokens of a user change with him. */
export interface Touch {
  (kind: OfUsers, id: string | number): void;
  (kind: Exclude<ChangeKind, OfUsers>, id?: string | number): void;
}
type Listener = (id: string | undefined) => void | Promise<void>;

export interface Changes {
  /** Runs `work` in a transaction; what it touched is announced with the commit and dropped here before this resolves. */
  commit<T>(work: (tx: Tx, touch: Touch) => Promise<T>): Promise<T>;
  on(kind: ChangeKind, listener: Listener): void;
  close(): Promise<void>;
}

export async function openChanges(db: Database, log: Logger, compareMs = COMPARE_MS): Promise<Changes> {
  const listeners = new Map<ChangeKind, Listener[]>();
  const self = crypto.randomUUID();
  /** The version of each kind up to which everything was told. */
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
  // Versions are noted in the order of their notices, which is that of the commits, each when it has been told.
  let heard: Promise<void> = Promise.resolve();
  const hear = (payload: string): void => {
    const [from, kind, version, id] = payload.split(':') as [string, ChangeKind, string, string];
    // What this process has changed it tells itself before it answers.
    const told = from === self ? undefined : tell(kind, id === ALL ? undefined : id);
    heard = safely(
      Promise.all([heard, told]).then(() => {
        // Behind a gap nothing is noted: the comparison heals what was missed.
        if ((known.get(kind) ?? 0) === Number(version) - 1) known.set(kind, Number(version));
      }),
    );
  };
  const stop = await db.listen(CHANNEL, hear, () => {
    // Of what was changed meanwhile part may have been heard.
    known.clear();
    void safely(compare());
  });
  await compare();
  const timer = setInterval(() => void safely(compare()), compareMs);
  timer.unref();

  return {
    async commit(work) {
      const touched = new Map<string, [ChangeKind, string | undefined]>();
      const result = await db.orm.transaction(async (tx) => {
        const value = await work(tx, (kind: ChangeKind, id?: string | number) => {
          touched.set(`${kind}:${id ?? ''}`, [kind, id?.toString()]);
        });
        const idsOf = Map.groupBy(touched.values(), ([kind]) => kind);
        for (const kind of [...idsOf.keys()].sort()) {
          const ids = textList((idsOf.get(kind) ?? []).map(([, id]) => id ?? ALL));
          await tx.execute(sql`
            with raised as (
              insert into versions (name, n) values (${kind}, 1)
              on conflict (name) do update set n = versions.n + 1 returning n
            )
            select pg_notify(${CHANNEL}, concat_ws(':', ${self}::text, ${kind}::text, n, id))
              from raised, unnest(${ids}::text[]) as id`);
        }
        return value;
      });
      try {
        for (const [kind, id] of touched.values()) await tell(kind, id);
      } catch (error) {
        // Told again with the next comparison.
        for (const [kind] of touched.values()) known.delete(kind);
        throw error;
      }
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
