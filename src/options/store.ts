/**
 * The options in force: a snapshot in memory, typed by the registry. A stored value that does not fit its declaration
 * is reported, and the last good value stays in force (at start: the default).
 */

import { sql } from 'drizzle-orm';
import { fail } from '../core/errors.ts';
import { asIs } from '../core/text.ts';
import { nowSec } from '../core/time.ts';
import { among } from '../db/among.ts';
import type { Changes, Touch } from '../db/changes.ts';
import type { Database, Tx } from '../db/client.ts';
import { options as optionRows } from '../db/schema/index.ts';
import type { Logger } from '../platform/logger.ts';
import type { Secrets } from '../platform/secrets.ts';
import { readText, readWritten } from './define.ts';
import { isOptionKey, type OptionKey, type OptionValue, registry, specOf } from './registry.ts';
import { isSealed, withKeptSecrets } from './secret-parts.ts';

export type Texts = Partial<Record<OptionKey, string>>;

/** What is written in the same transaction, and told with it. */
type Within = (tx: Tx, touch: Touch) => Promise<void>;

export interface Options {
  get<K extends OptionKey>(key: K): OptionValue<K>;
  /** The text in force, as stored or printed from the default. Secrets stand in it: `shownText` of it is what may be sent. */
  text(key: OptionKey): string;
  /** True when the operator has set it. */
  isSet(key: OptionKey): boolean;
  /**
   * Checks and stores texts in one transaction, together with what `within` writes, and puts the keys of `forgotten` back
   * to their defaults; every process uses them from its next read on. Throws OPTION_UNKNOWN, OPTION_INVALID,
   * OPTION_SECRET_AGAIN.
   */
  set(values: Texts, within?: Within, forgotten?: readonly OptionKey[]): Promise<void>;
  /**
   * Sets what `edit` makes of the stored texts of these keys (absent: not set), which nobody else changes meanwhile.
   * Not for secrets. Throws as `set` does, and what `edit` throws.
   */
  change(keys: readonly OptionKey[], edit: (texts: Texts) => Texts, within?: Within): Promise<void>;
  /** Back to the default. */
  reset(keys: readonly OptionKey[], within?: Within): Promise<void>;
  /** Raised with every change, for caches that are built from options. */
  readonly version: number;
}

interface Held {
  text: string;
  value: unknown;
}

/** Of every key the value in force, in one table: each relayed call reads a good dozen of them. */
const inForce = (held: ReadonlyMap<OptionKey, Held>): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(registry).map(([key, spec]) => {
      const set = isOptionKey(key) ? held.get(key) : undefined;
      return [key, set ? set.value : spec.default];
    }),
  );

/** The value of a stored text, or of one that is `written` now; OPTION_INVALID naming key and reason. */
export function parseOption(key: OptionKey, text: string, { written = false } = {}): unknown {
  const read = (written ? readWritten : readText)(specOf(key), text);
  if (read.ok) return read.value;
  throw fail('OPTION_INVALID', { params: { key: specOf(key).label, reason: read.reason }, data: { key } });
}

export async function openOptions(
  db: Database,
  changes: Changes,
  secrets: Secrets,
  log: Logger,
): Promise<Options> {
  let held = new Map<OptionKey, Held>();
  let values = inForce(held);
  let version = 0;

  const owner = (key: OptionKey) => `option:${key}`;

  const read = async () => {
    const rows = await db.query<{ key: string; value: string }>('select key, value from options');
    const next = new Map<OptionKey, Held>();
    for (const { key, value } of rows) {
      if (!isOptionKey(key)) continue;
      try {
        const text = isSealed(specOf(key)) ? secrets.open(value, owner(key)) : value;
        next.set(key, { text, value: parseOption(key, text) });
      } catch (error) {
        log.error('option.invalid', { key, error });
        const lastGood = held.get(key);
        if (lastGood) next.set(key, lastGood);
      }
    }
    held = next;
    values = inForce(held);
    version++;
  };

  // One after the other, so that an older answer never replaces a newer one.
  let reading: Promise<void> = Promise.resolve();
  const load = (): Promise<void> => {
    reading = reading.catch(() => undefined).then(read);
    return reading;
  };

  /** The rows of these texts. */
  const check = (values: Texts): [OptionKey, string][] =>
    Object.entries(values).map(([key, text]) => {
      if (!isOptionKey(key)) throw fail('OPTION_UNKNOWN', { params: { key: asIs(key) } });
      parseOption(key, text, { written: true });
      const spec = specOf(key);
      if (!isSealed(spec)) return [key, text];
      return [key, secrets.seal(withKeptSecrets(spec, text, textOf(key)), owner(key))];
    });

  const write = async (tx: Tx, touch: Touch, rows: readonly [OptionKey, string][]) => {
    for (const [key, value] of rows) {
      await tx
        .insert(optionRows)
        .values({ key, value })
        .onConflictDoUpdate({ target: optionRows.key, set: { value, updated_at: nowSec() } });
      touch('options', key);
    }
  };

  const forget = async (tx: Tx, touch: Touch, keys: readonly OptionKey[]) => {
    if (keys.length === 0) return;
    await tx.delete(optionRows).where(among(optionRows.key, keys));
    for (const key of keys) touch('options', key);
  };

  const textOf = (key: OptionKey) => held.get(key)?.text ?? specOf(key).print(specOf(key).default);

  await load();
  changes.on('options', load);

  return {
    get: <K extends OptionKey>(key: K) => values.get(key) as OptionValue<K>,
    text: textOf,
    isSet: (key) => held.has(key),
    async set(values, within, forgotten = []) {
      const checked = check(values);
      await changes.commit(async (tx, touch) => {
        await write(tx, touch, checked);
        await forget(tx, touch, forgotten);
        await within?.(tx, touch);
      });
    },
    async change(keys, edit, within) {
      await changes.commit(async (tx, touch) => {
        // A key that is not set has no row to lock; settings are written seldom enough to wait for one another.
        await tx.execute(sql`lock table ${optionRows} in share row exclusive mode`);
        const stored = await tx.select().from(optionRows).where(among(optionRows.key, keys));
        await write(tx, touch, check(edit(Object.fromEntries(stored.map(({ key, value }) => [key, value])))));
        await within?.(tx, touch);
      });
    },
    async reset(keys, within) {
      await changes.commit(async (tx, touch) => {
        await forget(tx, touch, keys);
        await within?.(tx, touch);
      });
    },
    get version() {
      return version;
    },
  };
}
