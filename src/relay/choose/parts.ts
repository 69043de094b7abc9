/** What this room keeps between calls. */
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { KeyTurns } from './key-turns.ts';
import type { OwnBreakers } from './own-breakers.ts';
import type { AccountTest, OwnTest } from './own-tests.ts';
import type { UserBudgets } from './retry-budget.ts';
import type { Witnesses } from './witnesses.ts';

export interface ChooseParts {
  /** Open for channels and keys that failed just now. */
  breakers: CircuitBreakers;
  /** The same for callers' own keys, apart: they push out nothing of the operator's. */
  ownBreakers: OwnBreakers;
  /** Who has seen channels and keys fail. */
  witnesses: Witnesses;
  /** Keys and channels that are being disabled: a burst of failures does it once. */
  disabling: Set<string>;
  /** Asks a channel how it is, when a call's failure may be the call's own. */
  ownTest: OwnTest;
  /** The same of a channel that no test can ask. */
  accountTest: AccountTest;
  /** Whose turn it is among a channel's keys. */
  turns: KeyTurns;
  retries: UserBudgets;
  /** The same of what upstreams cannot open. */
  unopened: UserBudgets;
  /** The same of what nobody pays for. */
  ofFree: Learned;
}

/**
 * What is learned by asking, and how much may be asked again. Who asks for nothing but what is free must not decide whom
 * paid calls are asked of, and vendors bound the one apart from the other.
 */
export type Learned = Pick<ChooseParts, 'breakers' | 'ownBreakers' | 'witnesses' | 'turns' | 'retries'>;
