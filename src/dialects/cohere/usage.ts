/**
 * Usage as Cohere counts it, twice: what was read and written, its own preamble included, and what it bills. The
 * billed counts are what a call costs; cached tokens are part of the preamble and of neither price.
 */
import { noUsage, type Usage } from '../../core/usage.ts';
import { countOf, objectOf } from '../fields.ts';

/** What a `usage` object means; null when it counts nothing. */
export function readUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  const counted = objectOf(usage?.billed_units) ?? objectOf(usage?.tokens);
  const input = countOf(counted?.input_tokens);
  const output = countOf(counted?.output_tokens);
  if (input === undefined && output === undefined) return null;
  return { ...noUsage(), input: input ?? 0, output: output ?? 0 };
}
