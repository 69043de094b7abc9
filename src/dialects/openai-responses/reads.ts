/** What of Responses is measured where it is known, and what are settings. */
import { own } from '../../core/own.ts';
import { objectOf, textOf } from '../fields.ts';
import {
  ANY,
  byType,
  each,
  either,
  firstOf,
  list,
  OBJECT,
  object,
  type Reads,
  type ReadsOf,
  ROLE,
  reads,
  TEXT,
  TEXTS,
} from '../other-texts.ts';
import { FILE_SOURCES, IMAGE_SOURCES } from './read-parts.ts';

const SAID = reads(['type', 'text'], { logprobs: list(OBJECT) });
const PART = ['type', 'detail'];
const SOUND = { input_audio: object(reads(['data', 'format'])) };
const SOUND_HERE = reads(PART, SOUND);
const SOUND_ELSEWHERE = reads([...PART, 'audio_url'], SOUND);
const BY_TYPE: Readonly<Record<string, ReadsOf>> = {
  input_text: SAID,
  output_text: SAID,
  text: SAID,
  refusal: reads(['type', 'refusal']),
  input_image: firstOf(Object.keys(IMAGE_SOURCES), PART),
  input_file: firstOf(Object.keys(FILE_SOURCES), PART),
  input_audio: ({ input_audio }) =>
    textOf(objectOf(input_audio)?.data) === undefined ? SOUND_ELSEWHERE : SOUND_HERE,
  input_video: reads(PART, { video_url: either(TEXT, object(reads(['url', 'detail']))) }),
};
const readsOfPart: ReadsOf = (part) => {
  const known = own(BY_TYPE, textOf(part.type) ?? '');
  return (typeof known === 'function' ? known(part) : known) ?? null;
};
/** Anything else is not read. */
const CONTENT = either(TEXT, list(either(TEXT, object(readsOfPart))));

const ITEM = ['type', 'id', 'status', 'phase'];
const PIECES = list(object(reads(['type', 'text'])));
const CALL = [...ITEM, 'call_id', 'name'];
const OUTPUT = reads([...ITEM, 'call_id'], { role: ROLE, output: CONTENT });
const INPUT = byType(
  {
    message: reads(ITEM, { role: ROLE, content: CONTENT }),
    reasoning: reads([...ITEM, 'encrypted_content'], { summary: PIECES, content: PIECES }),
    function_call: reads(CALL, { arguments: ANY }),
    custom_tool_call: reads(CALL, { input: ANY }),
    function_call_output: OUTPUT,
    custom_tool_call_output: OUTPUT,
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

const SCHEMA = reads(['type'], { schema: OBJECT });
const readsOfFormat: ReadsOf = ({ type }) => (type === 'json_schema' ? SCHEMA : reads(['type']));

export const RESPONSES_READS: Reads = reads(
  [
    'model',
    'instructions',
    'truncation',
    'user',
    'safety_identifier',
    'service_tier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'previous_response_id',
  ],
  {
    ...each(['metadata', 'stream_options'], OBJECT),
    tools: list(OBJECT),
    tool_choice: either(TEXT, OBJECT),
    include: TEXTS,
    conversation: either(TEXT, object(reads(['id']))),
    context_management: list(object(reads(['type']))),
    input: either(TEXT, list(object(INPUT))),
    text: object(reads(['verbosity'], { format: object(readsOfFormat) })),
    reasoning: object(reads(['effort', 'summary', 'generate_summary', 'context'])),
    // Who may keep it is asked elsewhere; what it is filled with is read.
    prompt: object(reads(['id', 'version'])),
  },
);
