/** Every call of the relay: one row each. */
import type { Dialect, Operation } from '../dialects/dialect.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';

export interface Endpoint {
  path: string;
  operation: Operation;
  /** What callers speak there. */
  dialect: Dialect;
}

export const endpoints: readonly Endpoint[] = [
  { path: '/v1/chat/completions', operation: 'chat', dialect: openaiChat },
];

/** The dialect in which an unknown path is refused. */
export const defaultDialect: Dialect = openaiChat;
