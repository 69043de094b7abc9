/** What of a caller's own fields is left out when another wire is written, by the names that he gave them. */
import { isObject, type JsonObject } from '../core/json.ts';
import type { DialectId } from './dialect.ts';
import { objectOf } from './fields.ts';
import type { ChatRequest } from './neutral.ts';

/** Fields that the neutral request says in its own words, or that say nothing of the answer. */
const UNDERSTOOD: Readonly<Partial<Record<DialectId, readonly string[]>>> = {
  'openai-chat': [
    'stream_options',
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'response_format',
    'reasoning_effort',
    'reasoning',
    'thinking',
    'enable_thinking',
    'thinking_budget',
    'functions',
    'function_call',
    'user',
    'safety_identifier',
  ],
  'openai-responses': [
    'instructions',
    'reasoning',
    'text',
    'include',
    'top_logprobs',
    'user',
    'safety_identifier',
    'previous_response_id',
    'stream_options',
  ],
  'anthropic-messages': ['output_format', 'anthropic_version', 'anthropic_beta', 'cache_control'],
  gemini: ['toolConfig', 'generationConfig'],
};

/** Of Gemini's settings, those that stand whole beside what others understand of them. */
const UNDERSTOOD_CONFIG: ReadonlySet<string> = new Set([
  'thinkingConfig',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'speechConfig',
]);
const TOOL_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig']);

/** Words for the way that every other service takes anyway. */
const USUAL: ReadonlySet<unknown> = new Set([null, false, '', 'disabled']);
const says = (value: unknown): boolean =>
  !USUAL.has(value) && !(isObject(value) && Object.keys(value).length === 0) && !isEmptyList(value);
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const namesIn = (fields: JsonObject | undefined, understood: { has(name: string): boolean }): string[] =>
  Object.entries(fields ?? {}).flatMap(([name, value]) =>
    says(value) && !understood.has(name) ? [name] : [],
  );

/** Names of the fields that only the caller's dialect knows. */
export function lostExtras({ dialect, extra }: ChatRequest): string[] {
  const names = namesIn(extra, new Set(UNDERSTOOD[dialect] ?? []));
  if (dialect !== 'gemini') return names;
  return [
    ...names,
    ...namesIn(objectOf(extra.generationConfig), UNDERSTOOD_CONFIG),
    ...namesIn(objectOf(extra.toolConfig), TOOL_CONFIG),
  ];
}
