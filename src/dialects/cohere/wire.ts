/** Cohere's v2 chat, which no caller speaks: requests are only written, answers only read. */
import type { UpstreamDialect } from '../codec.ts';
import { readError } from './errors.ts';
import { CohereReader } from './read-stream.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    cohere: true;
  }
}

export const cohere: UpstreamDialect = {
  id: 'cohere',
  writeRequest,
  readReply,
  streamReader: () => new CohereReader(),
  readError,
};
