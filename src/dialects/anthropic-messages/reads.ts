/** What of Messages is measured where it is known, and what are settings. */
import { objectOf } from '../fields.ts';
import {
  ANY,
  byType,
  each,
  either,
  list,
  OBJECT,
  object,
  type Reads,
  type ReadsOf,
  ROLE,
  reads,
  type Shape,
  TEXT,
  TEXTS,
} from '../other-texts.ts';

const blockOf = (texts: readonly string[], others: Readonly<Record<string, Shape>> = {}): Reads =>
  reads(['type', ...texts], {
    cache_control: OBJECT,
    // Passages that an earlier answer cites are not read again (Anthropic's page on citations).
    citations: either(OBJECT, list(OBJECT)),
    ...others,
  });
const SAID = blockOf(['text']);
/** Of blocks in a document only texts are read. */
const SAID_ALONE = either(
  TEXT,
  list(object(({ type }) => (type === 'text' ? SAID : reads(['type'], { cache_control: OBJECT })))),
);
const DATA = reads(['type', 'media_type', 'data']);
const SOURCE = object(
  byType({
    base64: DATA,
    text: DATA,
    url: reads(['type', 'url']),
    file: reads(['type', 'file_id']),
    content: reads(['type'], { content: SAID_ALONE }),
  }),
);
/** Where Google's signature of a call is kept. */
const EXTRA = object(reads([], { google: object(reads(['thought_signature'])) }));

const readsOfBlock: ReadsOf = (block) => {
  // A medium without a source that is known stays as it came, and is measured as a whole.
  if ((block.type === 'image' || block.type === 'document') && !objectOf(block.source)) return null;
  return typeof BLOCKS === 'function' ? BLOCKS(block) : BLOCKS;
};
/** A result's texts may stand for themselves. */
const CONTENT = either(TEXT, list(either(TEXT, object(readsOfBlock))));
const BLOCKS = byType({
  text: SAID,
  image: blockOf([], { source: SOURCE }),
  document: blockOf([], { source: SOURCE }),
  search_result: blockOf([], { content: SAID_ALONE }),
  tool_use: blockOf(['id', 'name'], {
    input: ANY,
    extra_content: EXTRA,
    caller: object(reads(['type', 'tool_id'])),
  }),
  tool_result: blockOf(['tool_use_id'], { content: CONTENT }),
  thinking: blockOf(['thinking', 'signature']),
  redacted_thinking: blockOf(['data']),
});

const SCHEMA = reads(['type'], { schema: OBJECT });
const FORMAT = object(({ type }) => (type === 'json_schema' ? SCHEMA : reads(['type'])));

/** How much of a conversation is forgotten; what is asked of who sums it up is read. */
const AMOUNT = either(TEXT, object(reads(['type'])));
const EDIT = reads(['type'], {
  ...each(['keep', 'trigger', 'clear_at_least'], AMOUNT),
  ...each(['exclude_tools', 'clear_tool_inputs'], TEXTS),
});

export const MESSAGES_READS: Reads = reads(['model', 'service_tier', 'anthropic_version'], {
  ...each(['metadata', 'cache_control'], OBJECT),
  ...each(['stop_sequences', 'anthropic_beta', 'betas'], TEXTS),
  tools: list(OBJECT),
  tool_choice: object(reads(['type'])),
  context_management: object(reads([], { edits: list(object(EDIT)) })),
  container: either(
    TEXT,
    object(reads(['id'], { skills: list(object(reads(['type', 'skill_id', 'version']))) })),
  ),
  messages: list(object(reads(['id', 'type'], { role: ROLE, content: CONTENT }))),
  system: CONTENT,
  thinking: object(reads(['type', 'display'])),
  output_config: object(reads(['effort'], { format: FORMAT })),
  output_format: FORMAT,
});
