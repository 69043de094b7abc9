/**
 * Looking up credentials that this process has not seen: who tries many that are nobody's must not cost the database a
 * query each. Look-ups take turns by network; one that was wrong too often has few a second from then on. Credentials
 * that were somebody's lately are always looked up, and those that prove to be ours take turns and count by their holder:
 * nobody's guesses keep them out behind the same address, nor do another's that are gone.
 */
import { LRUCache } from 'lru-cache';
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { createFairGate } from './fair-gate.ts';
import { allFit, type Limiter, type LimitRule, networkRules, turnSubject } from './limiter.ts';
import { type CredentialKind, holderOf } from './own-proof.ts';
import { type Secrets, sha256 } from './secrets.ts';

/** Where a credential is brought from. */
export interface Bringer {
  ip: string;
  /**
   * By what it counts apart from all else that comes from there; empty where it does not. What pages of other sites have
   * somebody bring is such.
   */
  apart: string;
}

/** A credential as it is brought. */
export interface Brought extends Bringer {
  /** Null for one that proves nothing, such as an address that opens what lies there. */
  kind: CredentialKind | null;
  text: string;
}

export interface Lookups {
  /** What `find` finds; null is a wrong one, and counts. Throws RATE_LIMIT without asking, OVERLOADED when too many wait. */
  look<T>(brought: Brought, find: () => Promise<T | null>): Promise<T | null>;
}

/** By what a credential counts: by its holder where it proves one. */
interface Source extends Bringer {
  holder: string | null;
}

const counterOf = (name: string, { apart, holder }: Source): string => {
  const part = holder === null ? apart : `of:${holder}`;
  return part === '' ? name : `${name}:${part}`;
};

function rulesOf(name: string, limit: number, windowSec: number, source: Source): LimitRule[] {
  const key = counterOf(name, source);
  return source.holder === null
    ? networkRules(key, limit, windowSec, source.ip)
    : [{ key, limit, windowSec }];
}

/** The rules that wrong credentials count by, where they are brought to. */
export const wrongCredentials = (where: string, source: Source): LimitRule[] =>
  rulesOf(`wrong-credential:${where}`, limits.badKeysAMinute, 60, source);

export function createLookups(
  { limiter, secrets }: { limiter: Limiter; secrets: Pick<Secrets, 'lookup'> },
  where: string,
  remembered: number = limits.callerCacheEntries,
): Lookups {
  const seen = new LRUCache<string, true>({ max: remembered });
  const gate = createFairGate({
    atOnce: limits.lookupsAtOnce,
    ofOneAtOnce: limits.lookupsOfOneAtOnce,
    waitingMax: limits.lookupsWaiting,
    ofOneWaitingMax: limits.lookupsOfOneWaiting,
  });

  const requireTurn = async (source: Source): Promise<void> => {
    const rules = wrongCredentials(where, source);
    const counts = await Promise.all(rules.map(({ key }) => limiter.counted(key)));
    if (rules.every(({ limit }, n) => (counts[n] ?? 0) < limit)) return;
    const slow = rulesOf(`slow-lookup:${where}`, limits.slowLookupsASecond, 1, source);
    const { ok, retryAfterSec } = allFit(await limiter.takeAll(slow));
    if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
  };

  return {
    async look({ kind, text, ip, apart }, find) {
      const credential = sha256(text);
      if (seen.has(credential)) {
        const found = await find();
        if (found === null) seen.delete(credential);
        return found;
      }
      const source = { ip, apart, holder: kind && holderOf(secrets, kind, text) };
      const network = turnSubject(ip);
      const found = await gate.run({ who: counterOf(network, source), network }, async () => {
        await requireTurn(source);
        const looked = await find();
        if (looked === null) for (const rule of wrongCredentials(where, source)) await limiter.add(rule, 1);
        return looked;
      });
      if (found !== null) seen.set(credential, true);
      return found;
    },
  };
}
