/** What a request asks, all of it: what its dialect reads, and whatever else stands in it. */
import type { JsonObject } from '../core/json.ts';
import type { Dialect, PathFacts, RequestFacts } from './dialect.ts';
import { otherTexts } from './other-texts.ts';
import { addText } from './text-size.ts';

/** Throws `invalid_request` naming the field, as the dialect does. */
export function requestFacts(dialect: Dialect, body: JsonObject, path: PathFacts): RequestFacts {
  const facts = dialect.readRequest(body, path);
  const others = otherTexts(body, dialect.reads);
  if (others.length === 0) return facts;
  const prompt = { ...facts.prompt };
  for (const text of others) addText(prompt, text);
  return { ...facts, prompt };
}

/** Every text of a prompt, for a local count and for a look through its words. */
export const promptTexts = (dialect: Dialect, body: JsonObject): string[] => [
  ...dialect.promptTexts(body),
  ...otherTexts(body, dialect.reads),
];
