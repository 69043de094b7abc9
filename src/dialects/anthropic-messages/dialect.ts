/** Anthropic's Messages, as Claude's own service, Bedrock, Vertex and several copies of it speak it. */

import { isObject, type JsonObject } from '../../core/json.ts';
import { checkToolLimits, messagesTools, withUseLimits } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import {
  answeredNow,
  flagIn,
  isAbsent,
  messagesIn,
  modelIn,
  objectIn,
  objectsIn,
  outputCapIn,
  refuse,
  textsIn,
  wrong,
} from '../bounds.ts';
import { isCarried } from '../carried.ts';
import type { ForwardSettings, PathFacts, RequestFacts } from '../dialect.ts';
import { objectsOf } from '../fields.ts';
import { chatTexts, measureChat } from '../measure.ts';
import { withContentLimits } from '../reading-tools.ts';
import { errorBody, errorFrame } from './errors.ts';
import { modelCards } from './model-cards.ts';
import { MESSAGES_READS } from './reads.ts';
import { MessagesTap, readReplyFacts } from './reply-facts.ts';
import { readRequest } from './request.ts';
import { withThoughtLimit, writeWish } from './thinking.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'anthropic-messages': true;
  }
}

/** This wire has one answer only, and no request without a cap. */
function readCaps(body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> {
  const outputCap = outputCapIn(body.max_tokens, 'max_tokens');
  if (outputCap === null) throw refuse('max_tokens', wrong.missing);
  return { outputCap, choices: 1 };
}

function readFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const stream = path.stream ?? flagIn(body.stream, 'stream');
  messagesIn(body.messages, 'messages', (message, at) => {
    if (typeof message.role !== 'string') throw refuse(`${at}.role`, wrong.string);
    if (isAbsent(message.content)) throw refuse(`${at}.content`, wrong.missing);
    checkContent(message.content, `${at}.content`);
  });
  if (!isAbsent(body.system)) checkContent(body.system, 'system');
  objectsIn(body.tools, 'tools');
  checkToolLimits(body);
  answeredNow(body);
  for (const field of ['tool_choice', 'thinking', 'metadata', 'output_config']) objectIn(body[field], field);
  const request = readRequest(body, path);
  return {
    model,
    stream,
    ...readCaps(body),
    prompt: measureChat(request),
    audioOut: false,
    wantsUsage: true,
    affinity: request.user ?? null,
    previousAnswer: null,
  };
}

function checkContent(content: unknown, at: string): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(at, wrong.stringOrArray);
  objectsIn(content, at, (block, where) => {
    if (typeof block.type !== 'string') throw refuse(`${where}.type`, wrong.string);
    textsIn(block, where, ['text', 'thinking', 'signature', 'tool_use_id']);
  });
}

function addSystem(body: JsonObject, text: string, override: boolean): JsonObject {
  const { system } = body;
  if (isAbsent(system) || system === '' || (Array.isArray(system) && system.length === 0)) {
    return { ...body, system: text };
  }
  if (!override) return body;
  if (typeof system === 'string') return { ...body, system: `${text}\n${system}` };
  return { ...body, system: [{ type: 'text', text }, ...objectsOf(system)] };
}

function forward(body: JsonObject, { model, stream }: ForwardSettings): JsonObject {
  const copy: JsonObject = { ...body, model, messages: ownHistory(body.messages) };
  if (stream) copy.stream = true;
  else delete copy.stream;
  return copy;
}

/**
 * A history without what answers of other makers left in it: thinking that no signature of Anthropic's proves, and
 * their marks on calls. The service refuses a request for either.
 */
function ownHistory(messages: JsonObject[string]): JsonObject[string] {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message) => {
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
    if (!objectsOf(message.content).some(isForeign)) return message;
    const content = objectsOf(message.content)
      .filter((block) => block.type !== 'thinking' || !isForeign(block))
      .map(({ extra_content: _, ...block }) => block);
    return { ...message, content };
  });
}

const isForeign = (block: JsonObject): boolean =>
  block.type === 'thinking'
    ? block.signature === '' || isCarried(block.signature)
    : block.type === 'tool_use' && block.extra_content !== undefined;

export const anthropicMessages: CallersDialect = {
  id: 'anthropic-messages',
  path: '/v1/messages',
  isClient: (path, headers) => path.startsWith('/v1/messages') || headers.has('anthropic-version'),
  rules: {
    caps: ['max_tokens'],
    opaque: [...OPAQUE, 'input', 'input_schema', 'input_examples', 'schema', 'citations'],
  },
  reads: MESSAGES_READS,
  readRequest: readFacts,
  paidTools: messagesTools,
  writeWish,
  withThoughtLimit,
  withToolLimits: withUseLimits,
  withReadLimits: withContentLimits,
  promptTexts: (body) => chatTexts(readRequest(body, {})),
  addSystem,
  forward,
  readReply: readReplyFacts,
  tap: () => new MessagesTap(),
  endMarker: null,
  modelCards,
  streamContentType: 'text/event-stream',
  idHeader: 'request-id',
  errorBody,
  errorFrame,
};
