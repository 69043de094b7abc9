/** Cohere's v2 chat both ways. */
import type { ChatCodec } from '../codec.ts';
import { CohereReader } from './read-stream.ts';
import { readReply, writeReply } from './reply.ts';
import { readRequest, writeRequest } from './request.ts';
import { CohereWriter } from './write-stream.ts';

export const cohereCodec: ChatCodec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader: () => new CohereReader(),
  streamWriter: (context) => new CohereWriter(context),
};
