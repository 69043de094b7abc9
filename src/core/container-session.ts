/** A container of OpenAI's for as long as somebody knows of it: how long it is there, and how long it is paid for. */
import { MINUTE_SEC } from './time.ts';

export interface KeptContainer {
  /** The account that made it. */
  channelId: number;
  keyId: number;
  /** The tool that runs in it. */
  kind: string;
  gigabytes: number;
  /** When its price was last taken, and when something last ran in it, at the earliest. */
  paidSec: number;
  usedSec: number;
}

/** It goes when nothing has run in it for so long (OpenAI's guide to its interpreter), and as long is a session (its price list). */
const SESSION_SEC = 20 * MINUTE_SEC;

/** It is there: what runs in it makes no other. */
export const isActive = ({ usedSec }: KeptContainer, nowSec: number): boolean =>
  nowSec - usedSec < SESSION_SEC;

/** What runs in it is paid for already. It is active then. */
export const isPaid = ({ paidSec }: KeptContainer, nowSec: number): boolean => nowSec - paidSec < SESSION_SEC;
