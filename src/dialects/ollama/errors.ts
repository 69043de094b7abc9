/** Errors in Ollama's words. */
import type { UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';

export function readError(body: unknown): UpstreamErrorBody | null {
  const answer = objectOf(body);
  const message = textOf(answer?.error) ?? textOf(objectOf(answer?.error)?.message);
  if (message !== undefined) return { message };
  return objectOf(answer?.message) ? null : { message: 'its answer holds no message' };
}
