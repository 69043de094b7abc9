/** What of generateContent is measured where it is known, and what are settings. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type Reads, type ReadsOf, reads, whole } from '../other-texts.ts';
import { snakeOf } from '../spelling.ts';
import { camelFields } from './names.ts';

/** Made of protobuf: each field is read in two spellings. */
const both = (names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => [name, snakeOf(name)])),
];
const twins = (
  known: readonly string[],
  within: Readonly<Record<string, ReadsOf>> = {},
  said: readonly string[] = [],
) =>
  reads(
    both(known),
    Object.fromEntries(
      Object.entries(within).flatMap(([name, inner]) => both([name]).map((each) => [each, inner])),
    ),
    both(said),
  );

const DETAILS = ['mediaResolution', 'thought', 'thoughtSignature'];
const VIDEO = { videoMetadata: twins(['startOffset', 'endOffset', 'fps']) };

/** A part is of one kind; what it holds of a second one is not read. */
const KINDS: readonly [name: string, known: Reads][] = [
  ['text', twins([...DETAILS, 'text'], VIDEO)],
  ['inlineData', twins(DETAILS, { ...VIDEO, inlineData: twins(['mimeType', 'data']) })],
  ['fileData', twins(DETAILS, { ...VIDEO, fileData: twins(['mimeType', 'fileUri']) })],
  ['functionCall', twins(DETAILS, { functionCall: twins(['id', 'name'], { args: whole }) })],
  [
    'functionResponse',
    twins(DETAILS, {
      functionResponse: twins(['id', 'name', 'scheduling'], { response: whole, parts: PART }),
    }),
  ],
];

/** Null for a part of a kind that is not known: it is measured as a whole. */
function PART(given: JsonObject): Reads | null {
  const part = camelFields(given);
  const kind = KINDS.find(([name]) =>
    name === 'text' ? typeof part.text === 'string' : isObject(part[name]),
  );
  return kind?.[1] ?? null;
}

const CONTENT = twins(['role'], { parts: PART });

/** An instruction may be a part, or a list of them. */
const SYSTEM: ReadsOf = (system) => ('parts' in system ? CONTENT : PART(system));

const configReads = (schema?: string): Reads =>
  twins(
    [
      'stopSequences',
      'responseMimeType',
      'responseModalities',
      'speechConfig',
      'imageConfig',
      'mediaResolution',
      ...(schema === undefined ? [] : [schema]),
    ],
    { thinkingConfig: twins(['thinkingLevel']) },
  );
const PLAIN = configReads();
const OWN_SCHEMA = configReads('responseSchema');
const JSON_SCHEMA = configReads('responseJsonSchema');

/** The one schema that an answer of JSON follows is measured. */
const CONFIG: ReadsOf = (given) => {
  const config = camelFields(given);
  if (config.responseMimeType !== 'application/json') return PLAIN;
  return isObject(config.responseJsonSchema) ? JSON_SCHEMA : OWN_SCHEMA;
};

export const GEMINI_READS: Reads = twins(
  ['model', 'tools', 'toolConfig', 'safetySettings', 'cachedContent', 'labels', 'serviceTier'],
  { contents: CONTENT, systemInstruction: SYSTEM, generationConfig: CONFIG },
  ['systemInstruction'],
);
