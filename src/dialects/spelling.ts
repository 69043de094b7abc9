/**
 * One field, one spelling. Readers of JSON differ in what they take for the same name: Go's and .NET's ignore case by
 * Unicode's folding, newer ones of Go lines and dashes as well, some cut a name at its NUL. A name that such a reader
 * takes for a field which the gateway sets, limits or prices would be served as something else than was charged.
 */

import { limits } from '../core/limits.ts';

const PLAIN = /^[a-z0-9]*$/;
const SNAKE = /^[a-z0-9_]*$/;

/** Bodies hold the same few names, which are folded once. */
const remembered = new Map<string, string>();
const REMEMBERED_CHARS = 64;

/**
 * What the loosest of readers makes of a name: without case (Unicode's full folding, so that a long s is an s and a
 * Kelvin sign a k), width, lines, dashes, and whatever follows a NUL or, in forms, a bracket. Equal results do not say
 * that any one reader takes both for the same; different results say that none does.
 */
export function folded(name: string): string {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const fold = foldOf(name);
  if (name.length <= REMEMBERED_CHARS && remembered.size < limits.namesRemembered) remembered.set(name, fold);
  return fold;
}

function foldOf(name: string): string {
  if (PLAIN.test(name)) return name;
  if (SNAKE.test(name)) return name.replaceAll('_', '');
  return (
    (name.split(/[\0[]/, 1)[0] ?? '')
      .normalize('NFKC')
      .toUpperCase()
      .toLowerCase()
      // A capital I with a dot leaves its dot behind.
      .replace(/_|-|\u0307/g, '')
  );
}

/** A name as wires that are made of protobuf spell it, and as they read it, too. */
export const camelOf = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
export const snakeOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** How much may be written, in the words of every wire and vendor. One that the gateway did not read is no limit of its own. */
export const CAPS: readonly string[] = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'max_new_tokens',
  'max_tokens_to_sample',
  'max_gen_len',
  'num_predict',
  'n',
  'best_of',
  'candidate_count',
  'num_completions',
  'num_generations',
  'num_images',
  'num_images_per_prompt',
  'number_of_images',
  'sample_count',
];

/** What else the gateway reads, sets, counts, limits or prices, at the top of a body or deeper. */
const READ: readonly string[] = [
  'model',
  'models',
  'model_id',
  'session',
  'response',
  'route',
  'plugins',
  'stream',
  'stream_options',
  'include_usage',
  'service_tier',
  'speed',
  'headers',
  'extra_headers',
  'extra_body',
  'anthropic_beta',
  'metadata',
  'user_id',
  'background',
  // What is asked, and what of it is counted.
  'messages',
  'input',
  'contents',
  'content',
  'role',
  'parts',
  'type',
  'text',
  'system',
  'system_instruction',
  'instructions',
  'prompt',
  'suffix',
  'query',
  'documents',
  'requests',
  'reasoning_content',
  'image_url',
  'input_audio',
  'inline_data',
  'file_data',
  'source',
  // Tools and what they may do.
  'tools',
  'functions',
  'web_search_options',
  'search_parameters',
  'search_context_size',
  'max_uses',
  'max_search_results',
  'max_tool_calls',
  // What an answer is made of.
  'response_format',
  'modalities',
  'response_modalities',
  'audio',
  'generation_config',
  'inference_config',
  'thinking',
  'thinking_config',
  'reasoning',
  'size',
  'quality',
  'partial_images',
];

/** Fields of the gateway, as OpenAI's and Anthropic's wires spell them. */
export const FIELDS: readonly string[] = [...CAPS, ...READ];

const CAP_FIELDS: ReadonlySet<string> = new Set(CAPS.map(folded));

/** Whether a name, in whichever spelling, says how much may be written. */
export const isCap = (name: string): boolean => CAP_FIELDS.has(folded(name));
