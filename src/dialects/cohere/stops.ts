/** Why an answer ended, in Cohere's words. */
import type { StopReason } from '../neutral.ts';

export const cohereStops: Readonly<Record<string, StopReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
  ERROR_LIMIT: 'context-length',
};

export const readStop = (word: string): StopReason => cohereStops[word] ?? 'other';
