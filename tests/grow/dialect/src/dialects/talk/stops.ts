/** Why an answer ended, in the words of Talk. */
import type { StopWords } from '../stop-words.ts';

export const talkStops: StopWords = {
  read: { done: 'stop', full: 'length', refused: 'refusal' },
  write: {
    stop: 'done',
    'stop-sequence': 'done',
    length: 'full',
    'context-length': 'full',
    'tool-calls': 'done',
    refusal: 'refused',
    'content-filter': 'refused',
    recitation: 'refused',
    pause: 'done',
    'malformed-tool-call': 'done',
    other: 'done',
  },
};
