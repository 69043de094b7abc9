/** The refusal of who finds no room or place among many: those of others come and go. */
import { type AppError, fail } from '../core/errors.ts';

/** Seconds after which who found a line or a house full may ask again. */
export const RETRY_SEC = 2;

/** `internal`: of what there is none. */
export const overloaded = (internal: string): AppError =>
  fail('OVERLOADED', { internal, retryAfterSec: RETRY_SEC });
