/** What a request asks, all of it: what its dialect reads, and whatever else stands in it. */
import type { JsonObject } from '../core/json.ts';
import { isBase64 } from './base64.ts';
import { boundedParts } from './bounds.ts';
import { longestLife } from './cache-life.ts';
import type { Dialect, PathFacts, PromptSize, RequestFacts } from './dialect.ts';
import { measureRaw, partOf, rawTexts } from './measure.ts';
import { otherTexts, type Said } from './other-texts.ts';
import { holdsSealed } from './proofs.ts';
import { Finds, withoutMediaOf } from './raw-parts.ts';
import { addText } from './text-size.ts';

/** Throws `invalid_request` naming the field, as the dialect does. */
export function requestFacts(dialect: Dialect, body: JsonObject, path: PathFacts): RequestFacts {
  boundedParts(body);
  const facts = dialect.readRequest(body, path);
  const { others, finds } = othersIn(dialect, body);
  const isAll = others.length === 0 && finds.media.length === 0;
  const prompt = isAll ? facts.prompt : withOthers(facts.prompt, others, finds);
  const cacheMarks = longestLife(body);
  return { ...facts, prompt: cacheMarks ? { ...prompt, cacheMarks } : prompt };
}

/** What stands where nobody knows a field: its texts, and its media. */
function othersIn(dialect: Dialect, body: JsonObject): { others: string[]; finds: Finds } {
  const finds = new Finds();
  const said: Said = (field, value) => withoutMediaOf(field, value, finds);
  return { others: otherTexts(body, dialect.reads, said), finds };
}

function withOthers(known: PromptSize, texts: readonly string[], finds: Finds): PromptSize {
  const { unseen, earlier, ...size } = known;
  const prompt: PromptSize = partOf(known, { ...size, images: [...known.images] });
  for (const text of texts) {
    addText(prompt, text);
    if (isBase64(text) || holdsSealed(text)) prompt.sizedByVendor = true;
  }
  measureRaw(prompt, finds);
  // What is not here is then no earlier answer alone.
  if (prompt.unseen || !unseen) return prompt;
  return { ...prompt, unseen, ...(earlier !== undefined && { earlier }) };
}

/** Every text of a prompt, for a local count and for a look through its words. */
export function promptTexts(dialect: Dialect, body: JsonObject): string[] {
  const { others, finds } = othersIn(dialect, body);
  return [...dialect.promptTexts(body), ...others, ...rawTexts(finds.media)];
}
