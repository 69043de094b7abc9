/**
 * Who calls with a relay key. Answers come from memory for up to a minute and are dropped when the token or its user
 * changes; they hold no balance. The money statements test status once more with each reservation.
 */

import { and, eq, isNull } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { isRelayKey, maskKey } from '../../core/key-text.ts';
import { limits } from '../../core/limits.ts';
import { isGrantToken } from '../../core/oauth.ts';
import { ROLE, USER_STATUS } from '../../core/roles.ts';
import { NEVER } from '../../core/time.ts';
import { tokens, users } from '../../db/schema/user.ts';
import type { Cidr } from '../../env.ts';
import { type Bringer, createLookups } from '../../platform/lookups.ts';
import { parseNetwork } from '../../platform/networks.ts';
import { type CredentialKind, holderOf } from '../../platform/own-proof.ts';
import type { Deps } from '../deps.ts';
import { readRelayGrant } from '../oauth-app/service.ts';
import { TOKEN_STATUS } from './facts.ts';
import { NO_TOKEN } from './state.ts';

export interface Caller {
  readonly tokenId: number;
  readonly tokenName: string;
  /** One of TOKEN_STATUS as stored: 1 or 2. */
  readonly tokenStatus: number;
  /** Unix seconds; -1 for never. */
  readonly expiredTime: number;
  /** True when the token has no limit of its own. */
  readonly unlimited: boolean;
  /** Models that the token may call; null for all. */
  readonly modelLimits: ReadonlySet<string> | null;
  /** Networks that it may be used from; empty for all. */
  readonly allowIps: readonly Cidr[];
  /** The group whose channels serve the call: the token's, or the user's when it has none. */
  readonly group: string;
  /** Masked, for logs. */
  readonly keyHint: string;
  readonly userId: number;
  readonly username: string;
  readonly role: number;
  readonly userStatus: number;
  readonly userGroup: string;
  /** The user takes models that have no price. */
  readonly acceptUnset: boolean;
  /** May call with the user's own keys at suppliers. */
  readonly ownKeys: boolean;
  /** The application that calls, or that made the token; null where it is the user himself. */
  readonly appId: number | null;
  /** Whose what it begins is: alike for two callers only where user, token and application are the same. */
  readonly identity: string;
  /** May be told what its user's account has. */
  readonly seesAccount: boolean;
}

/** Who calls: made where the key, the bearer or the session is read, and nowhere else. */
const whoCalls = (userId: number, tokenId: number, appId: number | null) => ({
  userId,
  tokenId,
  appId,
  identity: [userId, tokenId, appId ?? 0].join(':'),
});

/** Whether it is told apart from its user's other callers: by a token, or by the application that it is. */
export const isKeyed = ({ tokenId, appId }: Pick<Caller, 'tokenId' | 'appId'>): boolean =>
  tokenId !== NO_TOKEN || appId !== null;

/** True when the token's own limits allow the model. */
export const mayUseModel = ({ modelLimits }: Pick<Caller, 'modelLimits'>, model: string): boolean =>
  modelLimits === null || modelLimits.has(model);

export interface Callers {
  /**
   * The caller of a key without `sk-`, or of an application's access token; null when nobody has it. Rejects when the
   * database is away, and with RATE_LIMIT when too many were nobody's of those that count with it.
   */
  find(key: string, bringer: Bringer): Promise<Caller | null>;
}

interface Held {
  caller: Caller | null;
  until: number;
}

export function createCallers(
  { db, changes, secrets, limiter }: Pick<Deps, 'db' | 'changes' | 'secrets' | 'limiter'>,
  remembered: { known: number; unknown: number; bytes?: number } = {
    known: limits.callerCacheEntries,
    unknown: limits.unknownKeyEntries,
  },
): Callers {
  const lookups = createLookups({ limiter, secrets }, 'relay');
  /** Under which keys callers are kept, by token and by user: a change looks at its own alone. */
  const keysOf = new Map<string, Set<string>>();
  const known = new LRUCache<string, Held>({
    max: remembered.known,
    maxSize: remembered.bytes ?? limits.callerCacheBytes,
    sizeCalculation: bytesOf,
    dispose: ({ caller }, key) => {
      for (const name of caller ? namesOf(caller) : []) {
        const keys = keysOf.get(name);
        if (keys?.delete(key) && keys.size === 0) keysOf.delete(name);
      }
    },
  });
  const unknown = new LRUCache<string, Held>({ max: remembered.unknown });
  const loading = new Map<string, Promise<Caller | null>>();
  let changeCount = 0;

  const keep = (key: string, caller: Caller) => {
    known.set(key, { caller, until: Date.now() + limits.callerCacheMs });
    // One that is too large is not kept.
    if (!known.has(key)) return;
    for (const name of namesOf(caller)) {
      const keys = keysOf.get(name) ?? new Set();
      keysOf.set(name, keys.add(key));
    }
  };
  const drop = (name: string | null) => {
    changeCount++;
    // A load under way may have read what was there before: nobody who asks from now on may share it.
    loading.clear();
    if (name === null) known.clear();
    else for (const key of [...(keysOf.get(name) ?? [])]) known.delete(key);
  };
  changes.on('tokens', (id) => drop(id === undefined ? null : `token:${id}`));
  changes.on('users', (id) => drop(id === undefined ? null : `user:${id}`));

  const load = async (key: string): Promise<Caller | null> => {
    const asOf = changeCount;
    const caller = isGrantToken(key)
      ? await applicationCaller(db, key)
      : await readCaller(db, secrets.lookup(key));
    forgetOld(known);
    if (caller && asOf === changeCount) keep(key, caller);
    // One of ours is told when it is there: it is there no more, for good.
    const isOurs = holderOf(secrets, kindOf(key), key) !== null;
    const keptMs = isOurs ? limits.callerCacheMs : limits.unknownKeyMs;
    if (!caller) unknown.set(key, { caller, until: Date.now() + keptMs });
    return caller;
  };

  return {
    async find(key, bringer) {
      if (!isRelayKey(key) && !isGrantToken(key)) return null;
      const held = known.peek(key) ?? unknown.peek(key);
      if (held && held.until > Date.now()) return held.caller;
      const shared = loading.get(key);
      if (shared) return shared;
      const fresh = lookups
        .look({ kind: kindOf(key), text: key, ...bringer }, () => load(key))
        .finally(() => {
          if (loading.get(key) === fresh) loading.delete(key);
        });
      loading.set(key, fresh);
      return fresh;
    },
  };
}

const kindOf = (key: string): CredentialKind => (isGrantToken(key) ? 'app-token' : 'relay-key');

const namesOf = ({ tokenId, userId }: Caller): string[] => [`token:${tokenId}`, `user:${userId}`];

/** All are kept for as long, and nothing is moved up where it is only looked at: the oldest are the last. */
function forgetOld(known: LRUCache<string, Held>): void {
  for (;;) {
    const { value: oldest } = known.rvalues().next();
    if (!oldest || oldest.until > Date.now()) return;
    known.pop();
  }
}

/** Nearly what one takes in memory, measured with names of all lengths. */
const CALLER_BYTES = 600;
const NAME_BYTES = 80;
const NETWORK_BYTES = 300;

function bytesOf({ caller }: Held): number {
  let bytes = CALLER_BYTES;
  for (const name of caller?.modelLimits ?? []) bytes += NAME_BYTES + name.length;
  return bytes + NETWORK_BYTES * (caller?.allowIps.length ?? 0);
}

/**
 * The caller of a call that the user makes from the console, without a token; null when he is banned or gone. In the frame
 * of an application it may be the application that calls, which is not let spend his accounts at suppliers.
 */
export async function consoleCaller(
  { orm }: Deps['db'],
  { userId, appId }: { userId: number; appId: number | null },
): Promise<Caller | null> {
  const [user] = await orm
    .select()
    .from(users)
    .where(and(eq(users.id, userId), eq(users.status, USER_STATUS.active), isNull(users.deleted_at)));
  if (!user) return null;
  return {
    ...whoCalls(userId, NO_TOKEN, appId),
    tokenName: consoleName(user.group_name),
    tokenStatus: TOKEN_STATUS.enabled,
    expiredTime: NEVER,
    unlimited: true,
    modelLimits: null,
    allowIps: [],
    group: user.group_name,
    keyHint: '',
    ownKeys: appId === null,
    seesAccount: appId === null,
    ...userPart(user, appId),
  };
}

/** In the logs, where a token's name stands. */
const consoleName = (group: string): string => `playground-${group}`;

/** The same in another group. */
export const consoleCallerIn = (caller: Caller, group: string): Caller => ({
  ...caller,
  tokenName: consoleName(group),
  group,
});

/**
 * The caller of a call that an application makes with the access token of a user who let it, at his expense and under
 * its name; his accounts at suppliers are not what it was let spend.
 */
async function applicationCaller(db: Deps['db'], accessToken: string): Promise<Caller | null> {
  const grant = await readRelayGrant(db, accessToken);
  const caller = grant && (await consoleCaller(db, { userId: grant.user.id, appId: grant.appId }));
  if (!caller) return null;
  const { appName: tokenName, expiresAt: expiredTime, scopes } = grant;
  return {
    ...caller,
    tokenName,
    expiredTime,
    keyHint: maskKey(accessToken),
    seesAccount: scopes.includes('balance'),
  };
}

/** An application has no rights but those of an ordinary user, whoever lets it call, and by what it calls. */
const userPart = (user: typeof users.$inferSelect, appId: number | null) => ({
  username: user.username,
  role: appId === null ? user.role : ROLE.user,
  userStatus: user.status,
  userGroup: user.group_name,
  acceptUnset: user.setting.accept_unset_model_ratio_model === true,
});

async function readCaller({ orm }: Deps['db'], lookup: string): Promise<Caller | null> {
  const [row] = await orm
    .select({ token: tokens, user: users })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.user_id))
    .where(and(eq(tokens.key_lookup, lookup), isNull(tokens.deleted_at), isNull(users.deleted_at)));
  if (!row) return null;
  const { token, user } = row;
  return {
    ...whoCalls(user.id, token.id, token.oauth_app_id),
    tokenName: token.name,
    tokenStatus: token.status,
    expiredTime: token.expired_time,
    unlimited: token.unlimited_quota,
    modelLimits: token.model_limits_enabled ? new Set(token.model_limits) : null,
    allowIps: token.allow_ips.map(parseNetwork).filter((network) => network !== null),
    group: token.group_name || user.group_name,
    keyHint: token.key_hint,
    ownKeys: token.own_keys,
    seesAccount: token.oauth_app_id === null,
    ...userPart(user, token.oauth_app_id),
  };
}
