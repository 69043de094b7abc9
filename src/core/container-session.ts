/** A container of OpenAI's for as long as somebody knows of it: how long it is there, and how long it is paid for. */
import { MINUTE_SEC } from './time.ts';

export interface KeptContainer {
  /** The account that made it. */
  channelId: number;
  keyId: number;
  /** The tool that runs in it. */
  kind: string;
  gigabytes: number;
  /** When the last session began that is paid for, and when something last ran in it, at the earliest. */
  paidSec: number;
  usedSec: number;
}

/** It goes when nothing has run in it for so long (OpenAI's guide to its interpreter), and as long is a session (its price list). */
const SESSION_SEC = 20 * MINUTE_SEC;

/** It is there: what runs in it makes no other. */
export const isActive = ({ usedSec }: KeptContainer, nowSec: number): boolean =>
  nowSec - usedSec < SESSION_SEC;

/**
 * How many sessions are due for what ran in it from one time until another, and when the last began that is paid for then:
 * none where it begins in one that is paid for, and one more with each that has passed meanwhile.
 */
export function sessionsDue(
  paidSec: number | null,
  fromSec: number,
  untilSec: number,
): { due: number; paidSec: number } {
  const isPaid = paidSec !== null && fromSec - paidSec < SESSION_SEC;
  const since = isPaid ? Math.max(paidSec, fromSec) : fromSec;
  const passed = Math.max(Math.floor((untilSec - since) / SESSION_SEC), 0);
  if (isPaid && passed === 0) return { due: 0, paidSec };
  return { due: passed + (isPaid ? 0 : 1), paidSec: since + passed * SESSION_SEC };
}
