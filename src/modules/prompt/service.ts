/** Recommended prompts: what administrators write and companion clients show. Every change is recorded. */
import { count, desc, eq } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import { changesBetween } from '../../core/admin-actions.ts';
import { isClientVersion, reachesVersion } from '../../core/client-version.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Tx } from '../../db/client.ts';
import { prompts } from '../../db/schema/index.ts';
import { type Actor, recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import type { Prompt, PromptBody, PromptQuery } from './contract.ts';
import {
  isDemoPath,
  isWebAddress,
  PROMPT_INSTRUCTION_MAX,
  PROMPT_SORT_MAX,
  PROMPT_TITLE_MAX,
} from './facts.ts';

type PromptDeps = Pick<Deps, 'db'>;
type Fields = Omit<Prompt, 'id'>;

/** Highest sort first, newest first among equals. `released`: only those that are. */
export async function listPrompts(
  { db }: PromptDeps,
  { platform, version }: PromptQuery,
  released: boolean,
): Promise<Prompt[]> {
  const rows = await db.orm
    .select()
    .from(prompts)
    .where(released ? eq(prompts.release, true) : undefined)
    .orderBy(desc(prompts.sort), desc(prompts.id));
  return rows.filter(
    (prompt) =>
      (!platform || prompt.platform.length === 0 || prompt.platform.some((one) => one === platform)) &&
      (!version || reachesVersion(version, prompt.version)),
  );
}

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
export async function createPrompt({ db }: PromptDeps, actor: Actor, body: PromptBody): Promise<Prompt> {
  const fields = readFields(body, EMPTY);
  return db.orm.transaction(async (tx) => {
    // Two at once may go over it by one: it bounds what a client reads, and is no promise.
    const [there] = await tx.select({ n: count() }).from(prompts);
    if ((there?.n ?? 0) >= limits.prompts) throw fail('DESK_FULL', { params: { most: limits.prompts } });
    const [row] = await tx.insert(prompts).values(fields).returning();
    if (!row) throw fail('INTERNAL');
    await record(tx, actor, 'prompt.create', row.id, {}, fields);
    return row;
  });
}

/** Changes what the body names. Throws NOT_FOUND and what the fields' rules refuse. */
export const updatePrompt = (
  { db }: PromptDeps,
  actor: Actor,
  id: number,
  body: PromptBody,
): Promise<Prompt> =>
  db.orm.transaction(async (tx) => {
    const before = await lockPrompt(tx, id);
    const after = readFields(body, before);
    const [row] = await tx.update(prompts).set(after).where(eq(prompts.id, id)).returning();
    if (!row) throw fail('NOT_FOUND');
    await record(tx, actor, 'prompt.update', id, fieldsOf(before), after);
    return row;
  });

/** Throws NOT_FOUND. */
export const deletePrompt = ({ db }: PromptDeps, actor: Actor, id: number): Promise<void> =>
  db.orm.transaction(async (tx) => {
    const [gone] = await tx.delete(prompts).where(eq(prompts.id, id)).returning();
    if (!gone) throw fail('NOT_FOUND');
    await record(tx, actor, 'prompt.delete', id, fieldsOf(gone), {});
  });

async function lockPrompt(tx: Tx, id: number): Promise<Prompt> {
  const [row] = await tx.select().from(prompts).where(eq(prompts.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

const fieldsOf = ({ id: _id, ...fields }: Prompt): Fields => fields;

async function record(
  tx: Tx,
  actor: Actor,
  action: 'prompt.create' | 'prompt.update' | 'prompt.delete',
  id: number,
  before: Partial<Fields>,
  after: Partial<Fields>,
): Promise<void> {
  const changes = changesBetween({ ...before }, { ...after });
  if (Object.keys(changes).length > 0)
    await recordAction(tx, { actor, action, target: `prompt:${id}`, changes });
}

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
