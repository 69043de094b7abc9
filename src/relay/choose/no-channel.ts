import { type AppError, fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import type { Caller } from '../../modules/token/callers.ts';

/** The refusal where none that has the model may be asked now. */
export const noChannel = ({ group }: Pick<Caller, 'group'>, model: string): AppError =>
  fail('no_available_channel', { params: { group: asIs(group), model: asIs(model) } });
