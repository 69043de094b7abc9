/** Talk, a chat of one question: `{ model, say, limit, stream }`. What it means is said in Chat Completions. */
import type { JsonObject } from '../../core/json.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import type { PublicError } from '../dialect.ts';
import { compact } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { reads } from '../other-texts.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    talk: true;
  }
}

/** The same question as a chat. */
export const asChat = ({ model, say, limit, stream }: JsonObject): JsonObject =>
  compact({ model, stream, max_tokens: limit, messages: [{ role: 'user', content: say }] });

const errorBody = ({ code, message }: PublicError): JsonObject => ({ fault: code, because: message });

export const talk: CallersDialect = {
  ...openaiChat,
  id: 'talk',
  path: '/v1/talk',
  isClient: (path) => path.startsWith('/v1/talk'),
  rules: { caps: ['limit'], opaque: OPAQUE },
  readRequest: (body, path) => ({ ...openaiChat.readRequest(asChat(body), path), wantsUsage: true }),
  reads: reads(['model', 'say']),
  promptTexts: (body) => openaiChat.promptTexts(asChat(body)),
  withOutputCap: (body, tokens) => ({ ...body, limit: tokens }),
  endMarker: null,
  errorBody,
  errorFrame: (error) => dataFrame(JSON.stringify(errorBody(error))),
};
