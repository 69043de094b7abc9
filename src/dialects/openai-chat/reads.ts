/** What of Chat Completions is measured where it is known, and what are settings: OpenAI's, and those of its copies. */
import { own } from '../../core/own.ts';
import { textOf } from '../fields.ts';
import { firstOf, type Reads, type ReadsOf, reads } from '../other-texts.ts';
import { FILE_SOURCES, isSaid, mediumOf } from './read-parts.ts';

const PART = ['type', 'cache_control', 'fps'];
const PARTS = {
  text: reads([...PART, 'text']),
  refusal: reads([...PART, 'refusal']),
  image_url: reads(PART, { image_url: reads(['url', 'detail', 'fps']) }, ['image_url']),
  input_audio: reads(PART, { input_audio: reads(['data', 'format']) }),
  file: reads(PART, { file: firstOf(Object.keys(FILE_SOURCES)) }),
  video_url: reads(PART, { video_url: reads(['url', 'detail', 'fps']) }, ['video_url']),
};
/** What is not read in the words of this wire is measured as a whole. */
const CONTENT: ReadsOf = (part) =>
  isSaid(part) || mediumOf(part) ? (own(PARTS, textOf(part.type) ?? '') ?? null) : null;

/** What reasoning says in its details is measured beside what a message says of it. */
export const DETAIL = reads(['type', 'id', 'format', 'index', 'signature', 'data']);

const MESSAGE = reads(
  [
    'role',
    'name',
    'reasoning_content',
    'reasoning',
    'reasoning_details',
    'refusal',
    'tool_call_id',
    'tool_calls',
    'function_call',
    'id',
    'type',
    'status',
    'cache_control',
  ],
  // Pictures of earlier answers stand beside the content.
  { content: CONTENT, images: CONTENT, audio: reads(['id', 'data', 'format']) },
  ['content', 'images'],
);

/** Google's words, which pass on this wire. */
const GOOGLE = reads(['cached_content', 'safety_settings'], { thinking_config: reads(['thinking_level']) });

/** Settings of every vendor's copy that say something in words; numbers and flags need no name. */
export const SETTINGS = [
  'model',
  'stream_options',
  'stop',
  'user',
  'user_id',
  'safety_identifier',
  'metadata',
  'service_tier',
  'logit_bias',
  'prompt_cache_key',
  'prompt_cache_retention',
];

export const CHAT_READS: Reads = reads(
  [
    ...SETTINGS,
    'tools',
    'functions',
    'response_format',
    'tool_choice',
    'function_call',
    'modalities',
    'reasoning_effort',
    'reasoning_format',
    'verbosity',
    'usage',
    'cache_control',
    'anthropic_beta',
    'models',
    'route',
    'provider',
    'plugins',
    'transforms',
    'session_id',
    'request_id',
    'stop_token_ids',
  ],
  {
    messages: MESSAGE,
    audio: reads(['voice', 'format']),
    reasoning: reads(['effort', 'summary', 'generate_summary']),
    thinking: reads(['type', 'effort', 'display']),
    web_search_options: reads(['search_context_size']),
    // Flags of templates that think.
    chat_template_kwargs: reads([]),
    extra_body: reads([], { google: GOOGLE }),
  },
);
