/** Gemini's embedContent and batchEmbedContents. Their paths name the model. */
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Usage } from '../../core/usage.ts';
import { atMost, isAbsent, modelIn, objectIn, objectsIn, refuse, wrong } from '../bounds.ts';
import { historyIds } from '../call-ids.ts';
import type { PromptSize, RequestFacts } from '../dialect.ts';
import { compact, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { gemini } from '../gemini/dialect.ts';
import { errorBody, errorFrame, readError } from '../gemini/errors.ts';
import { bareModel } from '../gemini/names.ts';
import { readPart } from '../gemini/read-parts.ts';
import { readUsage } from '../gemini/usage.ts';
import { measureMedia, mediaText, nameOf, partOf } from '../measure.ts';
import { each, either, list, object, type Reads, ROLE, reads, TEXT } from '../other-texts.ts';
import type { EmbeddingDialect, EmbeddingRequest, Vector } from './embedding.ts';
import { addItem, itemsUsage } from './items.ts';
import { listed, noPrompt, plainDialect, plainFacts, plainReply, promptOf, unread } from './plain.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'gemini-embed': true;
    'gemini-batch-embed': true;
  }
}

const KNOWN = [
  'model',
  'content',
  'requests',
  'outputDimensionality',
  'output_dimensionality',
  'taskType',
  'task_type',
  'title',
];

/** A content as its text; the service joins the parts likewise. */
function contentText(item: JsonObject, at: string): string {
  const given = item.content;
  if (typeof given === 'string') return given;
  const content = objectIn(given, at);
  if (!content) throw refuse(at, wrong.missing);
  return objectsIn(content.parts, `${at}.parts`)
    .map((part) => textOf(part.text) ?? '')
    .join('\n');
}

/** All that is no text. */
const mediaIn = (item: JsonObject): JsonObject[] =>
  objectsOf(objectOf(item.content)?.parts).filter((part) => typeof part.text !== 'string');

const hasMedia = (item: JsonObject): boolean => mediaIn(item).length > 0;

/** What its files say that are texts. */
const fileTexts = (item: JsonObject): string[] =>
  mediaIn(item).flatMap((given) => {
    const part = readPart(given, historyIds());
    return 'source' in part ? mediaText(part.source, part.type, nameOf(part)) : [];
  });

function measureParts(prompt: PromptSize, item: JsonObject): void {
  const measured = partOf(prompt, noPrompt());
  for (const given of mediaIn(item)) {
    const part = readPart(given, historyIds());
    if ('source' in part) measureMedia(part, measured);
    else measured.files++;
  }
  // Google goes by what lies at an address where it is not told what that is.
  measured.unseenFilm ||= measured.unseenKind;
  addItem(prompt, measured);
}

/** The requests of a batch, each with where it stands. */
function itemsOf(body: JsonObject): { item: JsonObject; at: string }[] {
  const items = objectsIn(body.requests, 'requests');
  if (items.length === 0) throw refuse('requests', wrong.noRequest);
  if (items.length > limits.messagesMax)
    throw refuse('requests', atMost(limits.messagesMax, '个请求', 'requests'));
  return items.map((item, n) => ({ item, at: `requests[${n}].content` }));
}

const oneOf = (body: JsonObject) => [{ item: body, at: 'content' }];

const ITEM = ['model', 'outputDimensionality', 'output_dimensionality', 'taskType', 'task_type'];
/** Pictures and sounds among the parts are files. */
const BYTES = reads(['mimeType', 'mime_type', 'data', 'fileUri', 'file_uri']);
const MEDIUM = reads([], each(['inlineData', 'inline_data', 'fileData', 'file_data'], object(BYTES)));
const SAID = reads(['text']);
const CONTENT = reads([], {
  role: ROLE,
  parts: list(object(({ text }) => (typeof text === 'string' ? SAID : MEDIUM))),
});
const ONE_READS = reads(ITEM, { content: either(TEXT, object(CONTENT)) });
const MANY_READS = reads(ITEM, { requests: list(object(ONE_READS)) });

interface Shape {
  reads: Reads;
  items: typeof itemsOf;
  write(request: EmbeddingRequest): JsonObject;
  vectors(body: JsonObject): unknown[] | null;
  answer(vectors: readonly Vector[]): JsonObject;
}

const writeItem = ({ model, dimensions, taskType, title }: EmbeddingRequest, text: string): JsonObject =>
  compact<JsonObject>({
    model: `models/${bareModel(model)}`,
    content: { parts: [{ text }] },
    outputDimensionality: dimensions,
    taskType,
    title,
  });

const ONE: Shape = {
  reads: ONE_READS,
  items: oneOf,
  write: (request) => writeItem(request, request.texts[0] ?? ''),
  vectors: (body) => (objectOf(body.embedding) ? [body.embedding] : null),
  answer: ([vector = []]) => ({ embedding: { values: [...vector] } }),
};

const MANY: Shape = {
  reads: MANY_READS,
  items: itemsOf,
  write: (request) => ({ requests: request.texts.map((text) => writeItem(request, text)) }),
  vectors: (body) => (Array.isArray(body.embeddings) ? body.embeddings : null),
  answer: (vectors) => ({ embeddings: vectors.map((vector): Json => ({ values: [...vector] })) }),
};

/** Newer models count; the older ones say nothing. */
function usageIn(body: JsonObject): Usage | null {
  const counted = readUsage(body.usageMetadata);
  return counted && { ...counted, output: 0 };
}

function geminiDialect(id: 'gemini-embed' | 'gemini-batch-embed', shape: Shape): EmbeddingDialect {
  const texts = (body: JsonObject) => shape.items(body).map(({ item, at }) => contentText(item, at));
  return {
    ...plainDialect({
      id,
      rules: gemini.rules,
      reads: shape.reads,
      readRequest(body, path): RequestFacts {
        const model = bareModel(modelIn(path.model ?? body.model));
        const prompt = promptOf(texts(body));
        for (const { item } of shape.items(body)) measureParts(prompt, item);
        return plainFacts(model, { prompt });
      },
      promptTexts: (body) => [...texts(body), ...shape.items(body).flatMap(({ item }) => fileTexts(item))],
      usageOf: itemsUsage,
      forward: (body, { model }) => withModel(body, model),
      readReply: (body) =>
        plainReply(
          body,
          (answer) => ({ usage: usageIn(answer), ...listed(shape.vectors(answer), 'embeddings') }),
          readError,
        ),
      errorBody,
      errorFrame,
    }),
    embedding: {
      readRequest(body, path) {
        const items = shape.items(body);
        const media = items.find(({ item }) => hasMedia(item));
        if (media) throw refuse(media.at, wrong.textsOnly);
        const { item: first = {} } = items[0] ?? {};
        const taskTypes = items.map(({ item }) => textOf(item.taskType) ?? textOf(item.task_type));
        const titles = items.map(({ item }) => textOf(item.title));
        return {
          model: bareModel(path.model ?? textOf(body.model) ?? ''),
          texts: texts(body),
          dimensions: numberOf(first.outputDimensionality) ?? numberOf(first.output_dimensionality),
          taskType: onlyOf(taskTypes),
          title: onlyOf(titles),
          others: [
            ...unread(first, KNOWN),
            ...(isOne(taskTypes) ? [] : ['taskType']),
            ...(isOne(titles) ? [] : ['title']),
          ],
        };
      },
      writeRequest: shape.write,
      readReply(body) {
        const vectors = shape.vectors(body);
        return vectors && { vectors: objectsOf(vectors).map(readVector), usage: usageIn(body) };
      },
      writeReply: ({ vectors }) => shape.answer(vectors),
    },
  };
}

/** What all of them say; of other wires it is said once for all. */
const isOne = (said: readonly (string | undefined)[]): boolean => said.every((one) => one === said[0]);

const onlyOf = (said: readonly (string | undefined)[]): string | undefined =>
  isOne(said) ? said[0] : undefined;

const readVector = ({ values }: JsonObject): Vector =>
  Array.isArray(values) ? values.map((number) => numberOf(number) ?? 0) : [];

/** The name that the path says stands in the items of a batch again, and must be the same. */
function withModel(body: JsonObject, model: string): JsonObject {
  const name = `models/${bareModel(model)}`;
  const copy = isAbsent(body.model) ? { ...body } : { ...body, model: name };
  if (!Array.isArray(body.requests)) return copy;
  return { ...copy, requests: objectsOf(body.requests).map((item) => ({ ...item, model: name })) };
}

export const geminiEmbed = geminiDialect('gemini-embed', ONE);
export const geminiBatchEmbed = geminiDialect('gemini-batch-embed', MANY);
