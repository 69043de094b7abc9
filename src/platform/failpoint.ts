/**
 * Places where the process may be told to die at once (TOLLGATE_KILL_AT), so that tests can prove what a crash there
 * costs. Unarmed, a failpoint is one comparison.
 */
import type { FailpointName } from '../env.ts';

let armed: { name: FailpointName; hitsLeft: number } | null = null;

/** Arms one failpoint: the process is killed when it is hit for the nth time. */
export function armFailpoint(at: { name: FailpointName; nth: number } | null): void {
  armed = at && { name: at.name, hitsLeft: at.nth };
}

const isHit = (name: FailpointName): boolean =>
  armed !== null && armed.name === name && --armed.hitsLeft === 0;

const die = () => process.kill(process.pid, 'SIGKILL');

/** Kills the process here when it is armed. */
export function failpoint(name: FailpointName): void {
  if (isHit(name)) die();
}

/** Kills the process a moment later when it is armed: what was just sent is under way, its answer has not been read. */
export function failpointSoon(name: FailpointName): void {
  if (isHit(name)) setImmediate(() => setImmediate(die));
}
