/**
 * Whether a host answers at all is found out by a bare connection when it has not been heard of lately: `fetch` cannot tell
 * connecting from waiting.
 */
import { LRUCache } from 'lru-cache';
import pTimeout from 'p-timeout';
import { limits } from '../../core/limits.ts';

/** A host that did not take a connection in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

/** Opens a connection and closes it again; never rejects. */
export type Connect = (origin: string) => Promise<void>;

export interface Reach {
  /** Connects once to an origin that has not been heard of lately, and throws when that takes this caller too long. */
  reach(origin: string, within: { connectMs: number; signal: AbortSignal }): Promise<void>;
  heardLately(origin: string): boolean;
  hear(origin: string): void;
}

/** What is known of so many origins at the most. */
export function createReach(remembered: number, connect: Connect = connectOnce): Reach {
  const heardOf = new LRUCache<string, number>({ max: remembered });
  const probing = new Map<string, Promise<void>>();

  const heardLately = (origin: string): boolean => {
    const heard = heardOf.peek(origin);
    return heard !== undefined && performance.now() - heard < limits.reachableMs;
  };

  return {
    heardLately,
    hear(origin) {
      heardOf.set(origin, performance.now());
    },
    async reach(origin, { connectMs, signal }) {
      if (heardLately(origin)) return;
      const probe = probing.get(origin) ?? connect(origin);
      probing.set(origin, probe);
      const forget = () => {
        if (probing.get(origin) === probe) probing.delete(origin);
      };
      // After a silence the next one knocks anew.
      const answered = pTimeout(probe, {
        milliseconds: Math.max(connectMs, 1),
        signal,
        fallback: noConnection,
      });
      await answered.finally(forget);
    },
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
};

/** A refusal is left to the call itself, which tells it better; only silence is an error. */
async function connectOnce(origin: string): Promise<void> {
  const { protocol, hostname, port } = new URL(origin);
  try {
    const socket = await Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (DEFAULT_PORTS[protocol] ?? 443),
      socket: { data() {}, error() {} },
    });
    socket.end();
  } catch {
    // Refused or unresolvable.
  }
}

const noConnection = (): never => {
  throw new ConnectTimeout('no connection in time');
};
