/**
 * OpenAI seals reasoning to the account and the model that it was written for, or keeps it for the account and shows its id
 * alone: any other refuses the whole call that brings it back. So a mark of both goes along with what is carried through
 * clients of other dialects, and who has not written it is not sent it: the model thinks anew.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isReference } from './account.ts';
import type { UpstreamWire } from './codec.ts';
import type { DialectId } from './dialect.ts';
import { DroppedFields } from './dropped-fields.ts';
import { fieldsBut, objectsOf, textOf } from './fields.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent } from './neutral.ts';
import { isForeign } from './openai-responses/read-parts.ts';

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

/** Whether a body in the words of this dialect brings back what its upstream may be unable to open. */
export const bringsReasoning = ({ input }: JsonObject, dialect: DialectId): boolean =>
  dialect === SEALING && objectsOf(input).some(isOfReasoning);

/** The reasoning itself, and a reference to some. */
const isOfReasoning = (item: JsonObject): boolean =>
  item.type === 'reasoning' || (isReference(item) && textOf(item.id)?.startsWith('rs_') === true);

/** What has run at OpenAI is known there by its id, given together with reasoning: it is refused without either. */
const RAN_THERE: ReadonlySet<string> = new Set([
  'code_interpreter_call',
  'file_search_call',
  'image_generation_call',
  'mcp_call',
]);

/** What has such an id too, and needs none: as Codex sends searches, calls and answers back. */
const isNamedWithIt = ({ type }: JsonObject): boolean =>
  type === 'message' || (textOf(type)?.endsWith('_call') ?? false);

const ID: ReadonlySet<string> = new Set(['id']);

/**
 * The same body without reasoning that is others', and without what was given together with that: all behind it, up to the
 * next, or to what its caller has said. It goes up as it is where there is none.
 */
export function withoutSeals(
  body: JsonObject,
  isOthers: (reasoning: JsonObject) => boolean,
): { body: JsonObject; dropped: readonly string[] } {
  const dropped = new DroppedFields();
  let isOut = false;
  const left = (item: Json): Json[] => {
    if (!isObject(item)) return [item];
    const said = item as JsonObject;
    const isThought = isOfReasoning(said);
    if (isThought) isOut = isOthers(said);
    else if (said.role === 'user') isOut = false;
    if (!isOut) return [item];
    const type = textOf(said.type) ?? '';
    if (!isThought && !RAN_THERE.has(type)) return [isNamedWithIt(said) ? fieldsBut(said, ID) : said];
    dropped.add(isThought ? 'thinking' : type);
    return [];
  };
  const input = Array.isArray(body.input) ? body.input.flatMap(left) : body.input;
  return { body: dropped.names.size > 0 ? { ...body, input } : body, dropped: [...dropped.names] };
}

// ---- Who has sealed it, as far as that is remembered -----------------------------------------------------------------

/** The mark of who has made a seal; undefined where nobody remembers it. */
export interface SealedBy {
  get(seal: string): string | undefined;
}

/** By which who is asked knows its own: what it has sealed, and what it keeps, which all of its models may read. */
export interface OwnMarks {
  sealed: string;
  kept: string;
}

export const markOn = (seal: string, own: OwnMarks): string => (isById(seal) ? own.kept : own.sealed);

/** Whether who has these marks may open it, as far as that is remembered. */
export const mayOpen = (seal: string, sealedBy: SealedBy, own: OwnMarks): boolean =>
  [undefined, markOn(seal, own)].includes(sealedBy.get(seal));

/** What is known of the seals that a call brings. */
export interface KnownSeals extends SealedBy {
  /**
   * Remembers that who has these marks could not open what went up to him. Never rejects. One seal is noted, and all that
   * a call brings before it counts as refused with it: the last of those that nobody remembers, or else of his own.
   */
  refusedBy(own: OwnMarks): Promise<void>;
}

/** Before the digest of an id, which stands for a seal where its service keeps what is sealed. */
const BY_ID = '#';

export const isById = (seal: string): boolean => seal.startsWith(BY_ID);

/**
 * A digest of an item's seal, by which it is known again: not every client brings the item's id back. Where it has none it is
 * known by its id. Undefined where there is nothing of its service's own.
 */
export function sealIn(item: JsonObject): string | undefined {
  if (!isOfReasoning(item) || isForeign(item)) return undefined;
  const [seal = '', id = ''] = [textOf(item.encrypted_content), textOf(item.id)];
  if (seal !== '') return digest(seal);
  return id === '' ? undefined : `${BY_ID}${digest(id)}`;
}

const digest = (text: string): string => Bun.hash(text).toString(36);

/** Of all items of a request or an answer. */
export const sealsIn = (items: unknown): string[] => objectsOf(items).flatMap((item) => sealIn(item) ?? []);

/** Whether what is known of some reasoning says that others than who has these marks have sealed it. */
export const sealedByOthers =
  (sealedBy: SealedBy, own: OwnMarks) =>
  (reasoning: JsonObject): boolean => {
    const seal = sealIn(reasoning);
    return seal !== undefined && !mayOpen(seal, sealedBy, own);
  };
