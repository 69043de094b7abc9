/** The dialects in which callers speak a chat: what each watches on its own wire, and how it is converted. One line each. */
import { messagesCodec } from './anthropic-messages/codec.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { ChatCodec } from './codec.ts';
import { cohereCodec } from './cohere/codec.ts';
import { cohere } from './cohere/dialect.ts';
import type { Dialect, DialectId } from './dialect.ts';
import { geminiCodec } from './gemini/codec.ts';
import { gemini } from './gemini/dialect.ts';
import type { Surface } from './mapping.ts';
import { ollamaCodec } from './ollama/codec.ts';
import { ollama } from './ollama/dialect.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

export interface ChatDialect {
  id: Surface;
  dialect: Dialect;
  codec: ChatCodec;
}

export const chatDialects: readonly ChatDialect[] = [
  { id: 'openai-chat', dialect: openaiChat, codec: openaiChatCodec },
  { id: 'openai-responses', dialect: openaiResponses, codec: openaiResponsesCodec },
  { id: 'anthropic-messages', dialect: anthropicMessages, codec: messagesCodec },
  { id: 'gemini', dialect: gemini, codec: geminiCodec },
];

/** Dialects in which only upstreams are spoken to. Bedrock's Converse is a wire of its provider, not a dialect. */
export const upstreamDialects: readonly (Omit<ChatDialect, 'id'> & { id: DialectId })[] = [
  { id: 'ollama', dialect: ollama, codec: ollamaCodec },
  { id: 'cohere', dialect: cohere, codec: cohereCodec },
];

const codecs = new Map<DialectId, ChatCodec>(
  [...chatDialects, ...upstreamDialects].map(({ id, codec }) => [id, codec]),
);

/** How a dialect is converted; undefined for one that holds no chats. */
export const codecOf = (id: DialectId): ChatCodec | undefined => codecs.get(id);
