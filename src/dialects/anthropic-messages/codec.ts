/** The Messages wire both ways. */
import type { ChatCodec } from '../codec.ts';
import { MessagesReader } from './read-stream.ts';
import { readReply, writeReply } from './reply.ts';
import { readRequest, readSchemas, writeRequest } from './request.ts';
import { readThinking } from './thinking.ts';
import { MESSAGES_TOOL_NAMES } from './tools.ts';
import { MessagesWriter } from './write-stream.ts';

export const messagesCodec: ChatCodec = {
  readRequest,
  readSchemas,
  readReasoning: readThinking,
  writeRequest,
  toolNames: MESSAGES_TOOL_NAMES,
  callIds: { isPlain: true },
  readReply,
  writeReply,
  streamReader: () => new MessagesReader(),
  streamWriter: (context) => new MessagesWriter(context),
  understood: ['output_format', 'anthropic_version', 'anthropic_beta', 'cache_control'],
};
