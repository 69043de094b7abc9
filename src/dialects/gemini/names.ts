/** Names of this wire, which it takes in more than one spelling. */
import type { JsonObject } from '../../core/json.ts';

/** Fields of requests that have more than one word. */
export const TWINS: readonly string[] = [
  'systemInstruction',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'continuationToken',
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
  'includeServerSideToolInvocations',
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
  'serviceTier',
  'generateContentRequest',
  'retrievalConfig',
];

/** Fields that hold lists, which protobuf's readers take for a list of one where one value stands alone. */
export const LISTS: readonly string[] = [
  'contents',
  'parts',
  'tools',
  'functionDeclarations',
  'safetySettings',
  'stopSequences',
  'responseModalities',
  'allowedFunctionNames',
  'requests',
];

const SPELLINGS = new Map(
  TWINS.map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
);

/** The object with its known fields in the one spelling; the service reads both alike. */
export function camelFields(object: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(object)) out[SPELLINGS.get(name) ?? name] = value;
  return out;
}

/** `models/x` and `publishers/google/models/x` are ways to say `x`. */
export const bareModel = (model: string): string => model.replace(/^.*models\//, '');
