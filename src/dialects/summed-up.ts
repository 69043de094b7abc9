/** Whether a conversation is to be summed up first, in the words of any wire: gateways take each of them on every wire. */
import type { JsonObject } from '../core/json.ts';
import type { RequestFacts } from './dialect.ts';
import { countOf, objectOf, objectsOf, textOf } from './fields.ts';

/** Where an edit of Anthropic's does not say (its page on compaction); OpenAI tells no usual number. */
const USUAL_OF_EDITS = 150_000;

/**
 * From how many tokens on. Anthropic's wishes are among the edits of a conversation, of which the others leave some of it
 * out; OpenAI's stand in a list.
 */
export function sumsUp({ context_management: given }: JsonObject): Pick<RequestFacts, 'sumsUpFrom'> {
  const wishes = [...objectsOf(given), ...objectsOf(objectOf(given)?.edits)];
  const kinds = wishes.filter(({ type }) => textOf(type)?.startsWith('compact'));
  return kinds.length > 0 ? { sumsUpFrom: Math.min(...kinds.map(beginsAt)) } : {};
}

/** A gateway that puts one into the other's words leaves whatever else it says: the least of them holds. */
function beginsAt({ type, trigger, compact_threshold: threshold }: JsonObject): number {
  const said = [countOf(threshold), countOf(objectOf(trigger)?.value)].filter((count) => count !== undefined);
  if (said.length > 0) return Math.min(...said);
  return type === 'compaction' ? 0 : USUAL_OF_EDITS;
}
