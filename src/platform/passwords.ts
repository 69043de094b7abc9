/**
 * Password hashing: argon2id at 19 MiB and two passes (OWASP's floor), one at a time, off the event loop, with a
 * short line of waiting calls and rests while many wait. A flood of sign-ins is refused with 429 and cannot starve the
 * relay of CPU.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Metrics } from './metrics.ts';

const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export interface Passwords {
  /** Throws RATE_LIMIT while the line is full: for asking before work that a refused caller should not cause. */
  requireRoom(): void;
  hash(password: string): Promise<string>;
  /** `hash` null (no such user, or no password set) takes as long as a real check and is false. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export function createPasswords(metrics?: Metrics): Passwords {
  let waiting = 0;
  metrics?.gauge(
    'tollgate_passwords_waiting',
    'Passwords in line for hashing, the one under way too',
    () => waiting,
  );
  let last: Promise<unknown> = Promise.resolve();
  const decoy = Bun.password.hash(crypto.randomUUID(), ARGON2);

  const requireRoom = (): void => {
    if (waiting >= limits.passwordQueue)
      throw fail('RATE_LIMIT', { internal: 'password queue full', retryAfterSec: 2 });
  };

  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    requireRoom();
    waiting++;
    const result = last
      .then(async () => {
        const startedAt = performance.now();
        const value = await work();
        const seconds = (performance.now() - startedAt) / 1_000;
        metrics?.observe(
          'tollgate_password_seconds',
          'Time of hashing a password, without its wait',
          seconds,
        );
        return value;
      })
      .finally(() => {
        waiting--;
      });
    // So many come at once in a flood alone; between its hashes the core is the relay's.
    last = result
      .catch(() => undefined)
      .then(() => (waiting >= limits.passwordCrowd ? Bun.sleep(limits.passwordRestMs) : undefined));
    return result;
  };

  // The same password typed on two keyboards must hash alike, hence NFKC.
  return {
    requireRoom,
    hash: (password) => inLine(() => Bun.password.hash(password.normalize('NFKC'), ARGON2)),
    verify: (password, hash) =>
      inLine(async () => {
        const right = await Bun.password.verify(password.normalize('NFKC'), hash ?? (await decoy));
        return hash !== null && right;
      }),
  };
}
