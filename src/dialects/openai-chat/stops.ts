/** Why an answer ended, in the words of OpenAI’s Chat Completions. */
import type { StopWords } from '../stop-words.ts';

export const openaiChatStops: StopWords = {
  read: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'content-filter',
    // What vendors of this wire say besides: Mistral, Zhipu, DeepSeek, Together, text-generation servers, relays.
    end_turn: 'stop',
    eos: 'stop',
    eos_token: 'stop',
    stop_sequence: 'stop-sequence',
    max_tokens: 'length',
    model_length: 'context-length',
    model_context_window_exceeded: 'context-length',
    tool_use: 'tool-calls',
    refusal: 'refusal',
    sensitive: 'content-filter',
    safety: 'content-filter',
    recitation: 'recitation',
  },
  write: {
    stop: 'stop',
    'stop-sequence': 'stop',
    length: 'length',
    'context-length': 'length',
    'tool-calls': 'tool_calls',
    refusal: 'content_filter',
    'content-filter': 'content_filter',
    recitation: 'content_filter',
    pause: 'stop',
    'malformed-tool-call': 'stop',
    other: 'stop',
  },
};
