/** Anthropic's Messages, as Claude's own service, Bedrock, Vertex and several copies of it speak it. */

import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { messagesTools, withUseLimits } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import type { ForwardSettings } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { knownOfMessages } from '../hosted-tools.ts';
import { STRANGE_CONTAINERS_OF_CLAUDE } from '../named-containers.ts';
import { namesRead } from '../other-texts.ts';
import { withContentLimits } from '../reading-tools.ts';
import { asReadBy } from './billing-line.ts';
import { proofFor, type ThoughtsReader } from './claude-proofs.ts';
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

function forward(body: JsonObject, set: ForwardSettings): JsonObject {
  const copy: JsonObject = { ...body, model: set.model, messages: ownHistory(body.messages, set) };
  if (set.stream) copy.stream = true;
  else delete copy.stream;
  return copy;
}

/**
 * A history without what answers of other makers left in it: thoughts that who is asked refuses, and their marks on calls.
 * A turn of which nothing is left is refused as well.
 */
function ownHistory(messages: JsonObject[string], reader: ThoughtsReader): JsonObject[string] {
  if (!Array.isArray(messages)) return messages;
  return messages.flatMap((message) => {
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content))
      return [message];
    const content = message.content.flatMap((block) => ownBlock(block, reader));
    return content.length > 0 || message.content.length === 0 ? [{ ...message, content }] : [];
  });
}

function ownBlock(given: Json, reader: ThoughtsReader): Json[] {
  const block = objectOf(given);
  if (block?.type === 'thinking') {
    const signature = proofFor(reader, textOf(block.signature) ?? '');
    return signature === undefined ? [] : [{ ...block, signature }];
  }
  if (block?.type !== 'tool_use' || block.extra_content === undefined) return [given];
  const { extra_content: _, ...own } = block;
  return [own];
}

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
