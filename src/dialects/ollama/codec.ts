/** Ollama's /api/chat both ways. */
import type { ChatCodec } from '../codec.ts';
import { readReply, writeReply } from './reply.ts';
import { readRequest, writeRequest } from './request.ts';
import { OllamaReader, OllamaWriter } from './stream.ts';

export const ollamaCodec: ChatCodec = {
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  streamReader: () => new OllamaReader(),
  streamWriter: (context) => new OllamaWriter(context),
};
