/** What of Messages is measured where it is known, and what are settings. */
import { objectOf } from '../fields.ts';
import { byType, type Reads, type ReadsOf, reads } from '../other-texts.ts';

/** Passages that an earlier answer cites are not read again (Anthropic's page on citations). */
const BLOCK = ['type', 'cache_control', 'citations'];
const TEXT = reads([...BLOCK, 'text']);
const DATA = reads(['type', 'media_type', 'data']);
const SOURCE = byType({
  base64: DATA,
  text: DATA,
  url: reads(['type', 'url']),
  file: reads(['type', 'file_id']),
  content: reads(['type'], { content: byTextAlone }, ['content']),
});

/** Of blocks in a document only texts are read. */
function byTextAlone({ type }: { type?: unknown }): Reads {
  return type === 'text' ? TEXT : reads(['type', 'cache_control']);
}

const blocks: Record<string, Reads> = {
  text: TEXT,
  image: reads(BLOCK, { source: SOURCE }),
  document: reads(BLOCK, { source: SOURCE }),
  search_result: reads(BLOCK, { content: byTextAlone }, ['content']),
  tool_use: reads([...BLOCK, 'id', 'name', 'input', 'extra_content', 'caller']),
  thinking: reads([...BLOCK, 'thinking', 'signature']),
  redacted_thinking: reads([...BLOCK, 'data']),
};
const ofBlock = byType(blocks);
const CONTENT: ReadsOf = (block) => {
  // A medium without a source that is known stays as it came, and is measured as a whole.
  if ((block.type === 'image' || block.type === 'document') && !objectOf(block.source)) return null;
  return typeof ofBlock === 'function' ? ofBlock(block) : ofBlock;
};
blocks.tool_result = reads([...BLOCK, 'tool_use_id', 'is_error'], { content: CONTENT }, ['content']);

export const MESSAGES_READS: Reads = reads(
  [
    'model',
    'metadata',
    'stop_sequences',
    'tools',
    'tool_choice',
    'service_tier',
    'cache_control',
    'context_management',
    'container',
    'anthropic_beta',
    'anthropic_version',
    'betas',
  ],
  {
    messages: reads(['role', 'id', 'type'], { content: CONTENT }, ['content']),
    system: CONTENT,
    thinking: reads(['type', 'display']),
    output_config: reads(['effort'], { format: reads(['type', 'schema']) }),
    output_format: reads(['type', 'schema']),
  },
  ['system'],
);
