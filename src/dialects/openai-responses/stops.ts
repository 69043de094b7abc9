/**
 * Why an answer ended, in the words of OpenAI’s Responses: its status, or the reason of an incomplete answer. That tools
 * were called shows only in the output items.
 */
import type { StopWords } from '../stop-words.ts';

export const responsesStops: StopWords = {
  read: {
    completed: 'stop',
    max_output_tokens: 'length',
    max_tokens: 'length',
    content_filter: 'content-filter',
  },
  write: {
    stop: 'completed',
    'stop-sequence': 'completed',
    length: 'max_output_tokens',
    'context-length': 'max_output_tokens',
    'tool-calls': 'completed',
    refusal: 'content_filter',
    'content-filter': 'content_filter',
    recitation: 'content_filter',
    pause: 'completed',
    'malformed-tool-call': 'completed',
    other: 'completed',
  },
};
