/** Names of this wire: fields in either of two spellings, and ids for calls that have none. */
import type { Json, JsonObject } from '../../core/json.ts';

/** Fields of requests that have more than one word. */
const FIELDS = [
  'systemInstruction',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'inlineData',
  'fileData',
  'mimeType',
  'fileUri',
  'displayName',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'functionDeclarations',
  'googleSearch',
  'googleSearchRetrieval',
  'codeExecution',
  'urlContext',
  'googleMaps',
  'fileSearch',
  'computerUse',
  'parametersJsonSchema',
  'responseJsonSchema',
  'functionCallingConfig',
  'allowedFunctionNames',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'responseModalities',
  'speechConfig',
  'voiceConfig',
  'prebuiltVoiceConfig',
  'voiceName',
  'imageConfig',
  'thinkingConfig',
  'includeThoughts',
  'thinkingBudget',
  'thinkingLevel',
];

const SPELLINGS = new Map(
  FIELDS.map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
);

/** The object with its known fields in the one spelling; the service reads both alike. */
export function camelFields(object: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(object)) out[SPELLINGS.get(name) ?? name] = value;
  return out;
}

const HEAD = 'call_gm';

/** An id for the nth call of an answer or a history. Other wires ask for one, of these letters only. */
export const madeId = (context: string, n: number): string =>
  `${HEAD}${context.replace(/[^a-zA-Z0-9-]/g, '').slice(0, 40)}_${n}`;

/** Whether the id is of our making: the service never saw it. */
export const isMadeId = (id: string): boolean => id.startsWith(HEAD);

/** What tells answers apart when the upstream gives them no id: the same call always gets the same id. */
export const fingerprint = (value: Json): string => Bun.hash(JSON.stringify(value)).toString(36);

/** `models/x` and `publishers/google/models/x` are ways to say `x`. */
export const bareModel = (model: string): string => model.replace(/^.*models\//, '');
