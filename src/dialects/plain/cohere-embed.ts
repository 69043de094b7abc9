/** Cohere's second embed call, as its upstream is spoken to. */
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { compact, countOf, numberOf, objectOf } from '../fields.ts';
import { cohereErrors } from './cohere-errors.ts';
import { tokensUsage, type UpstreamEmbeddingDialect, type Vector } from './embedding.ts';
import { listed, plainReply } from './plain.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'cohere-embed': true;
  }
}

/** What vectors are for, in Cohere's words. It wants one with each call. */
const PURPOSES: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  RETRIEVAL_DOCUMENT: 'search_document',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
};
const ANY_PURPOSE = 'search_document';

function usageIn(body: JsonObject): Usage | null {
  const billed = objectOf(objectOf(body.meta)?.billed_units);
  const input = countOf(billed?.input_tokens);
  return input === undefined ? null : tokensUsage(input);
}

/** The vectors of the first kind that stands there: they come by their type, or bare. */
function floatsIn(body: JsonObject): unknown[] | null {
  if (Array.isArray(body.embeddings)) return body.embeddings;
  const floats = objectOf(body.embeddings)?.float;
  return Array.isArray(floats) ? floats : null;
}

const readVector = (value: unknown): Vector =>
  Array.isArray(value) ? value.map((number) => numberOf(number) ?? 0) : [];

export const cohereEmbed: UpstreamEmbeddingDialect = {
  id: 'cohere-embed',
  readReply: (body) =>
    plainReply(
      body,
      (answer) => ({
        usage: usageIn(answer),
        ...listed(floatsIn(answer), 'embeddings'),
      }),
      cohereErrors.readError,
    ),
  embedding: {
    says: ['dimensions', 'taskType'],
    writeRequest: ({ model, texts, dimensions, taskType = '' }) =>
      compact<JsonObject>({
        model,
        texts: [...texts],
        input_type: PURPOSES[taskType] ?? ANY_PURPOSE,
        embedding_types: ['float'],
        output_dimension: dimensions,
      }),
    readReply(body) {
      const floats = floatsIn(body);
      return floats && { vectors: floats.map(readVector), usage: usageIn(body) };
    },
  },
};
