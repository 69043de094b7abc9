/** Why an answer ended, in the words of Gemini. */
import type { StopWords } from '../stop-words.ts';

export const geminiStops: StopWords = {
  read: {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    // Of a longer answer all that one call writes: what goes on with it stands beside, for who speaks this wire.
    CONTINUATION: 'length',
    SAFETY: 'content-filter',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    IMAGE_SAFETY: 'content-filter',
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    RECITATION: 'recitation',
    IMAGE_RECITATION: 'recitation',
    MALFORMED_FUNCTION_CALL: 'malformed-tool-call',
    UNEXPECTED_TOOL_CALL: 'malformed-tool-call',
    TOO_MANY_TOOL_CALLS: 'malformed-tool-call',
    MALFORMED_RESPONSE: 'malformed-tool-call',
    // It is the request that lacks one.
    MISSING_THOUGHT_SIGNATURE: 'other',
    MODEL_ARMOR: 'content-filter',
    LANGUAGE: 'other',
    OTHER: 'other',
    NO_IMAGE: 'other',
    IMAGE_OTHER: 'other',
  },
  write: {
    stop: 'STOP',
    'stop-sequence': 'STOP',
    length: 'MAX_TOKENS',
    'context-length': 'MAX_TOKENS',
    'tool-calls': 'STOP',
    refusal: 'SAFETY',
    'content-filter': 'SAFETY',
    recitation: 'RECITATION',
    pause: 'STOP',
    'malformed-tool-call': 'MALFORMED_FUNCTION_CALL',
    other: 'OTHER',
  },
};
