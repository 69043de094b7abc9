/**
 * Password hashing: argon2id at 19 MiB and two passes (OWASP's floor), one at a time, off the event loop, with a
 * short line of waiting calls. A flood of sign-ins is refused with 429 and cannot starve the relay of CPU.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** `hash` null (no such user, or no password set) takes as long as a real check and is false. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export function createPasswords(): Passwords {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const decoy = Bun.password.hash(crypto.randomUUID(), ARGON2);

  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= limits.passwordQueue)
      throw fail('RATE_LIMIT', { internal: 'password queue full', retryAfterSec: 2 });
    waiting++;
    const result = last.then(work).finally(() => {
      waiting--;
    });
    last = result.catch(() => undefined);
    return result;
  };

  // The same password typed on two keyboards must hash alike, hence NFKC.
  return {
    hash: (password) => inLine(() => Bun.password.hash(password.normalize('NFKC'), ARGON2)),
    verify: (password, hash) =>
      inLine(async () => {
        const right = await Bun.password.verify(password.normalize('NFKC'), hash ?? (await decoy));
        return hash !== null && right;
      }),
  };
}
