/**
 * Whether a conversation is to be summed up first, or some of it left out, in the words of any wire: gateways take each of
 * them on every wire.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { RequestFacts } from './dialect.ts';
import { countOf, objectOf, objectsOf, textOf } from './fields.ts';

/** Where an edit of Anthropic's does not say (its pages on compaction and context editing); OpenAI tells no usual number. */
const USUAL_OF_EDITS = 150_000;
const USUAL_OF_TOOL_USES = 100_000;

/** What may become of a conversation before it is read. */
export interface Edits extends Pick<RequestFacts, 'sumsUpFrom'> {
  /** From how many tokens on some of it is left out; absent where nothing is. */
  clearsFrom?: number;
}

/** By the words of a body. What keeps all leaves nothing out: Claude Code says so with each call. */
export function editsOf(body: JsonObject): Edits {
  const from = leastOf(wishesIn(body).filter((wish) => isClearing(wish) && !keepsAll(wish)));
  return { ...sumsUp(body), ...(from !== undefined && { clearsFrom: from }) };
}

/** From how many tokens on. */
export function sumsUp(body: JsonObject): Pick<RequestFacts, 'sumsUpFrom'> {
  const from = leastOf(wishesIn(body).filter(isWish));
  return from === undefined ? {} : { sumsUpFrom: from };
}

/** Anthropic's are the edits of a conversation, OpenAI's stand in a list. */
const wishesIn = ({ context_management: given }: JsonObject): JsonObject[] => [
  ...objectsOf(given),
  ...objectsOf(objectOf(given)?.edits),
];

const leastOf = (wishes: readonly JsonObject[]): number | undefined =>
  wishes.length > 0 ? Math.min(...wishes.map(beginsAt)) : undefined;

const isWish = ({ type }: JsonObject): boolean => textOf(type)?.startsWith('compact') === true;
const isClearing = ({ type }: JsonObject): boolean => textOf(type)?.startsWith('clear') === true;
const keepsAll = ({ keep }: JsonObject): boolean => keep === 'all' || objectOf(keep)?.type === 'all';

const FIELD = 'context_management';

/** The body without such wishes, of which it keeps whatever else is wished; the same object where there are none. */
export function withoutSummingUp(body: JsonObject): { body: JsonObject; dropped: readonly string[] } {
  if (sumsUp(body).sumsUpFrom === undefined) return { body, dropped: [] };
  const { [FIELD]: given, ...rest } = body;
  const left = withoutWishes(given);
  return { body: left === undefined ? rest : { ...rest, [FIELD]: left }, dropped: [FIELD] };
}

/** Undefined where nothing else is wished. */
function withoutWishes(given: Json | undefined): Json | undefined {
  if (Array.isArray(given)) {
    const left = given.filter((wish) => !isObject(wish) || !isWish(wish as JsonObject));
    return left.length > 0 ? left : undefined;
  }
  if (!isObject(given)) return given;
  const { edits, ...rest } = given as JsonObject;
  const left = withoutWishes(edits);
  if (left !== undefined) return { ...rest, edits: left };
  return Object.keys(rest).length > 0 && !isWish(rest) ? rest : undefined;
}

/** A gateway that puts one into the other's words leaves whatever else it says: the least of them holds. */
function beginsAt({ type, trigger, compact_threshold: threshold }: JsonObject): number {
  const said = [countOf(threshold), countOf(objectOf(trigger)?.value)].filter((count) => count !== undefined);
  if (said.length > 0) return Math.min(...said);
  if (isWish({ type })) return type === 'compaction' ? 0 : USUAL_OF_EDITS;
  // Thoughts are left out from the first on.
  return textOf(type)?.startsWith('clear_tool') ? USUAL_OF_TOOL_USES : 0;
}
