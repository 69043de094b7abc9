/** Whether a conversation is summed up, in the words of any wire: gateways take each of them on every wire. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { RequestFacts } from './dialect.ts';
import { countOf, objectOf, objectsOf, textOf } from './fields.ts';

/** Where an edit of Anthropic's does not say (its page on compaction); OpenAI tells no usual number. */
const USUAL_OF_EDITS = 150_000;

/** From how many tokens on. */
export function sumsUp(body: JsonObject): Pick<RequestFacts, 'sumsUpFrom'> {
  const wishes = wishesIn(body).filter(isSummingUp);
  return wishes.length > 0 ? { sumsUpFrom: Math.min(...wishes.map(beginsAt)) } : {};
}

/**
 * Before which item of its input a conversation may be read as a summary alone: behind the last one that sums it up, or asks for
 * that. 0 where nothing is summed up; where its service may do so on the way, all of it and its answer stand before.
 */
export function summedUpBefore(body: JsonObject): number {
  if (wishesIn(body).some(isSummingUp)) return Number.POSITIVE_INFINITY;
  const { input } = body;
  return Array.isArray(input) ? input.findLastIndex(isSummary) + 1 : 0;
}

/** Codex has brought it by other names (`compaction_summary`, `context_compaction`), and asks for one by `compaction_trigger`. */
const isSummary = (item: Json): boolean => SUMMARY.test(textOf(objectOf(item)?.type) ?? '');

const SUMMARY = /^(?:context_)?compaction/;

/** All that is wished of a conversation. Anthropic's are its edits, OpenAI's stand in a list. */
export const wishesIn = ({ context_management: given }: JsonObject): JsonObject[] => [
  ...objectsOf(given),
  ...objectsOf(objectOf(given)?.edits),
];

const isSummingUp = ({ type }: JsonObject): boolean => textOf(type)?.startsWith('compact') === true;

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
    const left = given.filter((wish) => !isObject(wish) || !isSummingUp(wish as JsonObject));
    return left.length > 0 ? left : undefined;
  }
  if (!isObject(given)) return given;
  const { edits, ...rest } = given as JsonObject;
  const left = withoutWishes(edits);
  if (left !== undefined) return { ...rest, edits: left };
  return Object.keys(rest).length > 0 && !isSummingUp(rest) ? rest : undefined;
}

/** A gateway that puts one into the other's words leaves whatever else it says: the least of them holds. */
function beginsAt({ type, trigger, compact_threshold: threshold }: JsonObject): number {
  const said = [countOf(threshold), countOf(objectOf(trigger)?.value)].filter((count) => count !== undefined);
  if (said.length > 0) return Math.min(...said);
  return type === 'compaction' ? 0 : USUAL_OF_EDITS;
}
