/** The refusal of who finds no room or place among many: those of others come and go. */
import { type AppError, fail } from '../core/errors.ts';

/** `internal`: of what there is none. */
export const overloaded = (internal: string): AppError => fail('OVERLOADED', { internal, retryAfterSec: 2 });
