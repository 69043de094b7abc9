/** generateContent both ways. */
import type { ChatCodec } from '../codec.ts';
import { GeminiReader } from './read-stream.ts';
import { readReply, writeReply } from './reply.ts';
import { readReasoning, readRequest, writeRequest } from './request.ts';
import { GEMINI_TOOL_NAMES } from './tools.ts';
import { GeminiWriter } from './write-stream.ts';

export const geminiCodec: ChatCodec = {
  readRequest,
  readReasoning,
  writeRequest,
  toolNames: GEMINI_TOOL_NAMES,
  putsReferencesIn: true,
  readReply,
  writeReply,
  streamReader: () => new GeminiReader(),
  streamWriter: (context) => new GeminiWriter(context),
  understood: ['toolConfig', 'generationConfig'],
  within: {
    generationConfig: [
      'thinkingConfig',
      'responseMimeType',
      'responseSchema',
      'responseJsonSchema',
      'responseModalities',
      'speechConfig',
    ],
    toolConfig: ['functionCallingConfig'],
  },
};
