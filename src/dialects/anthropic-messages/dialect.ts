/** Anthropic's Messages, as Claude's own service, Bedrock, Vertex and several copies of it speak it. */

import { isObject, type JsonObject } from '../../core/json.ts';
import { messagesTools, withUseLimits } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import { isCarried } from '../carried.ts';
import type { ForwardSettings } from '../dialect.ts';
import { objectsOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { knownOfMessages } from '../hosted-tools.ts';
import { STRANGE_CONTAINERS_OF_CLAUDE } from '../named-containers.ts';
import { namesRead } from '../other-texts.ts';
import { withContentLimits } from '../reading-tools.ts';
import { asReadBy } from './billing-line.ts';
import { errorBody, errorFrame } from './errors.ts';
import { modelCards } from './model-cards.ts';
import { MESSAGES_READS } from './reads.ts';
import { MessagesTap, readReplyFacts } from './reply-facts.ts';
import { addSystem, promptTexts, readRequestFacts } from './request-facts.ts';
import { withThoughtLimit, writeWish } from './thinking.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'anthropic-messages': true;
  }
}

function forward(body: JsonObject, { model, stream }: ForwardSettings): JsonObject {
  const copy: JsonObject = { ...body, model, messages: ownHistory(body.messages) };
  if (stream) copy.stream = true;
  else delete copy.stream;
  return copy;
}

/**
 * A history without what answers of other makers left in it: thinking that no signature of Anthropic's proves, and
 * their marks on calls. The service refuses a request for either, and for a turn of which nothing is left.
 */
function ownHistory(messages: JsonObject[string]): JsonObject[string] {
  if (!Array.isArray(messages)) return messages;
  return messages.flatMap((message) => {
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content))
      return [message];
    if (!objectsOf(message.content).some(isForeign)) return [message];
    const content = objectsOf(message.content)
      .filter((block) => block.type !== 'thinking' || !isForeign(block))
      .map(({ extra_content: _, ...block }) => block);
    return content.length > 0 ? [{ ...message, content }] : [];
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
    own: namesRead(MESSAGES_READS),
    opaque: [...OPAQUE, 'input', 'input_schema', 'input_examples', 'schema', 'citations'],
    kept: STRANGE_CONTAINERS_OF_CLAUDE,
  },
  reads: MESSAGES_READS,
  readRequest: readRequestFacts,
  paidTools: messagesTools,
  knownTool: knownOfMessages,
  writeWish,
  withThoughtLimit,
  withToolLimits: withUseLimits,
  withReadLimits: withContentLimits,
  promptTexts,
  addSystem,
  asReadBy,
  forward,
  readReply: readReplyFacts,
  tap: () => new MessagesTap(),
  endMarker: null,
  modelCards,
  keepAlive: `event: ping\n${dataFrame('{"type":"ping"}')}`,
  streamContentType: 'text/event-stream',
  idHeader: 'request-id',
  errorBody,
  errorFrame,
};
