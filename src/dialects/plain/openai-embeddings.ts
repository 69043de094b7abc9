/** OpenAI's embeddings, which most vendors took over; Jina's objects as inputs pass. */

import type { Json, JsonObject } from '../../core/json.ts';
import { promptTokens } from '../../core/usage.ts';
import { integerIn, isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { PathFacts, RequestFacts } from '../dialect.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { either, list, NUMBERS, object, reads, TEXT, TEXTS } from '../other-texts.ts';
import type { EmbeddingDialect, EmbeddingReply, EmbeddingRequest, Vector } from './embedding.ts';
import { fileTexts, ITEM, itemsUsage, measureInput } from './items.ts';
import { listed, PLAIN_SETTINGS, plainDialect, plainFacts, plainReply, promptOf, unread } from './plain.ts';
import { readInputs, textsOf } from './text-input.ts';

const DIMENSIONS_MAX = 65_536;

function readRequest(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const { texts, tokens } = readInputs(body.input, 'input', textsOf);
  integerIn(body.dimensions, 'dimensions', 1, DIMENSIONS_MAX);
  if (!isAbsent(body.encoding_format) && typeof body.encoding_format !== 'string')
    throw refuse('encoding_format', wrong.string);
  const prompt = promptOf(texts, tokens);
  for (const item of objectsOf(body.input)) measureInput(prompt, item);
  return plainFacts(model, { prompt });
}

const KNOWN = ['model', 'input', 'dimensions', 'encoding_format'];

/** Throws where an input is no text: numbers of tokens mean nothing to another vendor. */
function readEmbedding(body: JsonObject): EmbeddingRequest {
  const given: unknown = body.input;
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  const texts = items.map((item, n) => {
    const text = textOf(item) ?? textOf(objectOf(item)?.text);
    if (text === undefined) throw refuse(`input[${n}]`, wrong.textsOnly);
    return text;
  });
  return {
    model: textOf(body.model) ?? '',
    texts,
    dimensions: numberOf(body.dimensions),
    base64: body.encoding_format === 'base64',
    others: unread(body, KNOWN),
  };
}

const writeEmbedding = ({ model, texts, dimensions }: EmbeddingRequest): JsonObject => ({
  model,
  input: texts.length === 1 ? (texts[0] ?? '') : [...texts],
  ...(dimensions !== undefined && { dimensions }),
});

function readAnswer(body: JsonObject): EmbeddingReply | null {
  if (!Array.isArray(body.data)) return null;
  const vectors = objectsOf(body.data).map(({ embedding }) => readVector(embedding));
  return { vectors, usage: readUsage(body.usage) };
}

function readVector(value: unknown): Vector {
  if (Array.isArray(value)) return value.map((number) => numberOf(number) ?? 0);
  const bytes = Buffer.from(textOf(value) ?? '', 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, n) => bytes.readFloatLE(4 * n));
}

/** Little-endian floats of four bytes. */
function base64Of(vector: Vector): string {
  const bytes = Buffer.alloc(4 * vector.length);
  for (const [n, number] of vector.entries()) bytes.writeFloatLE(number, 4 * n);
  return bytes.toString('base64');
}

function writeAnswer({ vectors, usage }: EmbeddingReply, request: EmbeddingRequest): JsonObject {
  const data = vectors.map(
    (vector, index): Json => ({
      object: 'embedding',
      index,
      embedding: request.base64 ? base64Of(vector) : [...vector],
    }),
  );
  const tokens = usage ? promptTokens(usage) : 0;
  return {
    object: 'list',
    data,
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Numbers of tokens stand among the inputs, too. Jina's and Voyage's words for what a vector is for are settings. */
const READS = reads(
  [
    'dimensions',
    'encoding_format',
    'input_type',
    'task',
    'task_type',
    'truncate',
    'truncation',
    'embedding_type',
    'output_dtype',
  ],
  {
    ...PLAIN_SETTINGS,
    embedding_types: TEXTS,
    input: either(TEXT, list(either(TEXT, NUMBERS, object(ITEM)))),
  },
);

export const openaiEmbeddings: EmbeddingDialect = {
  ...plainDialect({
    reads: READS,
    readRequest,
    promptTexts: (body: JsonObject) => [
      ...readInputs(body.input, 'input', textsOf).texts,
      ...objectsOf(body.input).flatMap(fileTexts),
    ],
    usageOf: ({ body, facts, model, input }) =>
      itemsUsage({ facts, model, input: input + readInputs(body.input, 'input', textsOf).tokens }),
    readReply: (body) =>
      plainReply(body, ({ data, usage }) => ({
        usage: readUsage(usage),
        ...listed(data, 'embeddings'),
      })),
  }),
  embedding: {
    readRequest: readEmbedding,
    writeRequest: writeEmbedding,
    says: ['dimensions'],
    readReply: readAnswer,
    writeReply: writeAnswer,
  },
};
