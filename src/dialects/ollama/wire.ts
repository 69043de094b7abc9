/**
 * Ollama's /api/chat, which no caller speaks: requests are only written, answers only read. Its streams are lines of
 * JSON, which inside the gateway are frames like any other.
 */
import type { UpstreamDialect } from '../codec.ts';
import type { UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { OllamaReader } from './read-stream.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    ollama: true;
  }
}

function readError(body: unknown): UpstreamErrorBody | null {
  const answer = objectOf(body);
  const message = textOf(answer?.error) ?? textOf(objectOf(answer?.error)?.message);
  if (message !== undefined) return { message };
  return objectOf(answer?.message) ? null : { message: 'its answer holds no message' };
}

export const ollama: UpstreamDialect = {
  id: 'ollama',
  writeRequest,
  readReply,
  streamReader: () => new OllamaReader(),
  readError,
  streamsJson: true,
};
