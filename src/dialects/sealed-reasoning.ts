/**
 * OpenAI seals reasoning to the account and the model that it was written for: any other refuses the whole call that brings
 * it back. So a mark of both goes along with what is carried through clients of other dialects, and who has not written it
 * is not sent it: the model thinks anew.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isReference } from './account.ts';
import type { UpstreamWire } from './codec.ts';
import type { DialectId } from './dialect.ts';
import { fieldsBut, textOf } from './fields.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent } from './neutral.ts';

/** The mark of an account and a model on the reasoning item of this id. On each it is another, so that it tells nobody of them. */
export type MarkOf = (id: string | undefined) => string;

const SEALING: DialectId = 'openai-responses';

/** The wire of an account and a model, whose reasoning goes back to them alone where it is sealed so. */
export function withOwnSeals(wire: UpstreamWire, markOf: MarkOf): UpstreamWire {
  if (wire.id !== SEALING) return wire;
  const marked = (part: Part): Part =>
    part.type === 'thinking' && part.origin === SEALING ? { ...part, mark: markOf(part.id) } : part;
  // What an earlier version has carried has no mark.
  const isOthers = (part: Part): boolean =>
    part.type === 'thinking' && part.mark !== undefined && part.mark !== markOf(part.id);
  return {
    ...wire,
    writeRequest(request, target) {
      const own = withoutParts(request, isOthers);
      if (own !== request) target.drop('thinking');
      return wire.writeRequest(own, target);
    },
    readReply: (body) => withParts(wire.readReply(body), marked),
    streamReader() {
      const reader = wire.streamReader();
      const read = (events: StreamEvent[]) =>
        events.map((event) => (event.type === 'part-start' ? { ...event, part: marked(event.part) } : event));
      return { push: (frame) => read(reader.push(frame)), end: () => read(reader.end()) };
    },
  };
}

/** The request itself where it has none of them. */
function withoutParts(request: ChatRequest, isOut: (part: Part) => boolean): ChatRequest {
  let isWhole = true;
  const messages = request.messages.map((message) => {
    const parts = message.parts.filter((part) => !isOut(part));
    if (parts.length === message.parts.length) return message;
    isWhole = false;
    return { ...message, parts };
  });
  return isWhole ? request : { ...request, messages };
}

const withParts = (reply: ChatReply, change: (part: Part) => Part): ChatReply => ({
  ...reply,
  choices: reply.choices.map((choice) => ({ ...choice, parts: choice.parts.map(change) })),
});

// ---- Where it is refused all the same, as what a caller of Responses brings himself ------------------------------------

const isReasoning = (item: unknown): boolean => isObject(item) && item.type === 'reasoning';

/** Whether a body in the words of this dialect brings back what its upstream may be unable to open. */
export const bringsReasoning = ({ input }: JsonObject, dialect: DialectId): boolean =>
  dialect === SEALING && Array.isArray(input) && input.some(isReasoning);

/** The reasoning itself, and a reference to some. */
const isOfReasoning = (item: JsonObject): boolean =>
  isReasoning(item) || (isReference(item) && textOf(item.id)?.startsWith('rs_') === true);

/**
 * What has run at OpenAI is known there by its id, given together with reasoning: it is refused without either. What came of
 * it stands in the answer.
 */
const RAN_THERE: ReadonlySet<unknown> = new Set([
  'code_interpreter_call',
  'file_search_call',
  'image_generation_call',
  'mcp_call',
]);

/** What has such an id too, and needs none: as Codex sends searches, calls and answers back. */
const isNamedWithIt = ({ type }: JsonObject): boolean =>
  type === 'message' || (textOf(type)?.endsWith('_call') ?? false);

const ID: ReadonlySet<string> = new Set(['id']);

/** The same body without. */
export function withoutReasoning(body: JsonObject): JsonObject {
  if (!Array.isArray(body.input)) return body;
  const input = body.input.flatMap((item): Json[] => {
    if (!isObject(item)) return [item];
    const said = item as JsonObject;
    if (isOfReasoning(said) || RAN_THERE.has(said.type)) return [];
    return [isNamedWithIt(said) ? fieldsBut(said, ID) : said];
  });
  return { ...body, input };
}
