/**
 * Applications that ask for a relay key: one asks, and polls for the answer; its user decides in the console; the key is
 * handed over once. Each step is one conditional statement, so that of two who come at once one does it.
 */
import { randomInt } from 'node:crypto';
import { and, eq, gt, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { MINUTE_SEC } from '../../core/time.ts';
import { readUserAgent } from '../../core/user-agent.ts';
import type { Tx } from '../../db/client.ts';
import { now } from '../../db/columns.ts';
import { tokenRequests } from '../../db/schema/index.ts';
import { addressSubject, type LimitRule, networkRules, requireFit } from '../../platform/limiter.ts';
import { sha256 } from '../../platform/secrets.ts';
import { requireProvedOwner } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import { attempt, byOwn } from '../failed-attempts/service.ts';
import { insertToken, type TokenOwner, usableKey } from '../token/service.ts';
import type { DecideBody, RequestStatus, ShownRequest, StatusAnswer } from './contract.ts';
import { TOKEN_REQUEST } from './facts.ts';

type RequestDeps = Pick<Deps, 'db' | 'limiter' | 'options' | 'secrets'>;
type DecideDeps = RequestDeps & Parameters<typeof requireProvedOwner>[0];
type Row = typeof tokenRequests.$inferSelect;

export interface Asking {
  name: string;
  ip: string;
  userAgent: string;
  /** What it counts by. */
  rules: readonly LimitRule[];
}

/** What only the application is told. */
export interface OpenedRequest {
  /** What it polls by. */
  requestId: string;
  /** What the page decides by. */
  code: string;
  /** What it shows, and the page shows too. */
  number: string;
}

/** The key opens in its own request only. */
const sealOwner = (id: number): string => `token-request:${id}`;

const isLive = gt(tokenRequests.expires_at, now);

const USER_AGENT_MAX = 300;

/** Throws RATE_LIMIT. */
export async function openRequest(deps: RequestDeps, asking: Asking): Promise<OpenedRequest> {
  await requireFit(deps.limiter, asking.rules);
  const opened = {
    requestId: secretText(256),
    code: secretText(256),
    number: String(randomInt(1_000_000)).padStart(6, '0'),
  };
  await prune(deps);
  await deps.db.orm.insert(tokenRequests).values({
    poll_hash: sha256(opened.requestId),
    code_hash: sha256(opened.code),
    state: TOKEN_REQUEST.pending,
    number: opened.number,
    name: asking.name,
    ip: asking.ip,
    user_agent: asking.userAgent.slice(0, USER_AGENT_MAX),
    expires_at: sql`${now} + ${limits.tokenRequestSec}::bigint`,
  });
  return opened;
}

/** Removes some that are over; those of others' are left to others. */
const prune = async ({ db }: RequestDeps): Promise<void> => {
  await db.orm.execute(sql`
    delete from token_requests where id in (
      select id from token_requests where expires_at <= ${now}
      order by expires_at limit ${limits.tokenRequestsPruned} for update skip locked
    )`);
};

function pollsOf(row: Row | undefined, ip: string): LimitRule[] {
  const [name, limit] = ['token-request-poll', limits.tokenRequestPollsAMinute] as const;
  if (!row) return networkRules(name, limit, MINUTE_SEC, ip);
  return [{ key: `${name}:row:${row.id}`, limit, windowSec: MINUTE_SEC }];
}

const STATUS: Record<number, RequestStatus> = {
  [TOKEN_REQUEST.pending]: 'pending',
  [TOKEN_REQUEST.rejected]: 'rejected',
  [TOKEN_REQUEST.fetched]: 'consumed',
};

/**
 * How a request stands; the key with it, once, when it was approved. A poll counts for the request that it finds, and for
 * its network only where it finds none. Throws RATE_LIMIT.
 */
export async function pollRequest(deps: RequestDeps, requestId: string, ip: string): Promise<StatusAnswer> {
  const mine = and(eq(tokenRequests.poll_hash, sha256(requestId)), isLive);
  const [row] = await deps.db.orm.select().from(tokenRequests).where(mine);
  await requireFit(deps.limiter, pollsOf(row, ip));
  if (!row) return { status: 'expired' };
  if (row.state !== TOKEN_REQUEST.approved) return { status: STATUS[row.state] ?? 'expired' };
  const fetched = await deps.db.orm
    .update(tokenRequests)
    .set({ state: TOKEN_REQUEST.fetched, key_sealed: '' })
    .where(and(mine, eq(tokenRequests.state, TOKEN_REQUEST.approved)))
    .returning({ id: tokenRequests.id });
  if (fetched.length === 0) return { status: 'consumed' };
  // Written once, with the approval, and so what was read before it was taken away.
  return { status: 'approved', secret_token: `sk-${deps.secrets.open(row.key_sealed, sealOwner(row.id))}` };
}

/** Who decides: always in a session of his own, which no page of another site and no token of a script has. */
export interface Decider extends TokenOwner {
  sessionId: string | null;
  ip: string;
}

/** A code that nobody has counts against the session that brings it. Throws TOKEN_REQUEST_OVER, TOKEN_REQUEST_SESSION, RATE_LIMIT. */
function byCode<T>(deps: RequestDeps, { sessionId }: Decider, work: () => Promise<T>): Promise<T> {
  if (sessionId === null) throw fail('TOKEN_REQUEST_SESSION');
  return attempt(deps, byOwn(deps, 'approval', sessionId), work, 'TOKEN_REQUEST_OVER');
}

/** Throws what `byCode` does, and TOKEN_REQUEST_DECIDED. */
export function showRequest(deps: RequestDeps, decider: Decider, code: string): Promise<ShownRequest> {
  return byCode(deps, decider, async () => {
    const [row] = await deps.db.orm
      .select()
      .from(tokenRequests)
      .where(and(eq(tokenRequests.code_hash, sha256(code)), isLive));
    if (!row) throw fail('TOKEN_REQUEST_OVER');
    if (row.state !== TOKEN_REQUEST.pending) throw fail('TOKEN_REQUEST_DECIDED');
    const { name, number, ip, created_at, expires_at } = row;
    return {
      name,
      number,
      ip,
      same_network: addressSubject(ip) === addressSubject(decider.ip),
      ...readUserAgent(row.user_agent),
      created_at,
      expires_at,
    };
  });
}

/**
 * Approves with a token of the decider's, or with a new one for the application, which wants a proof that it is he; or
 * rejects. Throws what `byCode` does, REAUTH_REQUIRED, TOKEN_REQUEST_DECIDED, TOKEN_REQUEST_TOKEN, TOKEN_KEY_HIDDEN, and what the making of a token refuses; nothing is
 * changed then.
 */
export async function decideRequest(deps: DecideDeps, decider: Decider, body: DecideBody): Promise<void> {
  await byCode(deps, decider, async () => {
    if (body.action !== 'reject') await requireProvedOwner(deps, decider);
    await deps.db.orm.transaction(async (tx) => {
      if (body.action === 'reject') return void (await decide(tx, decider, body, TOKEN_REQUEST.rejected));
      const request = await decide(tx, decider, body, TOKEN_REQUEST.approved);
      const { id, key } = await keyFor(deps, tx, decider, request, body);
      await tx
        .update(tokenRequests)
        .set({ token_id: id, key_sealed: deps.secrets.seal(key, sealOwner(request.id)) })
        .where(eq(tokenRequests.id, request.id));
    });
  });
}

/** The decision itself: of two at once one is the first. */
async function decide(tx: Tx, { id }: Decider, { code }: DecideBody, state: number): Promise<Row> {
  const it = and(eq(tokenRequests.code_hash, sha256(code)), isLive);
  const lasts = sql`greatest(${tokenRequests.expires_at}, ${now} + ${limits.tokenRequestFetchSec}::bigint)`;
  const [decided] = await tx
    .update(tokenRequests)
    .set({ state, user_id: id, expires_at: lasts })
    .where(and(it, eq(tokenRequests.state, TOKEN_REQUEST.pending)))
    .returning();
  if (decided) return decided;
  const [row] = await tx.select({ id: tokenRequests.id }).from(tokenRequests).where(it);
  throw fail(row ? 'TOKEN_REQUEST_DECIDED' : 'TOKEN_REQUEST_OVER');
}

/** What a token is called whose application has no name. */
const NAMELESS = 'app';

const keyFor = async (
  deps: RequestDeps,
  tx: Tx,
  decider: Decider,
  { name }: Row,
  { token, remain_quota }: DecideBody,
): Promise<{ id: number; key: string }> => {
  if (token !== null && token !== undefined) return usableKey(deps, tx, decider.id, token);
  const maker = { ...decider, isHimself: false };
  const { row, key } = await insertToken(deps, tx, maker, { name: name || NAMELESS, remain_quota });
  return { id: row.id, key };
};

/** Of a user who is erased. */
export const forgetTokenRequests = async (tx: Tx, userId: number): Promise<void> => {
  await tx.delete(tokenRequests).where(eq(tokenRequests.user_id, userId));
};
