/** The shortest whole answers of upstreams, a word and what it has used: one for each wire. */
import type { JsonObject } from '../../src/core/json.ts';

export const chatAnswer = (usage: JsonObject, content = 'ok', message: JsonObject = {}): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content, ...message }, finish_reason: 'stop' }],
  usage,
});

export const messagesAnswer = (usage: JsonObject, text = 'ok'): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage,
});

/** `before`: what stands before the word, such as the uses of tools. */
export const responsesAnswer = (
  usage: JsonObject,
  { text = 'ok', id = 'resp_1', before = [] }: { text?: string; id?: string; before?: JsonObject[] } = {},
): JsonObject => ({
  id,
  object: 'response',
  status: 'completed',
  output: [...before, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
  usage,
});

export const geminiAnswer = (
  usageMetadata: JsonObject,
  text = 'ok',
  candidate: JsonObject = {},
): JsonObject => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', ...candidate }],
  usageMetadata,
});
