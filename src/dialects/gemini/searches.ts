/** Searches of Google's that an answer leans on, as its candidates tell them. */
import type { JsonObject } from '../../core/json.ts';
import type { VendorBill } from '../../core/vendor-bill.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';

/** Pictures are looked for at the same price as pages, and for themselves. */
const QUERIES = ['webSearchQueries', 'imageSearchQueries'] as const;

/** A candidate's queries as they are shown. */
const shownIn = ({ groundingMetadata }: JsonObject): { field: string; query: string }[] =>
  QUERIES.flatMap((field) => {
    const list = objectOf(groundingMetadata)?.[field];
    return Array.isArray(list) ? list.map((query) => ({ field, query: textOf(query) ?? '' })) : [];
  });

/** What was searched for. */
export const queriesIn = (candidate: JsonObject): string[] =>
  shownIn(candidate).flatMap(({ field, query }) => (query.trim() === '' ? [] : `${field} ${query}`));

/** How many there were, of all candidates: of one that tells no query one, where it leans on what was found. */
export function searchesIn(candidates: readonly JsonObject[], { freeRepeats }: VendorBill): number {
  const told = freeRepeats ? queriesIn : shownIn;
  const all = candidates.flatMap<unknown>(told);
  const untold = candidates.filter((candidate) => told(candidate).length === 0 && leansOnFound(candidate));
  return (freeRepeats ? new Set(all).size : all.length) + untold.length;
}

/** Pages that a request names are fetched, for their tokens alone; what leans on one is told like what was found. */
function leansOnFound({ groundingMetadata, urlContextMetadata }: JsonObject): boolean {
  const pages = objectsOf(objectOf(urlContextMetadata)?.urlMetadata);
  const fetched = new Set(pages.flatMap(({ retrievedUrl }) => textOf(retrievedUrl) ?? []));
  const isFound = ({ web }: JsonObject) => !fetched.has(textOf(objectOf(web)?.uri) ?? '');
  return objectsOf(objectOf(groundingMetadata)?.groundingChunks).some(isFound);
}
