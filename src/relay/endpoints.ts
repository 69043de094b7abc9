/** Every call of the relay: one row each. */
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.ts';
import type { Dialect, Operation } from '../dialects/dialect.ts';
import { arrayJoiner, type Joiner } from '../dialects/framing.ts';
import { gemini } from '../dialects/gemini/dialect.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../dialects/openai-responses/dialect.ts';

export interface Endpoint {
  path: string;
  operation: Operation;
  /** What callers speak there. */
  dialect: Dialect;
  /** What the path says of the answer, where the body does not say it. */
  stream?: boolean;
  /** How the caller wants a stream framed, where that is not as events. */
  joiner?(query: URLSearchParams): (() => Joiner) | null;
}

export const endpoints: readonly Endpoint[] = [
  { path: '/v1/chat/completions', operation: 'chat', dialect: openaiChat },
  { path: '/v1/responses', operation: 'chat', dialect: openaiResponses },
  { path: '/v1/messages', operation: 'chat', dialect: anthropicMessages },
];

/** Google's calls, whose paths name the model and what is done with it: `ROOT/{model}:{action}`. */
export const modelRoots = ['/v1beta/models', '/v1/models'] as const;

/** By action. */
export const modelActions: Readonly<Record<string, Omit<Endpoint, 'path'>>> = {
  generateContent: { operation: 'chat', dialect: gemini, stream: false },
  streamGenerateContent: {
    operation: 'chat',
    dialect: gemini,
    stream: true,
    joiner: (query) => (query.get('alt') === 'sse' ? null : arrayJoiner),
  },
};

/** The dialect in which a call of no known path is refused: that of the client which makes it. */
export function dialectOf(path: string, headers: Headers): Dialect {
  if (path.startsWith('/v1beta/') || headers.has('x-goog-api-key')) return gemini;
  if (path.startsWith('/v1/messages') || headers.has('anthropic-version')) return anthropicMessages;
  return openaiChat;
}
