/** What of Chat Completions is measured where it is known, and what are settings: OpenAI's, and those of its copies. */
import { own } from '../../core/own.ts';
import { textOf } from '../fields.ts';
import {
  ANY,
  each,
  either,
  firstOf,
  list,
  NONE,
  NUMBERS,
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
import { FILE_SOURCES, isSaid, mediumOf } from './read-parts.ts';

const partWith = (others: Readonly<Record<string, Shape>>): Reads =>
  reads(['type'], { cache_control: OBJECT, ...others });
const ADDRESS = either(TEXT, object(reads(['url', 'detail'])));

const PARTS = {
  text: partWith({ text: TEXT }),
  refusal: partWith({ refusal: TEXT }),
  image_url: partWith({ image_url: ADDRESS }),
  input_audio: partWith({ input_audio: object(reads(['data', 'format'])) }),
  file: partWith({ file: object(firstOf(Object.keys(FILE_SOURCES))) }),
  video_url: partWith({ video_url: ADDRESS }),
};
const readsOfPart: ReadsOf = ({ type }) => own(PARTS, textOf(type) ?? '') ?? null;
/** What is not read in the words of this wire is measured as a whole. */
const CONTENT = either(
  TEXT,
  object((part) => (isSaid(part) || mediumOf(part) ? readsOfPart(part) : null)),
);
/** Beside a content no part says anything. */
const IMAGE = either(
  TEXT,
  object((part) => (isSaid(part) ? NONE : mediumOf(part) ? readsOfPart(part) : null)),
);

/** What reasoning says in its details is measured beside what a message says of it. */
export const DETAIL = reads(['signature', 'data'], each(['type', 'id', 'format'], SEALED));

const MESSAGE = reads(
  ['name', 'reasoning_content', 'reasoning', 'refusal', 'tool_call_id', 'id', 'type', 'status'],
  {
    role: ROLE,
    content: either(TEXT, list(CONTENT)),
    // Pictures of earlier answers stand beside the content.
    images: either(IMAGE, list(IMAGE)),
    audio: object(reads(['id', 'data', 'format'])),
    reasoning_details: ANY,
    tool_calls: ANY,
    function_call: ANY,
    cache_control: OBJECT,
  },
);

/** Google's words, which pass on this wire. */
const GOOGLE = reads(['cached_content'], {
  safety_settings: list(OBJECT),
  thinking_config: object(reads(['thinking_level'])),
});

/** Settings of every vendor's copy that say something in words; numbers and flags need no name. */
export const SETTINGS: Readonly<Record<string, Shape>> = {
  ...each(
    [
      'model',
      'user',
      'user_id',
      'safety_identifier',
      'service_tier',
      'prompt_cache_key',
      'prompt_cache_retention',
    ],
    TEXT,
  ),
  ...each(['stream_options', 'metadata', 'logit_bias'], OBJECT),
  stop: TEXTS,
};

export const CHAT_READS: Reads = reads(
  ['reasoning_effort', 'reasoning_format', 'verbosity', 'route', 'session_id', 'request_id'],
  {
    ...SETTINGS,
    ...each(['tools', 'functions', 'response_format'], ANY),
    ...each(['tool_choice', 'function_call'], either(TEXT, OBJECT)),
    ...each(['modalities', 'anthropic_beta', 'models', 'transforms'], TEXTS),
    ...each(['usage', 'cache_control', 'provider'], OBJECT),
    stop_token_ids: NUMBERS,
    // What they are asked for besides is read.
    plugins: list(object(reads(['id', 'engine'], { pdf: object(reads(['engine'])) }))),
    messages: list(object(MESSAGE)),
    audio: object(reads(['format'], { voice: either(TEXT, object(reads(['id']))) })),
    reasoning: object(reads(['effort', 'summary', 'generate_summary'])),
    thinking: object(reads(['type', 'effort', 'display'])),
    web_search_options: object(reads(['search_context_size'])),
    // Flags of templates that think.
    chat_template_kwargs: object(NONE),
    extra_body: object(reads([], { google: object(GOOGLE) })),
  },
);
