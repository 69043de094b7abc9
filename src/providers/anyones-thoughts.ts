/** Whether a limit counts thoughts where nobody knows who stands behind an address. */
import { thinksUnseen } from '../core/thinkers.ts';
import type { Provider } from './provider.ts';

const CLAUDE = /claude/i;

/**
 * It may be one of the vendors whose `max_tokens` does not. The makers of models that hide their thoughts, and of Claude,
 * count all within one limit, and so does whoever takes OpenAI's Responses or Anthropic's Messages as they are.
 */
export const thoughtLimitOfAnyone: NonNullable<Provider['thoughtLimit']> = ({ dialect, model }) =>
  dialect !== 'openai-chat' || thinksUnseen(model) || CLAUDE.test(model) ? null : 'unknown';
