/** A container of OpenAI's for as long as somebody knows of it: how long it is there, and how long it is paid for. */
import { MINUTE_SEC } from './time.ts';

export interface KeptContainer {
  /** The account that made it. */
  channelId: number;
  keyId: number;
  /** The tool that runs in it. */
  kind: string;
  gigabytes: number;
  /** When the last session began that is paid for. */
  paidSec: number;
  /** When something last ran in it: at the earliest, and at the latest. */
  usedSec: number;
  lastSec: number;
}

/** It goes when nothing has run in it for so long (OpenAI's guide to its interpreter, and Azure's page on Responses). */
const IDLE_SEC = 20 * MINUTE_SEC;

/** It is there: what runs in it makes no other. */
export const isActive = ({ usedSec }: KeptContainer, nowSec: number): boolean => nowSec - usedSec < IDLE_SEC;

/** It may be there, so that what runs may run in it. */
export const mayBeActive = ({ lastSec }: KeptContainer, nowSec: number): boolean =>
  nowSec - lastSec < IDLE_SEC;

/**
 * How many sessions are due for what ran in it from one time until another, and when the last began that is paid for then:
 * none where it begins in one that is paid for, and one more with each that has passed meanwhile.
 */
export function sessionsDue(
  paidSec: number | null,
  { fromSec, untilSec, sessionSec }: { fromSec: number; untilSec: number; sessionSec: number },
): { due: number; paidSec: number } {
  const isPaid = paidSec !== null && fromSec - paidSec < sessionSec;
  const since = isPaid ? paidSec : fromSec;
  const passed = Math.max(Math.floor((untilSec - since) / sessionSec), 0);
  return { due: passed + (isPaid ? 0 : 1), paidSec: since + passed * sessionSec };
}
