/** Why an answer ended, in the words of Anthropic’s Messages. */
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
