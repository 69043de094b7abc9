/** The Responses wire to and from the neutral model. */
import type { ChatCodec } from '../codec.ts';
import { OPENAI_TOOL_NAMES } from '../openai-chat/tools.ts';
import { ResponseStreamReader } from './read-stream.ts';
import { readReply, writeReply } from './reply.ts';
import { readRequest, readSchemas, writeRequest } from './request.ts';
import { readReasoning } from './thinking.ts';
import { ResponseStreamWriter } from './write-stream.ts';

export const openaiResponsesCodec: ChatCodec = {
  readRequest,
  readSchemas,
  readReasoning,
  writeRequest,
  toolNames: OPENAI_TOOL_NAMES,
  // "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64".
  callIds: { most: 64 },
  readReply,
  writeReply,
  streamReader: () => new ResponseStreamReader(),
  streamWriter: (context) => new ResponseStreamWriter(context),
  understood: [
    'instructions',
    'reasoning',
    'text',
    'include',
    'top_logprobs',
    'user',
    'safety_identifier',
    'previous_response_id',
    'stream_options',
  ],
};
