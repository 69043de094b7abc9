/** OpenAI's Chat Completions, as callers and most upstreams speak it. */

import { isObject, type JsonObject } from '../../core/json.ts';
import { chatTools } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import type { ForwardSettings } from '../dialect.ts';
import { dataFrame, KEEP_ALIVE } from '../frames.ts';
import { knownOfChat } from '../hosted-tools.ts';
import { namesRead } from '../other-texts.ts';
import { withoutOffTools } from '../reading-tools.ts';
import { errorBody, errorFrame } from './errors.ts';
import { CHAT_READS } from './reads.ts';
import { ChatStreamTap, readReplyFacts } from './reply-facts.ts';
import { addSystem, foretells, promptTexts, readRequestFacts, withOutputCap } from './request-facts.ts';
import { inItsWords } from './strange-words.ts';
import { withThoughtLimit, writeWish } from './thinking.ts';
import { isForeignDetail } from './thinking-details.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'openai-chat': true;
  }
}

/** A copy with the model and the request for usage; whatever else the caller wrote stays. */
function forward(body: JsonObject, { model, stream, askUsage }: ForwardSettings): JsonObject {
  // Most calls have no such options, and are copied once.
  if (!('stream_options' in body)) {
    const copy: JsonObject = { ...body, model, messages: ownHistory(body.messages) };
    if (stream && askUsage) copy.stream_options = { include_usage: true };
    return copy;
  }
  const { stream_options: options, ...rest } = body;
  const copy: JsonObject = { ...rest, model, messages: ownHistory(body.messages) };
  if (!stream) return options === undefined ? copy : { ...copy, stream_options: options };
  if (!askUsage) return copy;
  return { ...copy, stream_options: { ...(isObject(options) ? options : {}), include_usage: true } };
}

/**
 * A history without the proofs of other makers' reasoning that answers of this gateway left in it: no upstream of this
 * dialect can read them, and some refuse the field.
 */
function ownHistory(messages: JsonObject[string]): JsonObject[string] {
  if (!Array.isArray(messages) || !messages.some(hasForeignDetails)) return messages;
  return messages.map((message) => {
    if (!hasForeignDetails(message)) return message;
    const { reasoning_details: details, ...rest } = message;
    const own = Array.isArray(details) ? details.filter((detail) => !isForeignDetail(detail)) : [];
    return own.length > 0 ? { ...rest, reasoning_details: own } : rest;
  });
}

const hasForeignDetails = (message: unknown): message is JsonObject =>
  isObject(message) &&
  Array.isArray(message.reasoning_details) &&
  message.reasoning_details.some(isForeignDetail);

export const openaiChat: CallersDialect = {
  id: 'openai-chat',
  path: '/v1/chat/completions',
  inItsWords,
  rules: {
    caps: ['max_tokens', 'max_completion_tokens', 'n'],
    // Of films, in settings that are read for themselves.
    own: [...namesRead(CHAT_READS), 'num_frames'],
    opaque: [...OPAQUE, 'parameters', 'schema', 'arguments', 'logit_bias', 'metadata', 'annotations'],
  },
  reads: CHAT_READS,
  readRequest: readRequestFacts,
  paidTools: chatTools,
  knownTool: knownOfChat,
  withoutOffTools,
  writeWish,
  withThoughtLimit,
  promptTexts,
  addSystem,
  foretells,
  withOutputCap,
  forward,
  readReply: readReplyFacts,
  tap: (request) => new ChatStreamTap(request),
  endMarker: dataFrame('[DONE]'),
  keepAlive: KEEP_ALIVE,
  streamContentType: 'text/event-stream',
  errorBody,
  errorFrame,
};
