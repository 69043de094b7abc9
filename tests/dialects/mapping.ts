/**
 * What means what in the four chat dialects that callers speak: the tests hold the codecs to these tables, expect of
 * recordings what they say, and README.md of the dialects shows them to people.
 */
import type { Usage, UsageCount } from '../../src/core/usage.ts';
import { messagesStops } from '../../src/dialects/anthropic-messages/stops.ts';
import { geminiStops } from '../../src/dialects/gemini/stops.ts';
import type { ChatRequest, Part, StopReason } from '../../src/dialects/neutral.ts';
import { openaiChatStops } from '../../src/dialects/openai-chat/stops.ts';
import { responsesStops } from '../../src/dialects/openai-responses/stops.ts';
import { type ChatDialect, chatDialects as registered } from '../../src/dialects/registry.ts';
import { readStop as readWord, type StopWords, writeStop } from '../../src/dialects/stop-words.ts';

/** The dialects in which a caller may speak a chat. */
export const SURFACES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type Surface = (typeof SURFACES)[number];

const isSurface = (id: string): id is Surface => SURFACES.some((surface) => surface === id);

export interface SurfaceDialect extends ChatDialect {
  id: Surface;
}

/** What the product has of them. */
export const chatDialects: readonly SurfaceDialect[] = registered.flatMap((one) => {
  const { id } = one.dialect;
  return isSurface(id) ? [{ ...one, id }] : [];
});

// ---- Stop reasons ------------------------------------------------------------------------------------------------

/** Why answers end, in the words of each. */
export const stopWords: Readonly<Record<Surface, StopWords>> = {
  'openai-chat': openaiChatStops,
  'openai-responses': responsesStops,
  'anthropic-messages': messagesStops,
  gemini: geminiStops,
};

/** The reason that a dialect's word means. */
export const readStop = (surface: Surface, word: string, callsTools: boolean): StopReason =>
  readWord(stopWords[surface], word, callsTools);

/** The reason as a caller of this dialect sees it. */
export const stopThrough = (surface: Surface, stop: StopReason, callsTools: boolean): StopReason =>
  readStop(surface, writeStop(stopWords[surface], stop), callsTools);

// ---- Usage -------------------------------------------------------------------------------------------------------

/** Where a dialect says a count; `into` names the count that takes it in where the dialect has no word for it. */
export type UsageWord = string | { into: UsageCount };

export const usageWords: Readonly<Record<UsageCount, Readonly<Record<Surface, UsageWord>>>> = {
  input: {
    'openai-chat': 'prompt_tokens less its details',
    'openai-responses': 'input_tokens less its details',
    'anthropic-messages': 'input_tokens',
    gemini: 'promptTokenCount + toolUsePromptTokenCount less cachedContentTokenCount and the details',
  },
  cacheRead: {
    'openai-chat': 'prompt_tokens_details.cached_tokens',
    'openai-responses': 'input_tokens_details.cached_tokens',
    'anthropic-messages': 'cache_read_input_tokens',
    gemini: 'cachedContentTokenCount',
  },
  cacheReadAudio: {
    'openai-chat': 'prompt_tokens_details.cached_tokens_details.audio_tokens',
    'openai-responses': 'input_tokens_details.cached_tokens_details.audio_tokens',
    'anthropic-messages': { into: 'cacheRead' },
    gemini: 'cacheTokensDetails[AUDIO]',
  },
  cacheWrite: {
    'openai-chat': 'prompt_tokens_details.cache_write_tokens',
    'openai-responses': 'input_tokens_details.cache_write_tokens',
    'anthropic-messages': 'cache_creation.ephemeral_5m_input_tokens, cache_creation_input_tokens',
    gemini: { into: 'input' },
  },
  cacheWriteHour: {
    'openai-chat': 'prompt_tokens_details.cache_creation.ephemeral_1h_input_tokens',
    'openai-responses': 'input_tokens_details.cache_creation.ephemeral_1h_input_tokens',
    'anthropic-messages': 'cache_creation.ephemeral_1h_input_tokens',
    gemini: { into: 'input' },
  },
  inputAudio: {
    'openai-chat': 'prompt_tokens_details.audio_tokens',
    'openai-responses': 'input_tokens_details.audio_tokens',
    'anthropic-messages': { into: 'input' },
    gemini: 'promptTokensDetails[AUDIO]',
  },
  inputImage: {
    'openai-chat': 'prompt_tokens_details.image_tokens',
    'openai-responses': 'input_tokens_details.image_tokens',
    'anthropic-messages': { into: 'input' },
    gemini: 'promptTokensDetails[IMAGE]',
  },
  inputVideo: {
    'openai-chat': 'prompt_tokens_details.video_tokens',
    'openai-responses': 'input_tokens_details.video_tokens',
    'anthropic-messages': { into: 'input' },
    gemini: 'promptTokensDetails[VIDEO]',
  },
  output: {
    'openai-chat': 'completion_tokens less its audio and image details',
    'openai-responses': 'output_tokens less its audio and image details',
    'anthropic-messages': 'output_tokens',
    gemini: 'candidatesTokenCount + thoughtsTokenCount less the details',
  },
  outputAudio: {
    'openai-chat': 'completion_tokens_details.audio_tokens',
    'openai-responses': 'output_tokens_details.audio_tokens',
    'anthropic-messages': { into: 'output' },
    gemini: 'candidatesTokensDetails[AUDIO]',
  },
  outputImage: {
    'openai-chat': 'completion_tokens_details.image_tokens',
    'openai-responses': 'output_tokens_details.image_tokens',
    'anthropic-messages': { into: 'output' },
    gemini: 'candidatesTokensDetails[IMAGE]',
  },
  reasoning: {
    'openai-chat': 'completion_tokens_details.reasoning_tokens',
    'openai-responses': 'output_tokens_details.reasoning_tokens',
    'anthropic-messages': 'output_tokens_details.thinking_tokens',
    gemini: 'thoughtsTokenCount',
  },
};

/** All that a usage counts. */
export const countsOf = ({ untoldWrites: _, found: __, longest: ___, ...counts }: Usage): Usage => counts;

/** The usage as a caller of this dialect sees it. No token is lost: what has no word of its own joins its neighbour. */
export function usageThrough(surface: Surface, usage: Usage): Usage {
  const seen = countsOf(usage);
  for (const field of Object.keys(usageWords) as UsageCount[]) {
    const word = usageWords[field][surface];
    if (typeof word === 'string') continue;
    seen[word.into] += seen[field];
    seen[field] = 0;
  }
  return seen;
}

// ---- Parts of answers --------------------------------------------------------------------------------------------

/**
 * How a part of an answer fares in a dialect: `kept` comes back whole; `joined` keeps its content and loses where one
 * part ends and the next begins; `changed` comes back as another kind; `dropped` has no word there.
 */
export interface PartFate {
  fate: 'kept' | 'joined' | 'changed' | 'dropped';
  /** How it is said there. */
  as: string;
}

/** Results of tools stand in requests only. */
export const answerParts: Readonly<
  Record<Exclude<Part['type'], 'tool-result'>, Readonly<Record<Surface, PartFate>>>
> = {
  text: {
    'openai-chat': { fate: 'joined', as: 'message.content' },
    'openai-responses': { fate: 'kept', as: 'output_text' },
    'anthropic-messages': { fate: 'kept', as: 'text' },
    gemini: { fate: 'joined', as: 'text' },
  },
  image: {
    'openai-chat': { fate: 'kept', as: 'message.images' },
    'openai-responses': { fate: 'kept', as: 'image_generation_call.result' },
    'anthropic-messages': { fate: 'kept', as: 'image' },
    gemini: { fate: 'kept', as: 'inlineData' },
  },
  audio: {
    'openai-chat': { fate: 'kept', as: 'message.audio' },
    'openai-responses': { fate: 'changed', as: 'output_text, its transcript' },
    'anthropic-messages': { fate: 'changed', as: 'text, its transcript' },
    gemini: { fate: 'kept', as: 'inlineData' },
  },
  file: {
    'openai-chat': { fate: 'dropped', as: '' },
    'openai-responses': { fate: 'dropped', as: '' },
    'anthropic-messages': { fate: 'kept', as: 'document' },
    gemini: { fate: 'kept', as: 'inlineData' },
  },
  thinking: {
    'openai-chat': { fate: 'joined', as: 'message.reasoning_content' },
    'openai-responses': { fate: 'kept', as: 'reasoning' },
    'anthropic-messages': { fate: 'kept', as: 'thinking' },
    gemini: { fate: 'joined', as: 'text with thought' },
  },
  'tool-call': {
    'openai-chat': { fate: 'kept', as: 'tool_calls' },
    'openai-responses': { fate: 'kept', as: 'function_call, custom_tool_call' },
    'anthropic-messages': { fate: 'kept', as: 'tool_use' },
    gemini: { fate: 'kept', as: 'functionCall' },
  },
  refusal: {
    'openai-chat': { fate: 'joined', as: 'message.refusal' },
    'openai-responses': { fate: 'kept', as: 'refusal' },
    'anthropic-messages': { fate: 'changed', as: 'text' },
    gemini: { fate: 'changed', as: 'text' },
  },
  raw: {
    'openai-chat': { fate: 'dropped', as: '' },
    'openai-responses': { fate: 'dropped', as: '' },
    'anthropic-messages': { fate: 'dropped', as: '' },
    gemini: { fate: 'dropped', as: '' },
  },
};

// ---- Requests ----------------------------------------------------------------------------------------------------

type Setting = Exclude<keyof ChatRequest, 'dialect' | 'model' | 'stream' | 'messages' | 'extra'>;

/** Where a dialect says a setting; null where it has no word, so that it is left out and reported as lost. */
export const requestSettings: Readonly<Record<Setting, Readonly<Record<Surface, string | null>>>> = {
  tools: {
    'openai-chat': 'tools[function]',
    'openai-responses': 'tools[function], flat',
    'anthropic-messages': 'tools with input_schema',
    gemini: 'tools.functionDeclarations',
  },
  toolChoice: {
    'openai-chat': 'tool_choice',
    'openai-responses': 'tool_choice',
    'anthropic-messages': 'tool_choice',
    gemini: 'toolConfig.functionCallingConfig',
  },
  parallelToolCalls: {
    'openai-chat': 'parallel_tool_calls',
    'openai-responses': 'parallel_tool_calls',
    'anthropic-messages': 'tool_choice.disable_parallel_tool_use',
    gemini: null,
  },
  responseFormat: {
    'openai-chat': 'response_format',
    'openai-responses': 'text.format',
    'anthropic-messages': 'output_config.format',
    gemini: 'generationConfig.responseMimeType, responseSchema',
  },
  reasoning: {
    'openai-chat': 'reasoning_effort, or the words of the vendor',
    'openai-responses': 'reasoning',
    'anthropic-messages': 'thinking, output_config.effort',
    gemini: 'generationConfig.thinkingConfig',
  },
  maxOutputTokens: {
    'openai-chat': 'max_completion_tokens, max_tokens',
    'openai-responses': 'max_output_tokens',
    'anthropic-messages': 'max_tokens',
    gemini: 'generationConfig.maxOutputTokens',
  },
  temperature: {
    'openai-chat': 'temperature',
    'openai-responses': 'temperature',
    'anthropic-messages': 'temperature',
    gemini: 'generationConfig.temperature',
  },
  topP: {
    'openai-chat': 'top_p',
    'openai-responses': 'top_p',
    'anthropic-messages': 'top_p',
    gemini: 'generationConfig.topP',
  },
  topK: {
    'openai-chat': 'top_k (vendors)',
    'openai-responses': null,
    'anthropic-messages': 'top_k',
    gemini: 'generationConfig.topK',
  },
  minP: {
    'openai-chat': 'min_p (vendors)',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: null,
  },
  frequencyPenalty: {
    'openai-chat': 'frequency_penalty',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: 'generationConfig.frequencyPenalty',
  },
  presencePenalty: {
    'openai-chat': 'presence_penalty',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: 'generationConfig.presencePenalty',
  },
  repetitionPenalty: {
    'openai-chat': 'repetition_penalty (vendors)',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: null,
  },
  seed: {
    'openai-chat': 'seed',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: 'generationConfig.seed',
  },
  stop: {
    'openai-chat': 'stop',
    'openai-responses': null,
    'anthropic-messages': 'stop_sequences',
    gemini: 'generationConfig.stopSequences',
  },
  choices: {
    'openai-chat': 'n',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: 'generationConfig.candidateCount',
  },
  logprobs: {
    'openai-chat': 'logprobs',
    'openai-responses': 'include[message.output_text.logprobs]',
    'anthropic-messages': null,
    gemini: 'generationConfig.responseLogprobs',
  },
  topLogprobs: {
    'openai-chat': 'top_logprobs',
    'openai-responses': 'top_logprobs',
    'anthropic-messages': null,
    gemini: 'generationConfig.logprobs',
  },
  logitBias: {
    'openai-chat': 'logit_bias',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: null,
  },
  verbosity: {
    'openai-chat': 'verbosity',
    'openai-responses': 'text.verbosity',
    'anthropic-messages': null,
    gemini: null,
  },
  modalities: {
    'openai-chat': 'modalities',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: 'generationConfig.responseModalities',
  },
  audio: {
    'openai-chat': 'audio',
    'openai-responses': null,
    'anthropic-messages': null,
    gemini: 'generationConfig.speechConfig',
  },
  user: {
    'openai-chat': 'user',
    'openai-responses': 'user',
    'anthropic-messages': 'metadata.user_id',
    gemini: null,
  },
  metadata: {
    'openai-chat': 'metadata (of stored answers)',
    'openai-responses': 'metadata',
    'anthropic-messages': null,
    gemini: null,
  },
  serviceTier: {
    'openai-chat': 'service_tier',
    'openai-responses': 'service_tier',
    'anthropic-messages': null,
    gemini: null,
  },
  promptCacheKey: {
    'openai-chat': 'prompt_cache_key',
    'openai-responses': 'prompt_cache_key',
    'anthropic-messages': null,
    gemini: null,
  },
  promptCacheRetention: {
    'openai-chat': 'prompt_cache_retention',
    'openai-responses': 'prompt_cache_retention',
    'anthropic-messages': null,
    gemini: null,
  },
  promptCacheOptions: {
    'openai-chat': 'prompt_cache_options',
    'openai-responses': 'prompt_cache_options',
    'anthropic-messages': null,
    gemini: null,
  },
  store: {
    'openai-chat': 'store',
    'openai-responses': 'store',
    'anthropic-messages': null,
    gemini: null,
  },
  previousResponseId: {
    'openai-chat': null,
    'openai-responses': 'previous_response_id',
    'anthropic-messages': null,
    gemini: null,
  },
  cache: {
    'openai-chat': 'cache_control (vendors)',
    'openai-responses': null,
    'anthropic-messages': 'cache_control',
    gemini: null,
  },
};

/** Settings that change nothing of the answer: where they have no word, nobody needs to be told. */
export const HINTS: ReadonlySet<Setting> = new Set<Setting>(['user', 'promptCacheKey', 'cache']);

/** How a part of a request fares: `refused` means that the request is answered with an error that names it. */
export interface RequestPartFate {
  fate: 'kept' | 'changed' | 'dropped' | 'refused';
  as: string;
}

export const requestParts: Readonly<Record<Part['type'], Readonly<Record<Surface, RequestPartFate>>>> = {
  text: {
    'openai-chat': { fate: 'kept', as: 'text' },
    'openai-responses': { fate: 'kept', as: 'input_text, output_text' },
    'anthropic-messages': { fate: 'kept', as: 'text' },
    gemini: { fate: 'kept', as: 'text' },
  },
  image: {
    'openai-chat': { fate: 'kept', as: 'image_url' },
    'openai-responses': { fate: 'kept', as: 'input_image' },
    'anthropic-messages': { fate: 'kept', as: 'image' },
    gemini: { fate: 'kept', as: 'inlineData, fileData' },
  },
  audio: {
    'openai-chat': { fate: 'kept', as: 'input_audio' },
    'openai-responses': { fate: 'kept', as: 'input_audio' },
    'anthropic-messages': { fate: 'refused', as: '' },
    gemini: { fate: 'kept', as: 'inlineData' },
  },
  file: {
    'openai-chat': { fate: 'kept', as: 'file; text of text files' },
    'openai-responses': { fate: 'kept', as: 'input_file; text of text files' },
    'anthropic-messages': { fate: 'kept', as: 'document' },
    gemini: { fate: 'kept', as: 'inlineData, fileData' },
  },
  thinking: {
    'openai-chat': {
      fate: 'dropped',
      as: 'reasoning_content, reasoning_details where the vendor takes them',
    },
    'openai-responses': { fate: 'dropped', as: 'reasoning, of its own making' },
    'anthropic-messages': { fate: 'dropped', as: 'thinking, of its own making' },
    gemini: { fate: 'dropped', as: 'thought signatures, of its own making' },
  },
  'tool-call': {
    'openai-chat': { fate: 'kept', as: 'tool_calls' },
    'openai-responses': { fate: 'kept', as: 'function_call, custom_tool_call' },
    'anthropic-messages': { fate: 'kept', as: 'tool_use' },
    gemini: { fate: 'kept', as: 'functionCall' },
  },
  'tool-result': {
    'openai-chat': { fate: 'kept', as: 'message of role tool; its images follow from the user' },
    'openai-responses': { fate: 'kept', as: 'function_call_output, custom_tool_call_output' },
    'anthropic-messages': { fate: 'kept', as: 'tool_result' },
    gemini: { fate: 'kept', as: 'functionResponse' },
  },
  refusal: {
    'openai-chat': { fate: 'changed', as: 'text' },
    'openai-responses': { fate: 'kept', as: 'refusal' },
    'anthropic-messages': { fate: 'changed', as: 'text' },
    gemini: { fate: 'changed', as: 'text' },
  },
  raw: {
    'openai-chat': { fate: 'dropped', as: '' },
    'openai-responses': { fate: 'dropped', as: '' },
    'anthropic-messages': { fate: 'dropped', as: '' },
    gemini: { fate: 'dropped', as: '' },
  },
};
