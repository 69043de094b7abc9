/** What of generateContent is measured where it is known, and what are settings. */
import { isObject, type JsonObject } from '../../core/json.ts';
import {
  each,
  either,
  list,
  OBJECT,
  object,
  type Reads,
  type ReadsOf,
  ROLE,
  reads,
  SEALED,
  type Shape,
  TEXT,
  TEXTS,
} from '../other-texts.ts';
import { snakeOf } from '../spelling.ts';
import { camelFields } from './names.ts';

/** Made of protobuf: each field is read in two spellings. */
const twins = (texts: readonly string[], others: Readonly<Record<string, Shape>> = {}): Reads =>
  reads(
    [],
    Object.fromEntries(
      Object.entries({ ...each(texts, TEXT), ...others }).flatMap(([name, shape]) => [
        [name, shape],
        [snakeOf(name), shape],
      ]),
    ),
  );

const partWith = (others: Readonly<Record<string, Shape>>): Reads =>
  twins([], {
    thoughtSignature: SEALED,
    mediaResolution: either(TEXT, object(twins(['level']))),
    videoMetadata: object(twins(['startOffset', 'endOffset'])),
    ...others,
  });

/** A part is of one kind; what it holds of a second one is not read. */
const KINDS: readonly [name: string, known: Reads][] = [
  ['text', partWith({ text: TEXT })],
  ['inlineData', partWith({ inlineData: object(twins(['mimeType', 'data'])) })],
  ['fileData', partWith({ fileData: object(twins(['mimeType', 'fileUri'])) })],
  ['functionCall', partWith({ functionCall: object(twins(['id', 'name'], { args: OBJECT })) })],
  [
    'functionResponse',
    partWith({
      functionResponse: object(
        twins(['id', 'scheduling'], { response: OBJECT, parts: list(object(readsOfPart)) }),
      ),
    }),
  ],
];

/** Null for a part of a kind that is not known: it is measured as a whole. */
function readsOfPart(given: JsonObject): Reads | null {
  const part = camelFields(given);
  const kind = KINDS.find(([name]) =>
    name === 'text' ? typeof part.text === 'string' : isObject(part[name]),
  );
  return kind?.[1] ?? null;
}

const PARTS = list(object(readsOfPart));
const CONTENT = twins([], { role: ROLE, parts: PARTS });

/** An instruction may be a part, or a list of them. */
const SYSTEM = either(
  TEXT,
  PARTS,
  object((system) => ('parts' in system ? CONTENT : readsOfPart(system))),
);

const configReads = (schema?: string): Reads =>
  twins(['responseMimeType', 'mediaResolution'], {
    ...each(['stopSequences', 'responseModalities'], TEXTS),
    ...each(['speechConfig', 'imageConfig'], OBJECT),
    ...(schema !== undefined && { [schema]: OBJECT }),
    thinkingConfig: object(twins(['thinkingLevel'])),
  });
const PLAIN = configReads();
const OWN_SCHEMA = configReads('responseSchema');
const JSON_SCHEMA = configReads('responseJsonSchema');

/** The one schema that an answer of JSON follows is measured. */
const readsOfConfig: ReadsOf = (given) => {
  const config = camelFields(given);
  if (config.responseMimeType !== 'application/json') return PLAIN;
  return isObject(config.responseJsonSchema) ? JSON_SCHEMA : OWN_SCHEMA;
};

export const GEMINI_READS: Reads = twins(['model', 'cachedContent', 'serviceTier'], {
  continuationToken: SEALED,
  tools: list(OBJECT),
  toolConfig: object(
    twins([], {
      functionCallingConfig: object(twins(['mode'], { allowedFunctionNames: TEXTS })),
      retrievalConfig: object(twins(['languageCode'], { latLng: OBJECT })),
    }),
  ),
  safetySettings: list(OBJECT),
  labels: OBJECT,
  contents: list(object(CONTENT)),
  systemInstruction: SYSTEM,
  generationConfig: object(readsOfConfig),
});
