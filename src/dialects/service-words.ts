/**
 * Services that gateways run beside any model and bill apart: searches, pages, browsers, tools. Each has words of its own
 * for them and no usage tells of one, so that a field which no wire here knows is judged by what it and the names within
 * it say.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { MESSAGES_READS } from './anthropic-messages/reads.ts';
import { OPAQUE } from './body-rules.ts';
import { isAbsent } from './bounds.ts';
import { FIELDS } from './gateway-fields.ts';
import { GEMINI_READS } from './gemini/reads.ts';
import { CHAT_READS } from './openai-chat/reads.ts';
import { RESPONSES_READS } from './openai-responses/reads.ts';
import { namesRead } from './other-texts.ts';

/** A name without case, lines and dashes. No gateway reads fields of its own looser, and there may be very many. */
const bare = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Of a bare name. Servers of open models look for a good answer with beams. */
const SERVICE =
  /(?<!beam)search|scrap|crawl|brows|retriev|grounding|plugin|connector|transcripts$|linkup|tavily|fetch|internet|webaccess|^memory$|tools$/;
/** What it says when a service is declined. */
const DECLINED = /^disable/;

/** Fields of any wire; and Cohere's, and what all of them say of tools beside their list. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    ...FIELDS,
    ...[CHAT_READS, RESPONSES_READS, MESSAGES_READS, GEMINI_READS].flatMap(namesRead),
    ...['tool_config', 'parallel_tool_calls', 'strict_tools', 'include'],
  ].map(bare),
);

/**
 * What holds names of the caller's own: schemas, variables of templates (vLLM's, SGLang's and llama.cpp's words for them),
 * and what he tells of himself.
 */
const CALLERS: ReadonlySet<string> = new Set(
  [
    ...OPAQUE,
    'chat_template_kwargs',
    'custom_params',
    'grammar',
    'guided_decoding',
    'guided_json',
    'json_schema',
    'labels',
    'metadata',
    'client_metadata',
    'mm_processor_kwargs',
    'nvext',
    'schema',
    'structured_outputs',
    'template_kwargs',
    'vllm_xargs',
  ].map(bare),
);

/** Bare names of Perplexity's settings of the search that its model makes anyway. */
export const SETTINGS_OF_SONAR = /^search(?:mode|.*filter)$|^enablesearchclassifier$/;

/** Whether a field of a body, none of any wire here, asks for such a service; the settings of its model ask for none. */
export function asksForService(name: string, value: Json | undefined, settings?: RegExp): boolean {
  const said = bare(name);
  if (KNOWN.has(said) || settings?.test(said)) return false;
  return says(said, value);
}

function says(said: string, value: Json | undefined): boolean {
  if (isAbsent(value) || value === false || CALLERS.has(said) || DECLINED.test(said)) return false;
  return SERVICE.test(said) || saysWithin(value);
}

function saysWithin(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(saysWithin);
  return (
    isObject(value) && Object.entries(value as JsonObject).some(([name, inner]) => says(bare(name), inner))
  );
}
