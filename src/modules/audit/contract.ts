/** What is told of the audit of the books. */
import type { Finding } from '../../billing/audit.ts';

/** How the last audit came out. */
export interface AuditResult {
  /** Unix seconds. */
  checked_at: number;
  /** How long it took, with its pauses. */
  seconds: number;
  /** How many sums were proven. */
  checks: number;
  /** Names of those that took longer than they may. */
  unfinished: string[];
  /** How many things do not hold. */
  found: number;
  /** The first of them; to administrators below root none. */
  findings: Finding[];
}
