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

const WRITTEN: Readonly<Record<StopReason, string>> = {
  stop: 'COMPLETE',
  'stop-sequence': 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  'context-length': 'ERROR_LIMIT',
  'tool-calls': 'TOOL_CALL',
  refusal: 'ERROR_TOXIC',
  'content-filter': 'ERROR_TOXIC',
  recitation: 'ERROR_TOXIC',
  pause: 'COMPLETE',
  'malformed-tool-call': 'ERROR',
  other: 'ERROR',
};

export const readStop = (word: string): StopReason => cohereStops[word] ?? 'other';
export const writeStop = (stop: StopReason): string => WRITTEN[stop];
