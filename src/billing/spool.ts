/**
 * Settlements on disk, for the moments when the database does not take them: `DATA_DIR/spool/BOOT.jsonl`, one a line,
 * appended and flushed before the end of the answer is visible. A line holds what the log row will say, never a prompt
 * or an answer. The file goes when all of it has committed; what a dead process left is replayed by the living.
 */
import { mkdir, open, readdir, readFile, rename, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type JsonObject, parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { readSettlement } from './billing.ts';
import type { StampedSettlement } from './statements.ts';

const count = z.int().min(0);

/** A line as it comes back from the disk; the last one of a process that died while writing may be cut. */
const object = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null);
const lineSchema = z
  .object({
    id: z.uuid(),
    charge: count,
    type: z.union([z.literal(2), z.literal(4)]),
    channelId: count,
    modelName: z.string(),
    sold: z.string().optional(),
    promptTokens: count,
    completionTokens: count,
    useTimeSec: count,
    isStream: z.boolean(),
    username: z.string(),
    tokenName: z.string(),
    groupName: z.string(),
    ip: z.string(),
    content: z.string(),
    other: object,
    monthTiers: z.array(z.object({ up_to: count.nullable(), charge: count, other: object })).optional(),
    unlogged: z.boolean().optional(),
    at: count,
  })
  .transform(readSettlement) satisfies z.ZodType<StampedSettlement>;

export interface Leftover {
  path: string;
  settlements: StampedSettlement[];
  /** Lines that are no settlement: a cut last line, or a damaged disk. */
  unreadable: number;
}

export interface Spool {
  /** Resolves when the lines lie safely on disk; rejects when they do not (a full disk). */
  append(settlements: readonly StampedSettlement[]): Promise<void>;
  /** Removes the file if, when its turn comes, nothing of it is needed any more. */
  clearUnless(needed: () => boolean): Promise<void>;
  /** Takes over the files of processes that are not among the living. */
  leftovers(livingBoots: readonly string[]): Promise<Leftover[]>;
  remove(leftover: Leftover): Promise<void>;
  /** False when the disk is nearly full. */
  hasRoom(): Promise<boolean>;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const unlinkIfThere = (path: string): Promise<void> =>
  unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });

export function openSpool(dataDir: string, bootId: string): Spool {
  const folder = join(dataDir, 'spool');
  const file = join(folder, `${bootId}.jsonl`);
  let turn: Promise<unknown> = Promise.resolve();
  /** One touch of the file at a time, in order. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  return {
    append: (settlements) =>
      inTurn(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await appendFlushed(file, settlements.map((one) => `${JSON.stringify(one)}\n`).join(''));
        await flushFolder(folder);
      }),
    clearUnless: (needed) =>
      inTurn(async () => {
        if (!needed()) await unlinkIfThere(file);
      }),
    async leftovers(livingBoots) {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const found: Leftover[] = [];
      for (const name of names.sort()) {
        const boot = name.split('.')[0] ?? '';
        if (boot === bootId || livingBoots.includes(boot)) continue;
        const path = await takeOver(folder, name);
        if (path) found.push(await readLeftover(path));
      }
      return found;
    },
    remove: ({ path }) => unlinkIfThere(path),
    async hasRoom() {
      const { bavail, bsize } = await statfs(dataDir);
      return bavail * bsize >= limits.spoolFreeBytes;
    },
  };
}

async function appendFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    const { size } = await file.stat();
    try {
      await file.writeFile(text);
      await file.datasync();
    } catch (error) {
      // What a full disk took of it must not become the beginning of the next line.
      await file.truncate(size);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** A new file survives a power cut only when its folder is flushed too. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Renames a dead process's file before it is read, so that one process replays it; null when another was quicker. */
async function takeOver(folder: string, name: string): Promise<string | null> {
  if (name.endsWith('.replay')) return join(folder, name);
  if (!name.endsWith('.jsonl')) return null;
  const path = join(folder, `${name.slice(0, -'.jsonl'.length)}.${crypto.randomUUID()}.replay`);
  try {
    await rename(join(folder, name), path);
    return path;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function readLeftover(path: string): Promise<Leftover> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const settlements: StampedSettlement[] = [];
  for (const line of lines) {
    const parsed = lineSchema.safeParse(parseJson(line));
    if (parsed.success) settlements.push(parsed.data);
  }
  return { path, settlements, unreadable: lines.length - settlements.length };
}
