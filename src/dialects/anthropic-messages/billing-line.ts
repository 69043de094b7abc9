/**
 * The line with which Claude Code begins each of its prompts: `x-anthropic-billing-header: cc_version=…; cch=…;`. It tells
 * Anthropic something and a model nothing, and it is another in each request: whoever keeps prompts by how they begin finds
 * none of them again.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { namesClaude } from '../../core/model-families.ts';
import type { Reader } from '../dialect.ts';
import { objectOf } from '../fields.ts';

const BEGINS = 'x-anthropic-billing-header:';

/**
 * The body without it, but for a Claude that is spoken to in its own words where Anthropic is asked, or may be: clouds that
 * serve Claudes refuse it, or find no prompt again either. The same object where there is none.
 */
export const asReadBy = (body: JsonObject, { isOwn, model, vendor }: Reader): JsonObject =>
  isOwn && namesClaude(model) && (vendor === 'anthropic' || vendor === null)
    ? body
    : withoutBillingLine(body);

/** It stands in a block of its own, or before all else in a text. */
function withoutBillingLine(body: JsonObject): JsonObject {
  const { system = [], ...rest } = body;
  const isList = Array.isArray(system);
  const said = isList ? system : [system];
  if (!said.some((each) => hasLine(textIn(each)))) return body;
  const left = said.flatMap(leftOf);
  return left.length > 0 ? { ...body, system: isList ? left : left[0] } : rest;
}

function leftOf(said: Json): Json[] {
  const text = textIn(said);
  if (!hasLine(text)) return [said];
  const end = text.indexOf('\n');
  const left = end < 0 ? '' : text.slice(end + 1);
  // Copies of the wire refuse a block without a text.
  if (left === '') return [];
  const block = objectOf(said);
  return [block ? { ...block, text: left } : left];
}

const textIn = (said: Json): unknown => objectOf(said)?.text ?? said;

const hasLine = (text: unknown): text is string => typeof text === 'string' && text.startsWith(BEGINS);
