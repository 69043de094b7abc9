/** What an answer was, for whoever builds upon it. */
import { hasTools, type PaidTools } from '../../core/paid-tools.ts';
import { tokensOfBound } from '../../core/price-bound.ts';
import { completionTokens, isOfKinds, promptTokens, type Usage } from '../../core/usage.ts';
import { runsTools } from '../../dialects/asked-tools.ts';
import type { AnswerItems, Earlier, Holds, RequestFacts } from '../../dialects/dialect.ts';
import type { RelayRequest } from '../request.ts';
import { isAllText, isUnknown, promptBoundOf } from './estimate.ts';

type Asked = Pick<RelayRequest, 'facts' | 'body'>;

/** How often it has searched, where nothing else has found anything; null where something has, or nobody knows. */
type Searches = AnswerItems['searches'];

/** What is read of an answer by whoever builds upon it: with all that its model has read, and its tools have found. */
export const keptOf = (
  request: Asked,
  told: Usage | null,
  paid: PaidTools,
  searches: Searches = null,
): Earlier => {
  const least = leastOf(request.facts, told, searches);
  const thought = thoughtIn(request.facts, told);
  return {
    tokens: keptTokensOf(request, told, searches),
    ...(least > 0 && { least }),
    ...(thought !== undefined && { thought }),
    holds: keptHolds(request, told, paid),
  };
};

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
  searches: Searches,
): number | null {
  if (!told) return null;
  const { prompt, leavesOut } = facts;
  const said = completionTokens(told);
  const all = promptTokens(told) + said;
  if (!leavesOut) return lastReading(facts, promptTokens(told), searches ?? 0) + said;
  const most = Math.max(all, prompt.earlier?.tokens ?? 0);
  // Of files no more is held than a model can read.
  if (isUnknown(prompt) || prompt.files > 0 || prompt.unsized || prompt.unseenFilm) return null;
  return Math.max(
    most,
    tokensOfBound(promptBoundOf({ ...facts, prompt: { ...prompt, tools: undefined } }, 0)) + said,
  );
}

/**
 * What is told of an answer that searched is the sum of its readings: one more than there were searches, as OpenAI runs no
 * tools of its own side by side (its guide to function calling), and each of all that was found before it. The others are no
 * shorter than what it builds upon is for certain.
 */
function lastReading(facts: RequestFacts, told: number, searches: number): number {
  const others = readsAll(facts) ? searches * (facts.prompt.earlier?.least ?? 0) : 0;
  return Math.max(told - others, meanReading(told, searches));
}

/**
 * Its last reading is no shorter than their mean. What its caller has said himself may not be read of it again, nor what was
 * thought then and before: services forget thoughts when a new turn begins, or where they are told to.
 */
function leastOf(facts: RequestFacts, told: Usage | null, searches: Searches): number {
  const { prompt } = facts;
  const thought = thoughtBefore(facts);
  if (!told || thought === undefined || searches === null || !readsAll(facts) || isUnknown(prompt)) return 0;
  const { earlier: _, ...own } = prompt;
  const said = tokensOfBound(promptBoundOf({ ...facts, prompt: { ...own, unseen: false } }));
  return Math.max(0, meanReading(promptTokens(told), searches) - completionTokens(told) - thought - said);
}

const thoughtBefore = ({ prompt }: RequestFacts): number | undefined =>
  prompt.unseen ? prompt.earlier?.thought : 0;

function thoughtIn(facts: RequestFacts, told: Usage | null): number | undefined {
  const before = thoughtBefore(facts);
  return told && before !== undefined ? before + told.reasoning : undefined;
}

const meanReading = (told: number, searches: number): number => Math.floor(told / (searches + 1));

/** Nothing of what it builds upon is left out, or summed up. */
const readsAll = ({ leavesOut, sumsUpFrom }: RequestFacts): boolean => !leavesOut && sumsUpFrom === undefined;
