/** Errors in the words of Bedrock's Converse. */
import type { UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';

/** An answer without an output is an error, whatever its status. */
export function readError(body: unknown): { error: UpstreamErrorBody; status: number } | null {
  const answer = objectOf(body);
  if (objectOf(answer?.output)) return null;
  const message = textOf(answer?.message) ?? textOf(answer?.Message) ?? 'its answer holds no output';
  return { error: { message, type: textOf(answer?.__type) }, status: 502 };
}
