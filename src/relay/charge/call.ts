/** A call under way, as far as its charge depends on it. */
import type { CallQuote } from '../../billing/price.ts';
import type { Blame } from '../../core/blame.ts';
import type { Decimal } from '../../core/decimal.ts';
import type { AppError } from '../../core/errors.ts';
import type { Reason } from '../../core/reasons.ts';
import type { Reading } from '../../core/tool-reading.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayRequest } from '../request.ts';

/** How a stream ended. */
export type StreamEnd = 'done' | 'upstream_cut' | 'client_gone' | 'timeout' | 'exhausted' | 'no_room';

/** What a call that was let in has taken from the rate limits. Only the first word about its end counts. */
export interface RateLimitTicket {
  /** What the caller is told of the limits that apply to him. */
  readonly headers: Readonly<Record<string, string>>;
  answered(tokens: number): void;
  failed(): void;
}

/** Why there was no answer. */
export interface Refusal {
  /** The upstream's own status; 0 when it gave none. */
  status: number;
  blame: Blame;
  /** What the caller is told when nothing else works out. */
  error: AppError;
  /** For the operator: the upstream's words in it are cleaned and cut. */
  reason: Reason;
}

/** A try that came to nothing, as administrators see it. */
export interface FailedTry {
  candidate: Candidate;
  failure: Refusal;
  ms: number;
}

/** A call under way: what is known of it from its admission on. */
export interface Call {
  request: RelayRequest;
  caller: Caller;
  quote: CallQuote;
  /** US dollars per thousand uses of the upstream's tools. */
  toolPrices: Readonly<Record<string, Decimal>>;
  /** Quota units held. */
  held: number;
  /** Milliseconds from its arrival until they were held: reading, waiting, reserving. */
  heldMs?: number;
  /** The part of them that is for uses of paid tools. */
  heldForTools: number;
  /** What tools may read, for which a part of them is. */
  reading: Reading;
  failed: FailedTry[];
  ticket: RateLimitTicket;
  /** What was held has been handed to the settlement. */
  isSettled: boolean;
}
