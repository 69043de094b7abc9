/** Searches of Google's that an answer leans on, as its candidates tell them. */
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import type { VendorBill } from '../../core/vendor-bill.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';

/** Pictures are looked for at the same price as pages, and for themselves. */
const QUERIES = ['webSearchQueries', 'imageSearchQueries'] as const;

/** Where functions stand beside them, searches are parts of the answer, each of a kind, and may be told there alone. */
const CALLED: Readonly<Record<string, string>> = {
  GOOGLE_SEARCH_WEB: QUERIES[0],
  GOOGLE_SEARCH_IMAGE: QUERIES[1],
  GOOGLE_MAPS: 'mapsQueries',
};

interface Shown {
  field: string;
  query: string;
}

const nameOf = ({ field, query }: Shown): string => `${field} ${query}`;

const listed = (field: string, list: unknown): Shown[] =>
  Array.isArray(list) ? list.map((query) => ({ field, query: textOf(query) ?? '' })) : [];

/** A candidate's queries as they are shown. */
function shownIn({ groundingMetadata, content }: JsonObject): Shown[] {
  const told = QUERIES.flatMap((field) => listed(field, objectOf(groundingMetadata)?.[field]));
  const known = new Set(told.map(nameOf));
  const called = objectsOf(objectOf(content)?.parts).flatMap(({ toolCall }) => {
    const { toolType, args } = objectOf(toolCall) ?? {};
    const field = own(CALLED, textOf(toolType) ?? '');
    return field === undefined ? [] : listed(field, objectOf(args)?.queries);
  });
  return [...told, ...called.filter((query) => !known.has(nameOf(query)))];
}

/** What was searched for. */
export const queriesIn = (candidate: JsonObject): string[] =>
  shownIn(candidate).flatMap((shown) => (shown.query.trim() === '' ? [] : nameOf(shown)));

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
