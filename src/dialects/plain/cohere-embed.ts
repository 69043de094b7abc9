/** Cohere's second embed call. */
import type { JsonObject } from '../../core/json.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import { integerIn, modelIn, refuse, wrong } from '../bounds.ts';
import type { PathFacts, RequestFacts } from '../dialect.ts';
import { compact, countOf, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { checkPictures } from '../media.ts';
import { cohereErrors } from './cohere-errors.ts';
import { type EmbeddingDialect, tokensUsage, type Vector } from './embedding.ts';
import { bytesOf, noPrompt, plainDialect, plainFacts, plainReply, unread } from './plain.ts';
import { readInputs } from './text-input.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'cohere-embed': true;
  }
}

const textsOf = (body: JsonObject): string[] =>
  Array.isArray(body.texts) && body.texts.length > 0 ? readInputs(body.texts, 'texts').texts : [];

/** What vectors are for, in Cohere's words. It wants one with each call. */
const PURPOSES: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  RETRIEVAL_DOCUMENT: 'search_document',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
};
const KNOWN = ['model', 'texts', 'input_type', 'embedding_types', 'output_dimension'];
const ANY_PURPOSE = 'search_document';

function readRequest(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  integerIn(body.output_dimension, 'output_dimension', 1, 65_536);
  const images = [...objectsOf(body.inputs), ...(Array.isArray(body.images) ? body.images : [])].length;
  const texts = textsOf(body);
  if (texts.length === 0 && images === 0) throw refuse('texts', wrong.missing);
  checkPictures({ inputs: body.inputs, images: body.images });
  const prompt = { ...noPrompt(), textBytes: bytesOf(texts), files: images };
  return plainFacts(model, { prompt });
}

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

export const cohereEmbed: EmbeddingDialect = {
  ...plainDialect({
    id: 'cohere-embed',
    readRequest,
    promptTexts: textsOf,
    usageOf: ({ input }) => tokensUsage(input),
    readReply: (body) =>
      plainReply(
        body,
        (answer) => ({
          usage: usageIn(answer),
          missing: objectOf(answer.embeddings) || Array.isArray(answer.embeddings) ? null : 'embeddings',
        }),
        cohereErrors.readError,
      ),
    errorBody: cohereErrors.errorBody,
  }),
  embedding: {
    readRequest: (body) => ({
      model: textOf(body.model) ?? '',
      texts: textsOf(body),
      dimensions: numberOf(body.output_dimension),
      taskType: Object.entries(PURPOSES).find(([, purpose]) => purpose === body.input_type)?.[0],
      others: unread(body, KNOWN),
    }),
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
    writeReply: ({ vectors, usage }, { texts }) => ({
      embeddings: { float: vectors.map((vector) => [...vector]) },
      texts: [...texts],
      meta: { billed_units: { input_tokens: usage ? promptTokens(usage) : 0 } },
    }),
  },
};
