/** Why an answer ended, in Ollama's words. */
import type { StopReason } from '../neutral.ts';

export const ollamaStops: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  load: 'stop',
  unload: 'stop',
};

export function readStop(word: string, callsTools: boolean): StopReason {
  const stop = ollamaStops[word] ?? 'other';
  return stop === 'stop' && callsTools ? 'tool-calls' : stop;
}
