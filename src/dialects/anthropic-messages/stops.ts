/** Why an answer ended, in the words of Anthropic’s Messages. */
import type { JsonObject } from '../../core/json.ts';
import { isAbsent } from '../bounds.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import type { StopWords } from '../stop-words.ts';

export const messagesStops: StopWords = {
  read: {
    end_turn: 'stop',
    stop_sequence: 'stop-sequence',
    max_tokens: 'length',
    model_context_window_exceeded: 'context-length',
    tool_use: 'tool-calls',
    pause_turn: 'pause',
    compaction: 'pause',
    refusal: 'refusal',
  },
  write: {
    stop: 'end_turn',
    'stop-sequence': 'stop_sequence',
    length: 'max_tokens',
    'context-length': 'model_context_window_exceeded',
    'tool-calls': 'tool_use',
    refusal: 'refusal',
    'content-filter': 'refusal',
    recitation: 'refusal',
    pause: 'pause_turn',
    'malformed-tool-call': 'end_turn',
    other: 'end_turn',
  },
};

/**
 * The category of a refusal, by which Anthropic bills it or not where nothing came before; null where it is of none. Undefined
 * for every other end, for one that cannot be read, and where other models have tried before: those are billed by their own.
 */
export function refusedFor(said: JsonObject, usage: unknown): string | null | undefined {
  if (said.stop_reason !== 'refusal' || objectsOf(objectOf(usage)?.iterations).length > 1) return undefined;
  if (isAbsent(said.stop_details)) return null;
  const details = objectOf(said.stop_details);
  return details && isAbsent(details.category) ? null : textOf(details?.category);
}
