/** What an answer was, for whoever builds upon it. */
import { hasTools, type PaidTools } from '../../core/paid-tools.ts';
import { tokensOfBound } from '../../core/price-bound.ts';
import { completionTokens, isOfKinds, promptTokens, type Usage } from '../../core/usage.ts';
import { runsTools } from '../../dialects/asked-tools.ts';
import type { Earlier, Holds, RequestFacts } from '../../dialects/dialect.ts';
import type { RelayRequest } from '../request.ts';
import { isAllText, isUnknown, promptBoundOf } from './estimate.ts';

type Asked = Pick<RelayRequest, 'facts' | 'body'>;

/** Searches of the web where nothing else has found anything, with the tokens that one of them is held for. */
export interface Searched {
  count: number;
  tokens: number;
}

/** What is read of an answer by whoever builds upon it: with all that its model has read, and its tools have found. */
export const keptOf = (
  request: Asked,
  told: Usage | null,
  paid: PaidTools,
  searched?: Searched,
): Earlier => ({
  tokens: keptTokensOf(request, told, searched),
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
 * Of one that searched it is the last of its readings. Where its model may have left out what it could not read at once,
 * another one reads that, too, and all of the answer that it builds upon; tools are not kept with it, nor is what a channel
 * says.
 */
function keptTokensOf(
  { facts }: Pick<Asked, 'facts'>,
  told: Usage | null,
  searched?: Searched,
): number | null {
  if (!told) return null;
  const { prompt, leavesOut } = facts;
  const said = completionTokens(told);
  const all = promptTokens(told) + said;
  if (!leavesOut) return searched?.count ? lastReading(facts, promptTokens(told), searched) + said : all;
  const most = Math.max(all, prompt.earlier?.tokens ?? 0);
  // Of files no more is held than a model can read.
  if (isUnknown(prompt) || prompt.files > 0 || prompt.unsized || prompt.unseenFilm) return null;
  return Math.max(
    most,
    tokensOfBound(promptBoundOf({ ...facts, prompt: { ...prompt, tools: undefined } }, 0)) + said,
  );
}

/**
 * Of one reading more than there were searches, each of which has read all that was found before it, `told` is the sum. Where
 * all find as much the last is twice their mean less the first; what is found late is held for as a search is (decision 009).
 */
const lastReading = (facts: RequestFacts, told: number, { count, tokens }: Searched): number =>
  Math.min(
    told,
    Math.max(Math.ceil((2 * told) / (count + 1)), tokensOfBound(promptBoundOf(facts)) + count * tokens),
  );
