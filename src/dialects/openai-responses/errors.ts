/** Errors on the Responses wire: those of the chat wire, and an event of its own for those that come late. */
import type { PublicError } from '../dialect.ts';
import { objectOf } from '../fields.ts';
import { errorBody } from '../openai-chat/errors.ts';
import { eventFrame } from './write-stream.ts';

export { errorBody, readError } from '../openai-chat/errors.ts';

export function errorFrame(given: PublicError): string {
  const error = objectOf(errorBody(given).error) ?? {};
  const { code, message, param } = error;
  return eventFrame({ type: 'error', sequence_number: 0, code, message, param, error });
}
