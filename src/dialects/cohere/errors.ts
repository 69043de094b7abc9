/** Errors in Cohere's words. */
import type { UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';

/** An error is a text where the message would stand, or in what ends a stream. */
export function readError(body: unknown): UpstreamErrorBody | null {
  const answer = objectOf(body);
  if (objectOf(answer?.message)) return null;
  const message = textOf(answer?.message) ?? textOf(objectOf(answer?.delta)?.error);
  return { message: message ?? 'its answer holds no message' };
}
