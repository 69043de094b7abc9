/** Searches of Google's that an answer leans on, as its candidates tell them. */
import type { JsonObject } from '../../core/json.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';

/** Pictures are looked for at the same price as pages, and for themselves. */
const QUERIES = ['webSearchQueries', 'imageSearchQueries'] as const;

/** What was searched for: Google bills each query once, and none that is empty ("Grounding with Google Search", Pricing). */
export const queriesIn = ({ groundingMetadata }: JsonObject): string[] =>
  QUERIES.flatMap((field) => {
    const list = objectOf(groundingMetadata)?.[field];
    const queries = Array.isArray(list) ? list.flatMap((query) => textOf(query) ?? []) : [];
    return queries.filter((query) => query.trim() !== '').map((query) => `${field} ${query}`);
  });

/** How many there were, of all candidates: of one that tells no query one, where it leans on what was found. */
export function searchesIn(candidates: readonly JsonObject[]): number {
  const found = candidates.map((candidate) => ({ candidate, queries: queriesIn(candidate) }));
  const untold = found.filter(({ candidate, queries }) => queries.length === 0 && leansOnFound(candidate));
  return new Set(found.flatMap(({ queries }) => queries)).size + untold.length;
}

/** Pages that a request names are fetched, for their tokens alone; what leans on one is told like what was found. */
function leansOnFound({ groundingMetadata, urlContextMetadata }: JsonObject): boolean {
  const pages = objectsOf(objectOf(urlContextMetadata)?.urlMetadata);
  const fetched = new Set(pages.flatMap(({ retrievedUrl }) => textOf(retrievedUrl) ?? []));
  const isFound = ({ web }: JsonObject) => !fetched.has(textOf(objectOf(web)?.uri) ?? '');
  return objectsOf(objectOf(groundingMetadata)?.groundingChunks).some(isFound);
}
