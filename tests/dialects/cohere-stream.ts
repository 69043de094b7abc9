/** A stream of Cohere's with everything in it, and the pieces that such streams are made of. */
import type { JsonObject } from '../../src/core/json.ts';
import { cohere } from '../../src/dialects/cohere/wire.ts';
import type { StreamEvent } from '../../src/dialects/neutral.ts';
import { eventsOfFrames, sseFrames } from './bytes.ts';

export const said = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  delta: { message },
  ...more,
});
export const content = (type: string, piece: JsonObject) => ({
  type,
  ...said({ content: piece }, { index: 0 }),
});
export const called = (type: string, index: number, call: JsonObject) => ({
  type,
  ...said({ tool_calls: call }, { index }),
});

const CITATION = {
  start: 0,
  end: 2,
  text: 'ok',
  sources: [{ type: 'document', id: 'doc:0', document: { id: 'doc:0', text: 'source', title: 'T' } }],
};
export const USAGE = {
  billed_units: { input_tokens: 8, output_tokens: 50 },
  tokens: { input_tokens: 1394, output_tokens: 54 },
  cached_tokens: 1360,
};
export const END = { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: USAGE } };

export const STREAM: JsonObject[] = [
  {
    type: 'message-start',
    id: 'c1',
    ...said({ role: 'assistant', content: [], tool_plan: '', tool_calls: [] }),
  },
  content('content-start', { type: 'thinking', thinking: '' }),
  content('content-delta', { thinking: 'hm' }),
  { type: 'content-end', index: 0 },
  content('content-start', { type: 'text', text: '' }),
  content('content-delta', { text: 'o' }),
  content('content-delta', { text: 'k é 🙂' }),
  { type: 'content-end', index: 0 },
  { type: 'citation-start', ...said({ citations: CITATION }, { index: 0 }) },
  { type: 'citation-end', index: 0 },
  { type: 'tool-plan-delta', ...said({ tool_plan: 'I will ' }) },
  { type: 'tool-plan-delta', ...said({ tool_plan: 'look.' }) },
  called('tool-call-start', 0, { id: 'f_1', type: 'function', function: { name: 'f', arguments: '' } }),
  called('tool-call-delta', 0, { function: { arguments: '{"x":' } }),
  called('tool-call-delta', 0, { function: { arguments: '1}' } }),
  { type: 'tool-call-end', index: 0 },
  called('tool-call-start', 1, { id: 'g_1', type: 'function', function: { name: 'g', arguments: '' } }),
  { type: 'tool-call-end', index: 1 },
  END,
];
export const bytesOf = (events: readonly JsonObject[]): Uint8Array =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));

export const read = (chunks: readonly Uint8Array[]): StreamEvent[] =>
  eventsOfFrames(cohere.streamReader(), sseFrames(chunks));
