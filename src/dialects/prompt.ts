/** What a request asks, all of it: what its dialect reads, and whatever else stands in it. */
import type { JsonObject } from '../core/json.ts';
import type { Dialect, PathFacts, PromptSize, RequestFacts } from './dialect.ts';
import { measureRaw, partOf, rawTexts } from './measure.ts';
import { otherTexts } from './other-texts.ts';
import type { RawMedium } from './raw-parts.ts';
import { addText } from './text-size.ts';

/** Throws `invalid_request` naming the field, as the dialect does. */
export function requestFacts(dialect: Dialect, body: JsonObject, path: PathFacts): RequestFacts {
  const facts = dialect.readRequest(body, path);
  const media: RawMedium[] = [];
  const others = otherTexts(body, dialect.reads, media);
  if (others.length === 0 && media.length === 0) return facts;
  return { ...facts, prompt: withOthers(facts.prompt, others, media) };
}

function withOthers(known: PromptSize, texts: readonly string[], media: readonly RawMedium[]): PromptSize {
  const { unseen, earlier, ...size } = known;
  const prompt: PromptSize = partOf(known, { ...size, images: [...known.images] });
  for (const text of texts) addText(prompt, text);
  measureRaw(prompt, media);
  // What is not here is then no earlier answer alone.
  if (prompt.unseen || !unseen) return prompt;
  return { ...prompt, unseen, ...(earlier !== undefined && { earlier }) };
}

/** Every text of a prompt, for a local count and for a look through its words. */
export function promptTexts(dialect: Dialect, body: JsonObject): string[] {
  const media: RawMedium[] = [];
  const others = otherTexts(body, dialect.reads, media);
  return [...dialect.promptTexts(body), ...others, ...rawTexts(media)];
}
