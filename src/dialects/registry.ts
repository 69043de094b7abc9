/** The dialects of chats: those in which callers speak, and those in which only upstreams are spoken to. One line each. */
import { messagesCodec } from './anthropic-messages/codec.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { CallersDialect } from './body-rules.ts';
import type { ChatCodec, UpstreamDialect } from './codec.ts';
import { cohere } from './cohere/wire.ts';
import type { DialectId } from './dialect.ts';
import { geminiCodec } from './gemini/codec.ts';
import { gemini } from './gemini/dialect.ts';
import { ollama } from './ollama/wire.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

/** What a dialect of callers watches on its own wire, and how it is converted. */
export interface ChatDialect {
  dialect: CallersDialect;
  codec: ChatCodec;
}

export const chatDialects: readonly ChatDialect[] = [
  { dialect: openaiChat, codec: openaiChatCodec },
  { dialect: openaiResponses, codec: openaiResponsesCodec },
  { dialect: anthropicMessages, codec: messagesCodec },
  { dialect: gemini, codec: geminiCodec },
];

/** Dialects in which only upstreams are spoken to. Bedrock's Converse is a wire of its provider, not a dialect. */
export const upstreamDialects: readonly UpstreamDialect[] = [ollama, cohere];

const codecs = new Map<DialectId, ChatCodec>(chatDialects.map(({ dialect, codec }) => [dialect.id, codec]));

const wires = new Map<DialectId, UpstreamDialect>(
  [...chatDialects.map(upstreamSide), ...upstreamDialects].map((wire) => [wire.id, wire]),
);

/** How the dialect of a caller is converted; undefined for one in which callers hold no chats. */
export const codecOf = (id: DialectId): ChatCodec | undefined => codecs.get(id);

/** How an upstream is spoken to in a dialect; undefined for one that holds no chats. */
export const wireOf = (id: DialectId): UpstreamDialect | undefined => wires.get(id);

function upstreamSide({ dialect, codec }: ChatDialect): UpstreamDialect {
  const { id, streamsJson } = dialect;
  const readError = (body: unknown) => dialect.readReply(body).error ?? dialect.readRefusal?.(body) ?? null;
  return { ...codec, id, streamsJson, readError };
}
