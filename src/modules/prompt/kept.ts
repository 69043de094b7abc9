/**
 * The prompts that everybody may ask for, kept until one of them changes: read once for all, and answered with the very
 * same to all who are shown the same.
 */
import { limits } from '../../core/limits.ts';
import { createRecent } from '../../platform/recent.ts';
import type { Deps } from '../deps.ts';
import type { Prompt, PromptQuery } from './contract.ts';
import { fitting, listPrompts } from './service.ts';

/** Released prompts for a client. */
type KeptPrompts<Answer> = (client: Pick<PromptQuery, 'platform' | 'version'>) => Promise<Answer>;

export function keepPrompts<Answer>(
  deps: Pick<Deps, 'changes' | 'db'>,
  answerOf: (shown: Prompt[]) => Answer,
): KeptPrompts<Answer> {
  const keepMs = limits.promptListMs;
  // Answers go with the list that they were made of.
  const read = async () => ({
    released: await listPrompts(deps, {}, true),
    answers: createRecent<Answer>({ keepMs, max: limits.promptListsKept }),
  });
  const kept = createRecent<Awaited<ReturnType<typeof read>>>({ keepMs, max: 1 });
  deps.changes.on('prompts', () => kept.drop());
  return async (client) => {
    const { released, answers } = await kept.get('', read);
    const shown = fitting(released, client);
    // By what they hold: whoever makes up versions gets one of the same few.
    return answers.get(shown.map(({ id }) => id).join(), async () => answerOf(shown));
  };
}
