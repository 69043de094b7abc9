/** What a test of a channel has found. */
import type { Reason } from '../../core/reasons.ts';

export interface TestResult {
  success: boolean;
  /** Why not, fit to be shown: no key, no address of ours; null for a success. */
  reason: Reason | null;
  timeMs: number;
  /** There was no answer in time. */
  isLate?: boolean;
  /** The upstream refused the key for good, by status or code. */
  isKeyDead?: boolean;
  /** With another key of the channel it may go better. */
  isKeysFault?: boolean;
  /** It takes no more calls for now. */
  isBusy?: boolean;
  /** No test is known for such a model, or it came to none: the failure says nothing of the channel. */
  untested?: true;
}
