/** Jina's rerank call, which relays and servers of OpenAI's wire took over, and Cohere's, which differs in little. */
import { callersSet } from '../../core/callers-keys.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { noUsage, promptTokens, type Usage, withOutputOf } from '../../core/usage.ts';
import { atMost, flagIn, integerIn, isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { PathFacts, RequestFacts } from '../dialect.ts';
import { compact, countOf, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { either, list, object, reads, TEXT, TEXTS } from '../other-texts.ts';
import { cohereErrors } from './cohere-errors.ts';
import { addTimes, fileTexts, holdsMedium, ITEM, itemsUsage, measureDocument } from './items.ts';
import {
  listed,
  noPrompt,
  PLAIN_SETTINGS,
  plainDialect,
  plainFacts,
  plainReply,
  plainRules,
  unread,
} from './plain.ts';
import type { RerankCodec, RerankDialect, RerankReply, RerankRequest } from './rerank.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'cohere-rerank': true;
  }
}

// ---- Reading -----------------------------------------------------------------------------------------------------

/** A search is a query over so many documents (Cohere's price page). */
const DOCUMENTS_A_SEARCH = 100;

/**
 * A long document counts as several of 500 tokens each, the query in every one, of which 256 are read (Cohere's documents).
 * No known tokenizer makes more than one of two bytes of common texts.
 */
const BYTES_A_PIECE = 1000;
const BYTES_OF_QUERY = 512;

/** Searches over these texts where the query takes so many bytes of each piece. */
function searchesOver(texts: readonly string[], queryBytes: number): number {
  const most = BYTES_A_PIECE - Math.min(queryBytes, BYTES_OF_QUERY);
  const pieces = texts.reduce((sum, text) => sum + Math.max(1, Math.ceil(Buffer.byteLength(text) / most)), 0);
  return Math.ceil(pieces / DOCUMENTS_A_SEARCH);
}

function documentsIn({ documents }: JsonObject): Json[] {
  if (isAbsent(documents)) throw refuse('documents', wrong.missing);
  if (!Array.isArray(documents)) throw refuse('documents', wrong.array);
  if (documents.length === 0) throw refuse('documents', wrong.empty);
  if (documents.length > limits.messagesMax)
    throw refuse('documents', atMost(limits.messagesMax, '个文档', 'documents'));
  for (const [n, document] of documents.entries()) {
    if (typeof document !== 'string' && !objectOf(document))
      throw refuse(`documents[${n}]`, wrong.stringOrObject);
  }
  return documents;
}

/** The fields of documents that are to be ranked, in the words of Cohere's first version; null where none are named. */
function rankFieldsIn({ rank_fields: given }: JsonObject): RankFields {
  if (isAbsent(given)) return null;
  if (!Array.isArray(given)) throw refuse('rank_fields', wrong.array);
  const names = given.map((name, n) => {
    if (typeof name !== 'string') throw refuse(`rank_fields[${n}]`, wrong.string);
    return name;
  });
  return names.length === 0 ? null : callersSet(names);
}
type RankFields = ReadonlySet<string> | null;

/** A document as it is ranked: of these fields alone where any are named, a line each, beside its media. */
function ranked(document: Json, fields: RankFields): Json {
  const object = objectOf(document);
  if (!object || !fields) return document;
  const named = Object.entries(object).filter(([name, value]) => fields.has(name) && !isAbsent(value));
  const text = named.map(([name, value]) => `${name}: ${textOf(value) ?? JSON.stringify(value)}`).join('\n');
  return holdsMedium(object) ? { ...object, text } : text;
}

/** The longer of what is ranked where the named fields are, and where a server does not know the word for them. */
function longestWords(document: Json, fields: RankFields): string {
  const [named, usual] = [wordsOf(ranked(document, fields)), wordsOf(document)];
  return named.length > usual.length ? named : usual;
}

/** A document as a model reads it. */
const textOfDocument = (document: Json): string =>
  textOf(document) ?? textOf(objectOf(document)?.text) ?? JSON.stringify(document);

/** The same without media, which are no words. */
const wordsOf = (document: Json): string =>
  holdsMedium(objectOf(document) ?? {}) ? (textOf(objectOf(document)?.text) ?? '') : textOfDocument(document);

function queryIn({ query }: JsonObject): string {
  if (isAbsent(query) || query === '') throw refuse('query', wrong.missing);
  const text = textOf(query) ?? textOf(objectOf(query)?.text);
  if (text === undefined && !objectOf(query)) throw refuse('query', wrong.string);
  return text ?? '';
}

function readFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const query = queryIn(body);
  const documents = documentsIn(body);
  const fields = rankFieldsIn(body);
  const words = documents.map((document) => longestWords(document, fields));
  integerIn(body.top_n, 'top_n', 0, Number.MAX_SAFE_INTEGER);
  flagIn(body.return_documents, 'return_documents');
  // The query is read with each document.
  const prompt = noPrompt();
  for (const document of documents) measureDocument(prompt, document);
  const asked = noPrompt();
  measureDocument(asked, body.query ?? '');
  addTimes(prompt, asked, documents.length);
  return plainFacts(model, {
    prompt,
    calls: searchesOver(words, Buffer.byteLength(query)),
    // Another tokenizer may make more of them, but of no query longer than is read.
    mostCalls: searchesOver(words, BYTES_OF_QUERY),
  });
}

/** Documents are the caller's own, with whatever names. */
const rules = plainRules([], ['documents']);

const filesOf = (item: Json | undefined): string[] => fileTexts(objectOf(item) ?? {});
const questionTexts = (body: JsonObject): string[] => [wordsOf(body.query ?? ''), ...filesOf(body.query)];

const promptTexts = (body: JsonObject): string[] => [
  ...questionTexts(body),
  ...documentsIn(body).flatMap((document) => [wordsOf(document), ...filesOf(document)]),
];

/**
 * Whoever charges tokens charges the question with each document (docs.voyageai.com/docs/pricing, alibabacloud.com/help/en/
 * model-studio/text-rerank-api); Cohere charges searches, which are a price a call.
 */
const readAgain = (body: JsonObject) => ({
  texts: questionTexts(body),
  times: documentsIn(body).length - 1,
});

/** What names neither a text nor a medium is read as JSON. */
const itemReads = (item: JsonObject) => (textOf(item.text) === undefined && !holdsMedium(item) ? null : ITEM);

const READS = reads(['truncation'], {
  ...PLAIN_SETTINGS,
  rank_fields: TEXTS,
  query: either(TEXT, object(itemReads)),
  documents: list(either(TEXT, object(itemReads))),
});

const KNOWN = [
  ...['model', 'query', 'documents', 'rank_fields', 'top_n', 'return_documents', 'max_tokens_per_doc'],
];

function readRequest(body: JsonObject, path: PathFacts): RerankRequest {
  const given = documentsIn(body);
  const fields = rankFieldsIn(body);
  return {
    model: path.model ?? textOf(body.model) ?? '',
    query: queryIn(body),
    given,
    documents: given.map((document) => ranked(document, fields)),
    topN: numberOf(body.top_n) || undefined,
    returnDocuments: body.return_documents === true,
    maxTokensPerDoc: numberOf(body.max_tokens_per_doc),
    others: unread(body, KNOWN),
  };
}

// ---- Answers -----------------------------------------------------------------------------------------------------

/** Tokens, under the names of Jina, of SiliconFlow and of Cohere. Nothing is written: who tells so tells what was read again. */
function usageIn(body: JsonObject): Usage | null {
  const meta = objectOf(body.meta);
  const billed = objectOf(meta?.billed_units);
  const usage =
    readUsage(body.usage) ??
    readUsage(objectOf(meta?.tokens)) ??
    (countOf(billed?.input_tokens) === undefined ? null : readUsage(billed));
  return usage && withOutputOf(usage, noUsage());
}

/** Who has found something has searched: who tells none then, as SiliconFlow does, counts none. */
function searchesIn({ meta, results }: JsonObject): number | undefined {
  const searches = countOf(objectOf(objectOf(meta)?.billed_units)?.search_units);
  return searches === 0 && objectsOf(results).length > 0 ? undefined : searches;
}

function readAnswer(body: JsonObject): RerankReply | null {
  if (!Array.isArray(body.results)) return null;
  const results = objectsOf(body.results).map(({ index, relevance_score, score, document }) => ({
    index: countOf(index) ?? 0,
    score: numberOf(relevance_score) ?? numberOf(score) ?? 0,
    ...(!isAbsent(document) && { document }),
  }));
  const best = results.sort((a, b) => b.score - a.score);
  return { id: textOf(body.id), results: best, usage: usageIn(body), searches: searchesIn(body) };
}

/** The results, with the caller's documents where he wants them and the upstream gave none. */
const resultsOf = ({ results }: RerankReply, { given, returnDocuments }: RerankRequest): JsonObject[] =>
  results.map(({ index, score, document = given[index] }) => ({
    index,
    relevance_score: score,
    ...(returnDocuments &&
      document !== undefined && { document: typeof document === 'string' ? { text: document } : document }),
  }));

const readReply =
  (errorIn?: typeof cohereErrors.readError): RerankDialect['readReply'] =>
  (body) =>
    plainReply(
      body,
      (answer) => ({
        usage: usageIn(answer),
        ...listed(answer.results, 'results'),
        calls: searchesIn(answer),
      }),
      errorIn,
    );

// ---- Jina --------------------------------------------------------------------------------------------------------

const jina: RerankCodec = {
  readRequest,
  writeRequest: ({ model, query, documents, topN, returnDocuments }) =>
    compact<JsonObject>({
      model,
      query,
      documents: [...documents],
      top_n: topN,
      return_documents: returnDocuments,
    }),
  readReply: readAnswer,
  writeReply(reply, request) {
    const tokens = reply.usage ? promptTokens(reply.usage) : 0;
    return compact<JsonObject>({
      id: reply.id,
      model: request.model,
      results: resultsOf(reply, request),
      usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
      // Clients of Cohere's first call look for what it bills here.
      meta: reply.searches === undefined ? undefined : { billed_units: { search_units: reply.searches } },
    });
  },
};

export const openaiRerank: RerankDialect = {
  ...plainDialect({
    rules,
    reads: READS,
    readRequest: readFacts,
    promptTexts,
    readAgain,
    usageOf: itemsUsage,
    readReply: readReply(),
  }),
  rerank: jina,
};

// ---- Cohere ------------------------------------------------------------------------------------------------------

/** Throws for a medium, for which it has no word. */
function writtenDocument(document: Json, n: number): string {
  if (holdsMedium(objectOf(document) ?? {})) throw refuse(`documents[${n}]`, wrong.textsOnly);
  return textOfDocument(document);
}

const cohere: RerankCodec = {
  readRequest,
  writeRequest: ({ model, query, documents, topN, maxTokensPerDoc }) =>
    compact<JsonObject>({
      model,
      query,
      documents: documents.map(writtenDocument),
      top_n: topN,
      max_tokens_per_doc: maxTokensPerDoc,
    }),
  readReply: readAnswer,
  writeReply: (reply, request) =>
    compact<JsonObject>({
      id: reply.id,
      results: resultsOf(reply, request),
      meta: {
        api_version: { version: '2' },
        billed_units: compact<JsonObject>({
          search_units: reply.searches ?? Math.ceil(request.documents.length / DOCUMENTS_A_SEARCH),
          input_tokens: reply.usage ? promptTokens(reply.usage) : undefined,
        }),
      },
    }),
};

/** The second version, which takes documents as texts and gives none back. */
export const cohereRerank: RerankDialect = {
  ...plainDialect({
    id: 'cohere-rerank',
    rules,
    reads: READS,
    readRequest: readFacts,
    promptTexts,
    readAgain,
    usageOf: itemsUsage,
    readReply: readReply(cohereErrors.readError),
    errorBody: cohereErrors.errorBody,
  }),
  rerank: cohere,
};
