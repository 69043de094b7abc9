/**
 * The options in force: a snapshot in memory, typed by the registry. A stored value that no longer fits its
 * declaration is reported and the default stays in force.
 */
import { sql } from 'drizzle-orm';
import { fail } from '../core/errors.ts';
import type { Changes } from '../db/changes.ts';
import type { Database } from '../db/client.ts';
import { options as optionRows } from '../db/schema/index.ts';
import type { Logger } from '../platform/logger.ts';
import type { OptionSpec } from './define.ts';
import { type OptionKey, type OptionValue, registry } from './registry.ts';

export interface Options {
  get<K extends OptionKey>(key: K): OptionValue<K>;
  /** The text in force, as stored or printed from the default. */
  text(key: OptionKey): string;
  /** True when the operator has set it. */
  isSet(key: OptionKey): boolean;
  /** Checks and stores texts in one transaction; every process uses them from its next read on. Throws OPTION_UNKNOWN, OPTION_INVALID. */
  set(values: Partial<Record<OptionKey, string>>): Promise<void>;
  /** Back to the default. */
  reset(keys: readonly OptionKey[]): Promise<void>;
  /** Raised with every change, for caches that are built from options. */
  readonly version: number;
}

const specOf = (key: OptionKey): OptionSpec<unknown> => registry[key] as unknown as OptionSpec<unknown>;

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(registry, key);

/** The value of a text, or OPTION_INVALID naming key and reason. */
export function parseOption(key: OptionKey, text: string): unknown {
  const parsed = specOf(key).schema.safeParse(text);
  if (parsed.success) return parsed.data;
  const reason = parsed.error.issues.map((issue) => issue.message).join('; ');
  throw fail('OPTION_INVALID', { params: { key, reason } });
}

export async function openOptions(db: Database, changes: Changes, log: Logger): Promise<Options> {
  let texts = new Map<OptionKey, string>();
  let values = new Map<OptionKey, unknown>();
  let version = 0;

  const load = async () => {
    const rows = await db.query<{ key: string; value: string }>('select key, value from options');
    const nextTexts = new Map<OptionKey, string>();
    const nextValues = new Map<OptionKey, unknown>();
    for (const { key, value } of rows) {
      if (!isOptionKey(key)) continue;
      try {
        nextValues.set(key, parseOption(key, value));
        nextTexts.set(key, value);
      } catch (error) {
        log.error('option.invalid', { key, error });
      }
    }
    texts = nextTexts;
    values = nextValues;
    version++;
  };

  await load();
  changes.on('options', load);

  return {
    get: <K extends OptionKey>(key: K) =>
      (values.has(key) ? values.get(key) : registry[key].default) as OptionValue<K>,
    text: (key) => texts.get(key) ?? specOf(key).print(specOf(key).default),
    isSet: (key) => texts.has(key),
    async set(given) {
      const entries = Object.entries(given) as [OptionKey, string][];
      for (const [key, text] of entries) {
        if (!isOptionKey(key)) throw fail('OPTION_UNKNOWN', { params: { key } });
        parseOption(key, text);
      }
      await changes.commit(async (tx, touch) => {
        for (const [key, value] of entries) {
          await tx
            .insert(optionRows)
            .values({ key, value })
            .onConflictDoUpdate({
              target: optionRows.key,
              set: { value, updated_at: sql`extract(epoch from now())::bigint` },
            });
          touch('options', key);
        }
      });
    },
    async reset(keys) {
      await changes.commit(async (tx, touch) => {
        for (const key of keys) {
          await tx.delete(optionRows).where(sql`${optionRows.key} = ${key}`);
          touch('options', key);
        }
      });
    },
    get version() {
      return version;
    },
  };
}
