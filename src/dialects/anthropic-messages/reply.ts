/** Whole answers of the Messages wire from and into the neutral model. */
import { innerObject } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import type { ReplyContext } from '../codec.ts';
import { compact, fieldsBut, hasFields, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatReply, Part } from '../neutral.ts';
import { readStop, writeStop } from '../stop-words.ts';
import { readBlock } from './read-parts.ts';
import { messagesStops, refusedFor } from './stops.ts';
import { readUsage, writeUsage } from './usage.ts';
import { writeBlocks } from './write-parts.ts';

const KNOWN = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage']);

export function readReply(body: JsonObject): ChatReply {
  const rawStop = textOf(body.stop_reason);
  const parts = objectsOf(body.content).map(readBlock).filter(saysSomething);
  const callsTools = parts.some((part) => part.type === 'tool-call');
  return compact<ChatReply>({
    dialect: 'anthropic-messages',
    id: textOf(body.id) ?? '',
    model: textOf(body.model) ?? '',
    created: 0,
    choices: [
      compact({
        index: 0,
        parts,
        stop: rawStop === undefined ? null : readStop(messagesStops, rawStop, callsTools),
        stopSequence: textOf(body.stop_sequence),
        rawStop,
        refusedFor: refusedFor(body, body.usage),
      }),
    ],
    usage: readUsage(body.usage),
    serviceTier: textOf(objectOf(body.usage)?.service_tier),
    extra: { ...fieldsBut(body, KNOWN), ...usageRest(objectOf(body.usage)) },
  });
}

const COUNTED = new Set([
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
  'service_tier',
]);

/** What the usage says beside the counts that every dialect has. */
function usageRest(usage: JsonObject | undefined): JsonObject {
  const rest = usage ? fieldsBut(usage, COUNTED) : {};
  return hasFields(rest) ? { usage: rest } : {};
}

/** An empty text block is nothing, and would be refused if a client sent it back. */
export const saysSomething = (part: Part): boolean =>
  part.type !== 'text' || part.text !== '' || part.citations !== undefined;

/** Answers beyond the first have no place here. */
export function writeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const own = reply.dialect === 'anthropic-messages';
  const { usage: usageExtra, ...extra } = own ? reply.extra : {};
  const choice = reply.choices[0];
  const content = writeBlocks(choice?.parts ?? [], {
    forModel: null,
    own,
    objectIn: innerObject,
    drop: () => undefined,
  });
  return {
    id: messageId(reply.id, context),
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: content.length > 0 ? content : [{ type: 'text', text: '' }],
    stop_reason: choice?.stop ? writeStop(messagesStops, choice.stop) : null,
    stop_sequence: choice?.stopSequence ?? null,
    usage: {
      ...writeUsage(reply.usage ?? noUsage()),
      ...(reply.serviceTier !== undefined && own && { service_tier: reply.serviceTier }),
      ...objectOf(usageExtra),
    },
    ...extra,
  };
}

/** Clients know a message by the head of its id. */
export function messageId(id: string, context: ReplyContext): string {
  const name = id || context.requestId;
  return name.startsWith('msg_') ? name : `msg_${name}`;
}
