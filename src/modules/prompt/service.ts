/** Recommended prompts: what administrators write and companion clients show. Every change is recorded. */
import { desc, eq, sql } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor, LastingActor } from '../../core/actor.ts';
import { isClientVersion, reachesVersion } from '../../core/client-version.ts';
import { eachRow } from '../../core/each-row.ts';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { isWebAddress } from '../../core/web-address.ts';
import type { Tx } from '../../db/client.ts';
import { orderBy } from '../../db/order.ts';
import { prompts } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import { recordChange, requireRoom } from '../desk/service.ts';
import type { Prompt, PromptBody, PromptQuery } from './contract.ts';
import {
  isDemoPath,
  PROMPT_INSTRUCTION_MAX,
  PROMPT_SORT_MAX,
  PROMPT_TITLE_MAX,
  type PromptAction,
} from './facts.ts';

type PromptDeps = Pick<Deps, 'changes'>;
type Fields = Omit<Prompt, 'id'>;

/** Its numbers, as `reachesVersion` compares them; none for what asks for no version, which is below all. */
const versionNumbers = sql`coalesce(string_to_array(substring(${prompts.version} from '^[vV]?([0-9]+([.][0-9]+)*)'), '.'), '{}')::bigint[]`;

const orderColumns = {
  id: prompts.id,
  title: prompts.title,
  version: versionNumbers,
  sort: prompts.sort,
  release: prompts.release,
};

/** In the order asked for, else highest sort first, newest first among equals. `released`: only those that are. */
export async function listPrompts(
  { db }: Pick<Deps, 'db'>,
  { sort, ...client }: PromptQuery,
  released: boolean,
): Promise<Prompt[]> {
  const rows = await db.orm
    .select()
    .from(prompts)
    .where(released ? eq(prompts.release, true) : undefined)
    .orderBy(...orderBy(sort, orderColumns, prompts.id, [desc(prompts.sort), desc(prompts.id)]));
  return fitting(rows, client);
}

/** Those that fit a client. */
export const fitting = (
  list: readonly Prompt[],
  { platform, version }: Pick<PromptQuery, 'platform' | 'version'>,
): Prompt[] =>
  list.filter(
    (prompt) =>
      (!platform || prompt.platform.length === 0 || prompt.platform.some((one) => one === platform)) &&
      (!version || reachesVersion(version, prompt.version)),
  );

const EMPTY: Fields = {
  title: '',
  mcp: [],
  instruction: '',
  version: '',
  sort: 0,
  platform: [],
  release: false,
  facets: [],
  tags: [],
  result_link: '',
};

/** Throws DESK_FULL and what the fields' rules refuse. */
export async function createPrompt({ changes }: PromptDeps, actor: Actor, body: PromptBody): Promise<Prompt> {
  const fields = readFields(body, EMPTY);
  return changes.commit(async (tx, touch) => {
    await requireRoom(tx, prompts, limits.prompts);
    const [row] = await tx.insert(prompts).values(fields).returning();
    if (!row) throw fail('INTERNAL');
    touch('prompts');
    const target = targetOf(row.id);
    await recordChange(tx, { actor, action: 'prompt.create', target, before: {}, after: told(fields) });
    return row;
  });
}

/** Changes what the body names. Throws NOT_FOUND and what the fields' rules refuse. */
export const updatePrompt = (
  { changes }: PromptDeps,
  actor: Actor,
  id: number,
  body: PromptBody,
): Promise<Prompt> =>
  changes.commit(async (tx, touch) => {
    const before = await lockPrompt(tx, id);
    const after = readFields(body, before);
    const [row] = await tx.update(prompts).set(after).where(eq(prompts.id, id)).returning();
    if (!row) throw fail('NOT_FOUND');
    touch('prompts');
    await recordChange(tx, {
      actor,
      action: 'prompt.update',
      target: targetOf(id),
      before: told(before),
      after: told(after),
    });
    return row;
  });

/** Throws NOT_FOUND. */
export const deletePrompt = ({ changes }: PromptDeps, actor: Actor, id: number): Promise<void> =>
  changes.commit(async (tx, touch) => {
    const [gone] = await tx.delete(prompts).where(eq(prompts.id, id)).returning();
    if (!gone) throw fail('NOT_FOUND');
    touch('prompts');
    const target = targetOf(id);
    await recordChange(tx, { actor, action: 'prompt.delete', target, before: told(gone), after: {} });
  });

/** Does the same to several; answers to how many. Throws BATCH_STOPPED. */
export const changePrompts = (
  deps: PromptDeps,
  actor: LastingActor,
  action: PromptAction,
  ids: readonly number[],
): Promise<number> =>
  eachRow(actor, ids, (id) =>
    action === 'delete'
      ? deletePrompt(deps, actor, id)
      : updatePrompt(deps, actor, id, { release: action === 'release' }),
  );

async function lockPrompt(tx: Tx, id: number): Promise<Prompt> {
  const [row] = await tx.select().from(prompts).where(eq(prompts.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

const targetOf = (id: number): string => `prompt:${id}`;

/** As the record of actions tells a prompt. */
const told = ({ facets, ...fields }: Fields & { id?: number }): JsonObject => ({
  ...fields,
  id: undefined,
  facets: facets.map(({ path }) => path),
});

/** The fields as they are to be: what the body names, over what is there. */
function readFields(body: PromptBody, old: Fields): Fields {
  const instruction = (body.instruction ?? old.instruction).trim();
  if (instruction === '' || lengthOf(instruction) > PROMPT_INSTRUCTION_MAX) throw fail('PROMPT_INSTRUCTION');
  const title = (body.title ?? old.title).trim();
  if (lengthOf(title) > PROMPT_TITLE_MAX) throw fail('PROMPT_TITLE');
  const version = (body.version ?? old.version).trim();
  if (version !== '' && !isClientVersion(version)) throw fail('PROMPT_VERSION');
  const sort = body.sort ?? old.sort;
  if (!Number.isInteger(sort) || Math.abs(sort) > PROMPT_SORT_MAX) throw fail('PROMPT_SORT');
  const facets = (body.facets ?? old.facets).map(({ type, path }) => ({ type, path: path.trim() }));
  if (!facets.every(({ path }) => isDemoPath(path))) throw fail('PROMPT_FACET');
  const result_link = (body.result_link ?? old.result_link).trim();
  if (result_link !== '' && !isWebAddress(result_link)) throw fail('PROMPT_LINK');
  return {
    title,
    mcp: once(body.mcp ?? old.mcp),
    instruction,
    version,
    sort,
    platform: once(body.platform ?? old.platform),
    release: body.release ?? old.release,
    facets,
    tags: once(body.tags ?? old.tags),
    result_link,
  };
}

const once = <T>(entries: readonly T[]): T[] => [...new Set(entries)];
