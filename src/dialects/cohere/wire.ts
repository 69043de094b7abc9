/** Cohere's v2 chat, which no caller speaks: requests are only written, answers only read. */
import type { UpstreamDialect } from '../codec.ts';
import type { UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { CohereReader } from './read-stream.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    cohere: true;
  }
}

/** An error is a text where the message would stand, or in what ends a stream. */
function readError(body: unknown): UpstreamErrorBody | null {
  const answer = objectOf(body);
  if (objectOf(answer?.message)) return null;
  const message = textOf(answer?.message) ?? textOf(objectOf(answer?.delta)?.error);
  return { message: message ?? 'its answer holds no message' };
}

export const cohere: UpstreamDialect = {
  id: 'cohere',
  writeRequest,
  readReply,
  streamReader: () => new CohereReader(),
  readError,
};
