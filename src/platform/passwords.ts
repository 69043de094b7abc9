/**
 * Password hashing: argon2id at 19 MiB and two passes (OWASP's floor), one at a time, off the event loop, with a bounded
 * line of waiting calls, of which each identity has its share, and rests while many wait. A flood of sign-ins is refused
 * with 429, waits in lines of its own and cannot starve the relay of CPU.
 */

import { AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { normalised } from '../core/normalised.ts';
import { shareOfUser } from '../core/share.ts';
import { createFairGate, type Turn } from './fair-gate.ts';
import type { Metrics } from './metrics.ts';
import { RETRY_SEC } from './overloaded.ts';

/** What one hash costs: KiB of memory, and passes over it. */
export interface PasswordCost {
  memoryCost: number;
  timeCost: number;
}
const COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 };

/** Whoever asks for one hash after he has passed other bounds, such as the token of the set-up. */
const ANYBODY: Turn = { who: '', ahead: true };

/** A user, whom no stranger's sign-ins keep waiting: by his session, a known browser, or a link that was sent to him. */
export const turnOfUser = (id: number): Turn => ({ who: shareOfUser(id), ahead: true });

export interface Passwords {
  /** Throws RATE_LIMIT while the line is full: for asking before work that a refused caller should not cause. */
  requireRoom(turn?: Turn): void;
  hash(password: string, turn?: Turn): Promise<string>;
  /** `hash` null (no such user, or no password set) takes as long as a real check and is false. */
  verify(password: string, hash: string | null, turn?: Turn): Promise<boolean>;
}

const tooMany = () => fail('RATE_LIMIT', { internal: 'password queue full', retryAfterSec: RETRY_SEC });

/** Tests give their own: what they hash protects nobody. */
export interface PasswordWork {
  cost?: PasswordCost;
  /** Resolves after so many milliseconds. */
  rest?: (ms: number) => Promise<void>;
}

/** `most`: in line, the one under way too. */
export function createPasswords(
  metrics?: Metrics,
  { cost = COST, rest = Bun.sleep }: PasswordWork = {},
  most: number = limits.passwordQueue,
): Passwords {
  const argon2 = { algorithm: 'argon2id', ...cost } as const;
  const line = createFairGate({
    atOnce: 1,
    ofOneAtOnce: 1,
    waitingMax: most - 1,
    ofOneWaitingMax: limits.passwordQueueOfOne,
  });
  metrics?.gauge(
    'tollgate_passwords_waiting',
    'Passwords in line for hashing, the one under way too',
    () => line.size,
  );
  const decoy = Bun.password.hash(crypto.randomUUID(), argon2);

  const inLine = async <T>(turn: Turn, work: () => Promise<T>): Promise<T> => {
    const leave = await line.enter(turn).catch((error: unknown) => {
      throw error instanceof AppError ? tooMany() : error;
    });
    try {
      const startedAt = performance.now();
      const value = await work();
      const seconds = (performance.now() - startedAt) / 1_000;
      metrics?.observe('tollgate_password_seconds', 'Time of hashing a password, without its wait', seconds);
      return value;
    } finally {
      // So many come at once in a flood alone; between its hashes the core is the relay's.
      if (line.size > limits.passwordCrowd) void rest(limits.passwordRestMs).then(leave);
      else leave();
    }
  };

  // The same password typed on two keyboards must hash alike, hence NFKC.
  return {
    requireRoom(turn = ANYBODY) {
      if (line.isFullFor(turn)) throw tooMany();
    },
    hash: (password, turn = ANYBODY) => inLine(turn, () => Bun.password.hash(normalised(password), argon2)),
    verify: (password, hash, turn = ANYBODY) =>
      inLine(turn, async () => {
        const right = await Bun.password.verify(normalised(password), hash ?? (await decoy));
        return hash !== null && right;
      }),
  };
}
