/** Errors of Cohere's: a text and nothing else. */
import type { JsonObject } from '../../core/json.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { textOf } from '../fields.ts';

export const cohereErrors = {
  errorBody: ({ message, code }: PublicError): JsonObject => ({ message, code }),
  readError(body: JsonObject): UpstreamErrorBody | null {
    const message = textOf(body.message);
    return message === undefined ? null : { message };
  },
};
