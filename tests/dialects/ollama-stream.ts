/** A stream of Ollama's with everything in it, and the lines that such streams are made of. */
import type { JsonObject } from '../../src/core/json.ts';
import { parseFrame } from '../../src/dialects/frames.ts';
import { splitterFor } from '../../src/dialects/framing.ts';
import type { StreamEvent } from '../../src/dialects/neutral.ts';
import { ollama } from '../../src/dialects/ollama/wire.ts';
import { eventsOfFrames } from './bytes.ts';

export const line = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: 'llama3.2',
  created_at: '2025-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});

export const STREAM: JsonObject[] = [
  line({ thinking: 'h' }),
  line({ thinking: 'm' }),
  line({ content: 'o' }),
  line({ content: 'k é 🙂' }),
  line({
    tool_calls: [
      { function: { name: 'f', arguments: { x: 1 } } },
      { function: { name: 'g', arguments: {} } },
    ],
  }),
  line({}, { done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7, total_duration: 5 }),
];
export const bytesOf = (lines: readonly JsonObject[]): Uint8Array =>
  Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));

export function read(chunks: readonly Uint8Array[]): StreamEvent[] {
  const splitter = splitterFor('application/x-ndjson');
  const frames = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  return eventsOfFrames(
    ollama.streamReader(),
    frames.map(parseFrame).filter((frame) => frame !== null),
  );
}
