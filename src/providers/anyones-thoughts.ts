/** Whether a limit counts thoughts where nobody knows who stands behind an address. */
import { thinksUnseen } from '../core/thinkers.ts';
import type { Provider } from './provider.ts';

const CLAUDE = /claude/i;
/** But for those that OpenAI gave away, which anybody serves. */
const OPENAIS = /(?:^|\/)(?:chat)?gpt-(?!oss)/i;

/**
 * It may be one of the vendors whose `max_tokens` does not, and nobody knows whose words it has for a limit that does: one
 * that it passes over leaves the call without any. The makers of models that hide their thoughts, and of Claude, count all
 * within one limit, and so does whoever takes OpenAI's Responses or Anthropic's Messages as they are.
 */
export const thoughtLimitOfAnyone: NonNullable<Provider['thoughtLimit']> = ({ dialect, model }) => {
  if (dialect !== 'openai-chat' || thinksUnseen(model) || CLAUDE.test(model)) return null;
  return OPENAIS.test(model) ? 'together' : 'none';
};
