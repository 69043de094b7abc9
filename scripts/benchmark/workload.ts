/** What is measured: the one call that every target gets, and how a stream runs. */
export const MODEL = 'gpt-4o';

/** How callers ask, and what ends a whole stream. The body below is a request in both dialects. */
export const DIALECTS = {
  openai: { path: '/v1/chat/completions', end: '[DONE]' },
  anthropic: { path: '/v1/messages', end: 'message_stop' },
} as const;
export type CallerDialect = keyof typeof DIALECTS;

/** Frames of content in a stream, and the time between them. */
export const CHUNKS = 100;
export const CHUNK_EVERY_MS = 20;

const question = 'Explain in simple words why the sky is blue and sunsets are red. '.repeat(9);

/** About 700 bytes, with a cap on the answer as most callers send it. */
export const bodyOf = (stream: boolean): string =>
  JSON.stringify({
    model: MODEL,
    messages: [{ role: 'user', content: question }],
    max_tokens: 200,
    ...(stream ? { stream: true } : {}),
  });
