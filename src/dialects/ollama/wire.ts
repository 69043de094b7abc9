/**
 * Ollama's /api/chat, which no caller speaks: requests are only written, answers only read. Its streams are lines of
 * JSON, which inside the gateway are frames like any other.
 */
import type { UpstreamDialect } from '../codec.ts';
import { readError } from './errors.ts';
import { OllamaReader } from './read-stream.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    ollama: true;
  }
}

export const ollama: UpstreamDialect = {
  id: 'ollama',
  writeRequest,
  readReply,
  streamReader: () => new OllamaReader(),
  readError,
  streamsJson: true,
};
