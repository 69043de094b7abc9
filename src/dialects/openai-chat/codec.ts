/** Chat Completions to and from the neutral model. */
import type { ChatCodec } from '../codec.ts';
import { ChatStreamReader } from './read-stream.ts';
import { readReply, writeReply } from './reply.ts';
import { readRequest, readSchemas, writeRequest } from './request.ts';
import { readReasoning } from './thinking.ts';
import { OPENAI_TOOL_NAMES } from './tools.ts';
import { ChatStreamWriter } from './write-stream.ts';

export const openaiChatCodec: ChatCodec = {
  readRequest,
  readSchemas,
  readReasoning,
  writeRequest,
  toolNames: OPENAI_TOOL_NAMES,
  readReply,
  writeReply,
  streamReader: () => new ChatStreamReader(),
  streamWriter: (context) => new ChatStreamWriter(context),
  understood: [
    'stream_options',
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'response_format',
    'reasoning_effort',
    'reasoning',
    'thinking',
    'enable_thinking',
    'thinking_budget',
    'functions',
    'function_call',
    'user',
    'safety_identifier',
  ],
};
