/** Applications of the marketplace: kept by administrators, offered to companion clients by group. Every change is recorded. */
import { createHash } from 'node:crypto';
import { asc, desc, eq } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor } from '../../core/actor.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { isWebAddress } from '../../core/web-address.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { orderBy } from '../../db/order.ts';
import { applications } from '../../db/schema/index.ts';
import { isUniqueViolation } from '../../db/statement.ts';
import type { Viewer } from '../../http/context.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { recordChange, requireRoom } from '../desk/service.ts';
import { usableGroups } from '../group/service.ts';
import type { AdminQuery, Application, ApplicationBody } from './contract.ts';
import {
  APPLICATION_DESC_MAX,
  DISPLAY_NAME_MAX,
  isApplicationName,
  isApplicationVersion,
  readRank,
} from './facts.ts';

type ApplicationDeps = Pick<Deps, 'db' | 'options'>;
type Fields = Omit<Application, 'id'>;

const orderColumns = {
  id: applications.id,
  name: applications.name,
  display: applications.display_name,
  type: applications.type,
  rank: applications.rank,
};

/** In the order asked for, else highest rank first, newest first among equals. */
export const listApplications = (
  { db }: Pick<Deps, 'db'>,
  { sort }: AdminQuery = {},
): Promise<Application[]> =>
  db.orm
    .select()
    .from(applications)
    .orderBy(
      ...orderBy(sort, orderColumns, applications.id, [desc(applications.rank), desc(applications.id)]),
    );

/**
 * Those that are for everybody, or for the group that is asked for, which is the caller's own if none is. Throws TOKEN_GROUP
 * for another that he may not use; a relay key is for its own alone.
 */
export async function offeredApplications(
  deps: ApplicationDeps,
  { group: own, relayToken }: Pick<Viewer, 'group' | 'relayToken'>,
  asked?: string,
): Promise<Application[]> {
  const group = asked || own;
  const mayChoose = relayToken === undefined && usableGroups(deps.options, own).has(group);
  if (group !== own && !mayChoose) throw fail('TOKEN_GROUP', { params: { group: asIs(group) } });
  const all = await listApplications(deps);
  return all.filter(({ app_groups }) => app_groups.length === 0 || app_groups.includes(group));
}

/** Where the package of an application is looked for by default. Throws what the rules of its parts refuse. */
export function defaultAddress(
  { options }: Pick<Deps, 'options'>,
  site: string,
  name: string,
  version: string,
): string {
  const [file, of] = [readName(name), readVersion(version)];
  const base = options.get('dxt_download_base') || `${site.replace(/\/+$/, '')}/dxt`;
  const hash = createHash('sha256').update(`${file}@${of}`).digest('hex').slice(0, HASH_DIGITS);
  return `${base.replace(/\/+$/, '')}/${file}-${of}-${hash}.dxt`;
}

const HASH_DIGITS = 12;

const EMPTY: Fields = {
  name: '',
  display_name: '',
  version: '',
  description: '',
  homepage: '',
  dxt_url: '',
  type: 'conversation-tool',
  rank: 0,
  app_groups: [],
  keywords: [],
};

/** Throws DESK_FULL, APP_NAME_TAKEN and what the fields' rules refuse. */
export async function createApplication(
  { db }: ApplicationDeps,
  actor: Actor,
  body: ApplicationBody,
): Promise<Application> {
  const fields = readFields(body, EMPTY);
  return nameOnce(
    db.orm.transaction(async (tx) => {
      await requireRoom(tx, applications, limits.applications);
      const [row] = await tx.insert(applications).values(fields).returning();
      if (!row) throw fail('INTERNAL');
      const target = targetOf(row.id);
      await recordChange(tx, {
        actor,
        action: 'application.create',
        target,
        before: {},
        after: { ...fields },
      });
      return row;
    }),
  );
}

/** Changes what the body names. Throws NOT_FOUND, APP_NAME_TAKEN and what the fields' rules refuse. */
export const updateApplication = (
  { db }: ApplicationDeps,
  actor: Actor,
  id: number,
  body: ApplicationBody,
): Promise<Application> =>
  nameOnce(
    db.orm.transaction(async (tx) => {
      const before = await lockApplication(tx, id);
      const after = readFields(body, before);
      const [row] = await tx.update(applications).set(after).where(eq(applications.id, id)).returning();
      if (!row) throw fail('NOT_FOUND');
      await recordChange(tx, {
        actor,
        action: 'application.update',
        target: targetOf(id),
        before: { ...before },
        after: { ...after, id },
      });
      return row;
    }),
  );

/** Throws NOT_FOUND. */
export const deleteApplication = ({ db }: ApplicationDeps, actor: Actor, id: number): Promise<void> =>
  db.orm.transaction(async (tx) => {
    const [gone] = await tx.delete(applications).where(eq(applications.id, id)).returning();
    if (!gone) throw fail('NOT_FOUND');
    const { id: _, ...before } = gone;
    await recordChange(tx, { actor, action: 'application.delete', target: targetOf(id), before, after: {} });
  });

/** Deletes those of them that are there, and answers how many. Throws APP_NONE_CHOSEN. */
export async function deleteApplications(
  { db }: ApplicationDeps,
  actor: Actor,
  ids: readonly number[],
): Promise<number> {
  if (ids.length === 0) throw fail('APP_NONE_CHOSEN');
  return db.orm.transaction(async (tx) => {
    // Locked in one order, so that two who delete the same wait for one another and never both forever.
    const those = among(applications.id, ids);
    const rows = await tx
      .select()
      .from(applications)
      .where(those)
      .orderBy(asc(applications.id))
      .for('update');
    if (rows.length === 0) return 0;
    await tx.delete(applications).where(those);
    const changes = Object.fromEntries(rows.map(({ id, name }) => [`#${id}`, { before: name }]));
    await recordAction(tx, { actor, action: 'application.delete_many', target: 'applications', changes });
    return rows.length;
  });
}

const targetOf = (id: number): string => `application:${id}`;

async function lockApplication(tx: Tx, id: number): Promise<Application> {
  const [row] = await tx.select().from(applications).where(eq(applications.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

/** That names are unique is the database's own rule. */
async function nameOnce<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('APP_NAME_TAKEN');
    throw error;
  }
}

/** The fields as they are to be: what the body names, over what is there. */
function readFields(body: ApplicationBody, old: Fields): Fields {
  const name = readName(body.name ?? old.name);
  const display_name = (body.display_name ?? old.display_name).trim();
  if (display_name === '') throw fail('APP_DISPLAY_NAME_NEEDED');
  if (lengthOf(display_name) > DISPLAY_NAME_MAX) throw fail('APP_DISPLAY_NAME');
  const version = readVersion(body.version ?? old.version);
  const dxt_url = (body.dxt_url ?? old.dxt_url).trim();
  if (dxt_url === '') throw fail('APP_DXT_NEEDED');
  if (!isWebAddress(dxt_url)) throw fail('APP_DXT');
  const homepage = (body.homepage ?? old.homepage).trim();
  if (homepage !== '' && !isWebAddress(homepage)) throw fail('APP_HOMEPAGE');
  const description = (body.description ?? old.description).trim();
  if (lengthOf(description) > APPLICATION_DESC_MAX) throw fail('APP_DESC');
  return {
    name,
    display_name,
    version,
    description,
    homepage,
    dxt_url,
    type: body.type ?? old.type,
    rank: readRank(body.rank ?? old.rank),
    app_groups: [...new Set(body.app_groups ?? old.app_groups)],
    keywords: [...new Set(body.keywords ?? old.keywords)],
  };
}

function readName(given: string): string {
  const name = given.trim();
  if (name === '') throw fail('APP_NAME_NEEDED');
  if (!isApplicationName(name)) throw fail('APP_NAME');
  return name;
}

function readVersion(given: string): string {
  const version = given.trim();
  if (version === '') throw fail('APP_VERSION_NEEDED');
  if (!isApplicationVersion(version)) throw fail('APP_VERSION');
  return version;
}
