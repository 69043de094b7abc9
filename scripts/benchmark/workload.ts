/** What is measured: the one call that every target gets, and how a stream runs. */
export const MODEL = 'gpt-4o';
export const CHAT_PATH = '/v1/chat/completions';

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
