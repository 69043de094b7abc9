/** An authenticator for tests. */
import { Secret, TOTP } from 'otpauth';

const STEP_MS = 30_000;

/** The code of a secret, so many steps of 30 seconds from now. */
export const totpCode = (secret: string, stepsFromNow = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + stepsFromNow * STEP_MS,
  });

const TURN_MS = 3_000;

/**
 * Waits for the next step where this one is about to end: a code of the step before or after would be two steps away by the
 * time it is looked at.
 */
export async function awayFromTurn(): Promise<void> {
  const left = STEP_MS - (Date.now() % STEP_MS);
  if (left < TURN_MS) await Bun.sleep(left);
}

/** Six digits that are none of those that count now. */
export function wrongCode(secret: string): string {
  const right = [-2, -1, 0, 1, 2].map((step) => totpCode(secret, step));
  for (let n = 0; ; n++) {
    const code = String(n).padStart(6, '0');
    if (!right.includes(code)) return code;
  }
}
