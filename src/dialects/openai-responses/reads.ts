/** What of Responses is measured where it is known, and what are settings. */
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { objectOf, textOf } from '../fields.ts';
import { byType, firstOf, type Reads, type ReadsOf, reads } from '../other-texts.ts';
import { FILE_SOURCES, IMAGE_SOURCES } from './read-parts.ts';

const TEXT = reads(['type', 'text', 'logprobs']);
const PART = ['type', 'detail', 'fps'];
const SOUND = { input_audio: reads(['data', 'format']) };
const SOUND_HERE = reads(PART, SOUND);
const SOUND_ELSEWHERE = reads([...PART, 'audio_url'], SOUND);
const BY_TYPE: Readonly<Record<string, ReadsOf>> = {
  input_text: TEXT,
  output_text: TEXT,
  text: TEXT,
  refusal: reads(['type', 'refusal']),
  input_image: firstOf(Object.keys(IMAGE_SOURCES), PART),
  input_file: firstOf(Object.keys(FILE_SOURCES), PART),
  input_audio: ({ input_audio }) =>
    textOf(objectOf(input_audio)?.data) === undefined ? SOUND_ELSEWHERE : SOUND_HERE,
  input_video: reads(PART, { video_url: reads(['url', 'detail', 'fps']) }, ['video_url']),
};
const CONTENT: ReadsOf = (part) => {
  const known = own(BY_TYPE, textOf(part.type) ?? '');
  return (typeof known === 'function' ? known(part) : known) ?? null;
};

const ITEM = ['type', 'id', 'status', 'role', 'phase'];
const PIECES = reads(['type', 'text']);
const CALL = reads([...ITEM, 'call_id', 'name', 'arguments', 'input']);
/** What a tool gives is a text or parts; any other object is not read. */
const OUTPUT: ReadsOf = ({ output }: JsonObject) =>
  reads([...ITEM, 'call_id'], objectOf(output) ? {} : { output: CONTENT }, ['output']);
const itemReads = byType(
  {
    message: reads(ITEM, { content: CONTENT }, ['content']),
    reasoning: reads([...ITEM, 'encrypted_content'], { summary: PIECES, content: PIECES }),
    function_call: CALL,
    custom_tool_call: CALL,
    image_generation_call: reads([
      ...ITEM,
      'result',
      'output_format',
      'size',
      'quality',
      'background',
      'action',
    ]),
  },
  'message',
);
const IN_OUTPUT = new Set<unknown>(['function_call_output', 'custom_tool_call_output']);
const INPUT: ReadsOf = (item) => {
  const known = IN_OUTPUT.has(item.type) ? OUTPUT : itemReads;
  return typeof known === 'function' ? known(item) : known;
};

export const RESPONSES_READS: Reads = reads(
  [
    'model',
    'instructions',
    'tools',
    'tool_choice',
    'include',
    'truncation',
    'metadata',
    'user',
    'safety_identifier',
    'service_tier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'previous_response_id',
    'conversation',
    'stream_options',
    'context_management',
  ],
  {
    input: INPUT,
    text: reads(['verbosity'], { format: reads(['type', 'name', 'schema']) }),
    reasoning: reads(['effort', 'summary', 'generate_summary', 'context']),
    // Who may keep it is asked elsewhere; what it is filled with is read.
    prompt: reads(['id', 'version']),
  },
  ['input', 'prompt'],
);
