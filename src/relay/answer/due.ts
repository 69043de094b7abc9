/** What is due of an answer: as how many calls it counts, and what of it is owed where it was refused. */
import { limits } from '../../core/limits.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import { completionTokens, type Usage } from '../../core/usage.ts';
import type { Produced, ReplyFacts } from '../../dialects/dialect.ts';
import { picturesDrawn } from '../../dialects/tool-uses.ts';
import type { Call, StreamEnd } from '../charge/call.ts';
import type { withMedia } from '../charge/count.ts';
import { callsAsked } from '../charge/estimate.ts';
import { tellsNothing } from '../charge/plausible.ts';
import { type Owed, owedByRefused, type Refused } from '../charge/refused.ts';
import { isChat } from '../charge/weigh.ts';
import type { Answer, PlainAnswer, StreamAnswer } from './answers.ts';
import type { Ending } from './pump.ts';

/** What its model has made itself: pictures that a tool has drawn are paid for as uses of that. */
export const ofModelAlone = (
  { seconds, pictures = 0 }: Parameters<typeof withMedia>[1],
  { tools = {} }: { tools?: ToolUses | undefined },
) => ({ seconds, pictures: Math.max(pictures - picturesDrawn(tools), 0) });

/** What came of a whole answer, worked out once and where it is asked for: it may be long. */
export class WhatCame {
  #produced: Produced | undefined;
  #due: number | undefined;

  constructor(readonly facts: ReplyFacts) {}

  get produced(): Produced {
    this.#produced ??= this.facts.produced();
    return this.#produced;
  }

  /**
   * What came is due, whatever is told of it as nothing: once at the least at a price a call, and counted here at a price a
   * token.
   */
  get due(): number {
    this.#due ??= this.facts.due();
    return this.#due;
  }
}

/** Whether anything that is due has come of a stream, or was written for it. */
export async function isDueIn({ request }: Call, { meter, passage, model }: StreamAnswer): Promise<boolean> {
  if (passage.due) return true;
  if (!meter.hasCome || !passage.isFiltered) return meter.hasCome;
  return meter.seconds + meter.pictures > 0 || (await meter.count(model, request)) > 0;
}

/** Whether something was written for an answer, shown or not, by what is told of it: what it thought, or a word that ended it. */
const isToldWritten = ({ request }: Call, { candidate: { channel } }: Answer, usage: Usage | null): boolean =>
  isChat(request) && usage !== null && completionTokens(usage) > 0 && !tellsNothing(usage, channel);

const hasFailed = (end: StreamEnd): boolean => end === 'upstream_cut' || end === 'timeout';

/** What was written though nothing came of it is due of a stream that has ended well, or that its caller has ended. */
export const isLeftWritten = (call: Call, answer: StreamAnswer, { end, usage }: Ending): boolean =>
  !hasFailed(end) && isToldWritten(call, answer, usage);

/** What a whole answer owes where all of it was refused, or kept back; null where it was not. */
export function owedOf(
  { request }: Call,
  { candidate: { channel }, tools: uses }: PlainAnswer,
  { facts, due }: WhatCame,
  isBelieved: boolean,
): Owed | null {
  const { isFiltered, usage, refusedFor } = facts;
  if (!isFiltered) return null;
  return owedByRefused({ request, channel, hasOutput: due > 0, usage, isBelieved, uses, refusedFor });
}

/** The same of a stream. What is told of one that has failed is nothing that was written. */
export function owedOfStream(
  { request }: Call,
  { candidate: { channel }, tools, passage, meter }: StreamAnswer,
  {
    end,
    usage,
    hasOutput,
    isBelieved,
  }: Pick<Ending, 'end' | 'usage'> & Pick<Refused, 'hasOutput' | 'isBelieved'>,
): Owed | null {
  if (!passage.isFiltered) return null;
  return owedByRefused({
    request,
    channel,
    hasOutput,
    usage: hasFailed(end) ? null : usage,
    isBelieved: isBelieved && end === 'done' && passage.complete,
    uses: tools?.uses,
    refusedFor: meter.hasCome ? undefined : passage.refusedFor,
  });
}

/** How many calls its upstream was asked for: where its wire has no word for several answers, one. */
export const callsUp = ({ request: { facts } }: Call, { converted }: Answer): number =>
  facts.calls === undefined && converted?.asksForOne ? 1 : callsAsked(facts);

/**
 * What an answer itself counts as: each picture that came, else what it tells within reason, and each answer in it that is
 * due. No upstream makes more of these than it was asked for; pictures it may.
 */
export function callsIn(call: Call, answer: PlainAnswer, came: WhatCame, owed: Owed | null): number {
  const { calls = 0, pictures, isForLater, usage } = came.facts;
  if (pictures !== undefined) return mostDrawn(pictures);
  const asked = callsUp(call, answer);
  if (isForLater) return asked;
  const { mostCalls = asked } = call.request.facts;
  const isOne = owed === null ? isToldWritten(call, answer, usage) : owed === 'all';
  const due = Math.max(came.due, isOne ? 1 : 0);
  const drawn = ofModelAlone(came.produced, answer).pictures;
  return Math.max(Math.min(calls, mostCalls), Math.min(due, Math.max(asked, 1)), mostDrawn(drawn));
}

/**
 * What a stream counts as of which anything is due, or was lost: each answer that is, and all that were asked for where
 * nobody knows. Of a call for pictures, each picture; of one that broke off, or shows none, all that was asked for at the
 * least.
 */
export function callsInStream(call: Call, answer: StreamAnswer, isLost: boolean): number {
  const { passage, meter, tools } = answer;
  const asked = callsUp(call, answer);
  if (call.request.facts.calls === undefined) {
    const drawn = ofModelAlone(meter, { tools: tools?.uses }).pictures;
    return Math.max(isLost ? asked : Math.min(Math.max(passage.due ?? 0, 1), asked), mostDrawn(drawn));
  }
  const pictures = mostDrawn(passage.pictures ?? 0);
  return passage.complete && pictures > 0 ? pictures : Math.max(asked, pictures);
}

const mostDrawn = (pictures: number): number => Math.min(pictures, limits.choicesMax);
