/** What each status of an upstream means: all that follows from a status alone stands here, once. */
import type { Blame } from '../../core/blame.ts';
import type { ErrorCode } from '../../core/errors.ts';

export interface Meaning {
  blame: Blame;
  /** What the caller is told when nothing else works out. */
  tells: ErrorCode;
  /** Nobody else is asked. */
  isFinal?: true;
  /** With another key of the same channel it may go better. */
  mayBeKey?: true;
  /** The key itself is bad, whatever is asked with it. */
  condemnsKey?: true;
  /** It can take no more calls for now. */
  isBusy?: true;
  /** A token of the key's may have been taken back before its time. */
  mayBeStale?: true;
  /** It may be about something of others that the request names. */
  mayBeOfOthers?: true;
  /** It may speak of itself and of its account. */
  speaksOfItself?: true;
  /** It may not have such a call. */
  mayNotOffer?: true;
}

/** What a request is refused for by what it says, at every upstream alike. */
const CALLERS: Meaning = { blame: 'caller', tells: 'upstream_error' };
/** The same, where nobody else need be asked. */
const REJECTED: Meaning = { blame: 'caller', tells: 'upstream_rejected', isFinal: true };
/** The upstream may be at work still, or have been billed. */
const LATE: Meaning = { blame: 'late', tells: 'upstream_timeout', isFinal: true };
const KEYS: Meaning = { blame: 'key', tells: 'upstream_auth', mayBeKey: true, speaksOfItself: true };
const CHANNELS: Meaning = { blame: 'channel', tells: 'upstream_error' };
const SERVERS: Meaning = { ...CHANNELS, speaksOfItself: true };
const UNOFFERED: Meaning = { ...CHANNELS, mayNotOffer: true };

const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [400, { ...REJECTED, speaksOfItself: true }],
  [401, { ...KEYS, condemnsKey: true, mayBeStale: true }],
  // The account behind the key has run out of money.
  [402, { ...KEYS, condemnsKey: true }],
  // It may be refused what it asked for, to this key or to all.
  [403, { ...KEYS, blame: 'channel', mayBeOfOthers: true }],
  [404, UNOFFERED],
  [405, UNOFFERED],
  [408, LATE],
  [409, CALLERS],
  [411, CALLERS],
  [413, REJECTED],
  [414, CALLERS],
  [415, CALLERS],
  [416, CALLERS],
  [422, REJECTED],
  // What a tool server's failure is told as.
  [424, { ...CHANNELS, mayBeOfOthers: true }],
  [428, CALLERS],
  [429, { ...KEYS, tells: 'upstream_busy', isBusy: true }],
  [431, CALLERS],
  [451, CALLERS],
  [501, { ...SERVERS, mayNotOffer: true }],
  [504, { ...LATE, speaksOfItself: true }],
  [524, { ...LATE, speaksOfItself: true }],
]);

export const meaningOf = (status: number): Meaning =>
  MEANINGS.get(status) ?? (status >= 500 ? SERVERS : CHANNELS);
