/** Why an answer ended, in the words of Bedrock's Converse. */
import type { StopReason } from '../neutral.ts';

export const converseStops: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'context-length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  malformed_tool_use: 'malformed-tool-call',
};

export const readStop = (word: string): StopReason => converseStops[word] ?? 'other';
