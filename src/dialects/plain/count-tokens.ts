/** How many tokens a chat would take, as Anthropic and Google are asked for it. Nobody is charged for the question. */
import type { JsonObject } from '../../core/json.ts';
import { messagesCodec } from '../anthropic-messages/codec.ts';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import type { CallersDialect } from '../body-rules.ts';
import type { CallIdForm, RequestTarget, ToolNames } from '../codec.ts';
import type { Dialect, ForwardSettings, PathFacts } from '../dialect.ts';
import { countOf, objectOf } from '../fields.ts';
import { geminiCodec } from '../gemini/codec.ts';
import { gemini } from '../gemini/dialect.ts';
import { bareModel } from '../gemini/names.ts';
import type { ChatRequest } from '../neutral.ts';
import { each, object, type Reads, reads } from '../other-texts.ts';
import { tokensUsage } from './embedding.ts';
import { plainReply } from './plain.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'anthropic-count': true;
    'gemini-count': true;
  }
}

export interface CountCodec {
  readRequest(body: JsonObject, path: PathFacts): ChatRequest;
  writeRequest(request: ChatRequest, target: RequestTarget): JsonObject;
  readonly toolNames: ToolNames | undefined;
  readonly callIds: CallIdForm | undefined;
  /** Null when the answer tells no number. */
  readReply(body: JsonObject): number | null;
  writeReply(tokens: number): JsonObject;
}

export interface CountDialect extends CallersDialect {
  readonly count: CountCodec;
}

const factsOf = (read: (body: JsonObject) => number | null): Dialect['readReply'] => {
  return (body) =>
    plainReply(body, (answer) => {
      const tokens = read(answer);
      return {
        usage: tokens === null ? null : tokensUsage(tokens),
        missing: tokens === null ? 'count' : null,
        // It is the count itself: nothing stays nothing.
        isEmpty: true,
      };
    });
};

// ---- Anthropic ---------------------------------------------------------------------------------------------------

/** The question names no cap, which the chat must. */
const capped = (body: JsonObject): JsonObject => ({ ...body, max_tokens: 1 });

function withoutCap(body: JsonObject): JsonObject {
  const { max_tokens: _, stream: __, ...rest } = body;
  return rest;
}

const anthropicTokens = ({ input_tokens }: JsonObject): number | null => countOf(input_tokens) ?? null;

export const anthropicCount: CountDialect = {
  ...anthropicMessages,
  id: 'anthropic-count',
  // Anthropic's knows no container, and whose one is nobody looks up for it.
  rules: { ...anthropicMessages.rules, kept: {} },
  readRequest: (body, path) => anthropicMessages.readRequest(capped(body), { ...path, stream: false }),
  promptTexts: (body) => anthropicMessages.promptTexts(capped(body)),
  forward: (body, set) => withoutCap(anthropicMessages.forward(body, { ...set, stream: false })),
  readReply: factsOf(anthropicTokens),
  count: {
    readRequest: (body, path) => messagesCodec.readRequest(capped(body), path),
    writeRequest: (request, target) => withoutCap(messagesCodec.writeRequest(request, target)),
    toolNames: messagesCodec.toolNames,
    callIds: messagesCodec.callIds,
    readReply: anthropicTokens,
    writeReply: (tokens) => ({ input_tokens: tokens }),
  },
};

// ---- Google ------------------------------------------------------------------------------------------------------

/** The chat that is asked about stands in the question, or is it. */
const chatIn = (body: JsonObject): JsonObject =>
  objectOf(body.generateContentRequest) ?? objectOf(body.generate_content_request) ?? body;

const geminiTokens = ({ totalTokens }: JsonObject): number | null => countOf(totalTokens) ?? null;

function forwardGemini(body: JsonObject, set: ForwardSettings): JsonObject {
  const chat = gemini.forward(chatIn(body), set);
  if (chatIn(body) === body) return chat;
  return { generateContentRequest: { ...chat, model: `models/${bareModel(set.model)}` } };
}

/** The same stands in the question, where it does not stand for itself. */
const GEMINI_COUNT_READS: Reads = reads([], {
  ...Object.fromEntries(gemini.reads.fields),
  ...each(['generateContentRequest', 'generate_content_request'], object(gemini.reads)),
});

export const geminiCount: CountDialect = {
  ...gemini,
  id: 'gemini-count',
  reads: GEMINI_COUNT_READS,
  readRequest: (body, path) => gemini.readRequest(chatIn(body), { ...path, stream: false }),
  promptTexts: (body) => gemini.promptTexts(chatIn(body)),
  forward: forwardGemini,
  readReply: factsOf(geminiTokens),
  count: {
    readRequest: (body, path) => geminiCodec.readRequest(chatIn(body), path),
    writeRequest: (request, target) => ({
      generateContentRequest: {
        ...geminiCodec.writeRequest(request, target),
        model: `models/${bareModel(target.model)}`,
      },
    }),
    toolNames: geminiCodec.toolNames,
    callIds: geminiCodec.callIds,
    readReply: geminiTokens,
    writeReply: (tokens) => ({
      totalTokens: tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    }),
  },
};
