/**
 * Looks names up by c-ares, which needs none of the runtime's few threads: the way of the C library holds one for as long
 * as a name server is silent, and passwords, sessions, files and connections wait for the same ones (decision 036). What
 * users name takes turns, in a part of the places; what the operator has named goes ahead.
 */
import { Resolver, setServers } from 'node:dns';
import { LRUCache } from 'lru-cache';
import pTimeout, { TimeoutError } from 'p-timeout';
import { limits } from '../core/limits.ts';
import { createFairGate, type Leave, type Turn } from './fair-gate.ts';

/** The user who gave a name, and from where he did: users of one network share their places. */
export type Asker = Required<Pick<Turn, 'who' | 'network'>>;

/**
 * All addresses of a name, the one to connect to first; `asker` where a user gave it. Rejects where it has none, or none was
 * found in time.
 */
export type Resolve = (name: string, asker?: Asker) => Promise<string[]>;

/** A name with more addresses than any service has. */
class CrowdedName extends Error {
  override readonly name = 'CrowdedName';
}

/** `servers` are read again now and then, because c-ares reads them once. */
export function createNames(
  servers: () => string[] = () => new Resolver().getServers(),
  lookUpMs: number = limits.nameMs,
): Resolve {
  const gate = createFairGate({
    atOnce: limits.nameLooksAtOnce,
    behindAtOnce: limits.nameLooksOfUsersAtOnce,
    ofOneAtOnce: limits.nameLooksOfOneAtOnce,
    waitingMax: limits.nameLooksWaiting,
    ofOneWaitingMax: limits.nameLooksOfOneWaiting,
  });
  const failed = new LRUCache<string, true>({ max: limits.namesFailed, ttl: limits.nameFailedMs });
  /** By name, and by whose turn and name: many who ask for the same have one place, and wait in one. */
  const underWay = new Map<string, { looking: Promise<string[]>; begunAt: number }>();
  const waiting = new Map<string, Promise<string[]>>();
  const ask = createCares(servers);

  /** A name that is slow, or crowded, stands in the way of its asker's next and of nobody else's. */
  const begin = async (name: string, leave: Leave): Promise<string[]> => {
    const looking = ask(name);
    underWay.set(name, { looking, begunAt: performance.now() });
    // Who waits for the place still has time for his own.
    const slow = setTimeout(leave.toOthers, lookUpMs / 2);
    let keptMs = 0;
    try {
      return await looking;
    } catch (error) {
      if (error instanceof CrowdedName) keptMs = limits.crowdedNameMs;
      failed.set(name, true);
      throw error;
    } finally {
      clearTimeout(slow);
      underWay.delete(name);
      if (keptMs === 0) leave();
      else {
        leave.toOthers();
        setTimeout(leave, keptMs).unref();
      }
    }
  };

  /** Waits for its turn, unless another's look-up of the same name is under way by then. */
  const inTurn = async (name: string, turn: Turn): Promise<string[]> => {
    const leave = await gate.enter(turn, { withinMs: lookUpMs });
    const begun = underWay.get(name);
    if (!begun) return begin(name, leave);
    leave();
    return begun.looking;
  };

  const find = (name: string, turn: Turn): Promise<string[]> => {
    const key = `${turn.who} ${name}`;
    const known = underWay.get(name)?.looking ?? waiting.get(key);
    if (known) return known;
    const finding = inTurn(name, turn).finally(() => waiting.delete(key));
    waiting.set(key, finding);
    return finding;
  };

  return async (name, asker) => {
    if (failed.has(name)) throw new Error('not found a moment ago');
    const finding = find(name, asker ?? { who: `name:${name}`, ahead: true });
    try {
      return await pTimeout(finding, { milliseconds: lookUpMs });
    } catch (error) {
      // Who waited for his turn has not learnt much of a name that was asked for at the end.
      const askedMs = performance.now() - (underWay.get(name)?.begunAt ?? Number.POSITIVE_INFINITY);
      if (error instanceof TimeoutError && askedMs > lookUpMs / 2) failed.set(name, true);
      throw error;
    }
  };
}

/** Nobody's (RFC 5737). Nothing is ever sent there. */
const NO_SERVER = '192.0.2.1';

/**
 * c-ares keeps each answer for as long as it says, however many there are, and forgets them only when its servers change.
 * So they are changed and changed back when it may have too many, which leaves look-ups under way alone.
 */
function createCares(servers: () => string[]): (name: string) => Promise<string[]> {
  let kept = 0;
  let readAt = performance.now();
  const renew = () => {
    kept = 0;
    readAt = performance.now();
    const now = servers();
    // The interface of a link's own address is not told: without it nobody is reached there.
    if (now.length === 0 || now.some((server) => /^\[?fe80:/i.test(server))) return;
    setServers([...now, NO_SERVER]);
    setServers(now);
  };
  return async (name) => {
    const isStale = performance.now() - readAt >= limits.nameServersMs;
    if (kept >= limits.nameAnswersKept || isStale) renew();
    kept++;
    const found = await Bun.dns.lookup(name, { backend: 'c-ares' });
    kept += found.length;
    if (found.length > limits.addressesOfName) throw new CrowdedName(`${found.length} addresses`);
    return found.map(({ address }) => address);
  };
}
