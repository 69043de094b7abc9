/** What an answer was, for whoever builds upon it. */
import { hasTools, type PaidTools } from '../../core/paid-tools.ts';
import { completionTokens, isOfKinds, promptTokens, type Usage } from '../../core/usage.ts';
import { runsTools } from '../../dialects/asked-tools.ts';
import type { Earlier, Holds } from '../../dialects/dialect.ts';
import type { RelayRequest } from '../request.ts';
import { isAllText, isUnknown, promptBoundOf } from './estimate.ts';

type Asked = Pick<RelayRequest, 'facts' | 'body'>;

/** What is read of an answer by whoever builds upon it: with all that its model has read, and its tools have found. */
export const keptOf = (request: Asked, told: Usage | null, paid: PaidTools): Earlier => ({
  tokens: keptTokensOf(request, told),
  holds: keptHolds(request, told, paid),
});

function keptHolds({ facts: { prompt }, body }: Asked, told: Usage | null, paid: PaidTools): Holds {
  const { earlier, images, audioSeconds, spoken = [] } = prompt;
  if (earlier?.holds === 'any' || (told && isOfKinds(told))) return 'any';
  const isHeard = audioSeconds > 0 || spoken.length > 0;
  const isRead = images.length > 0 || isHeard || earlier?.holds === 'media';
  const unseen = prompt.unseen && !earlier;
  const isText =
    !isRead && isAllText({ ...prompt, unseen, thought: 0 }) && !hasTools(paid) && !runsTools(body);
  return isText ? 'text' : 'media';
}

/**
 * Tokens of an answer with all that is read by whoever builds upon it, from what its upstream told; null where nobody knows.
 * It is never less than the answer that it builds upon. Where its model may have left out what it could not read at once,
 * another one reads that, too; tools are not kept with it, nor is what a channel says.
 */
function keptTokensOf({ facts }: Pick<Asked, 'facts'>, told: Usage | null): number | null {
  if (!told) return null;
  const { prompt, leavesOut } = facts;
  const said = completionTokens(told);
  const most = Math.max(promptTokens(told) + said, prompt.earlier?.tokens ?? 0);
  if (!leavesOut) return most;
  // Of files no more is held than a model can read.
  if (isUnknown(prompt) || prompt.files > 0 || prompt.unsized || prompt.unseenFilm) return null;
  const { text, audio, image } = promptBoundOf({ ...facts, prompt: { ...prompt, tools: undefined } }, 0);
  return Math.max(most, text + audio + image + said);
}
