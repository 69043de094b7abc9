/** What a call may cost at most, as far as anybody can tell before it is made. */

import { contextOf } from '../../core/contexts.ts';
import { mostDrawingTokens } from '../../core/drawing-tokens.ts';
import { fileTokensMost, mediaTokens, mostImageTokens } from '../../core/media-tokens.ts';
import { own } from '../../core/own.ts';
import type { CallBound, PromptBound } from '../../core/price-formula.ts';
import { promptBound } from '../../core/prompt-bound.ts';
import { NO_READING, type Reading, withReading } from '../../core/tool-reading.ts';
import type { RequestFacts } from '../../dialects/dialect.ts';
import type { Tier } from '../../modules/channel/model.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { mayThinkUnseen } from './thinking.ts';
import { thoughtsBeside, type UpstreamOf } from './thoughts-beside.ts';

/** A conservative count of the prompt, in tokens of text, audio and images. */
export function promptBoundOf({ model, prompt }: RequestFacts, addedBytes = 0): PromptBound {
  const { audioTokens } = mediaTokens(model, prompt);
  const bound = promptBound({
    ...prompt,
    textBytes: prompt.textBytes + addedBytes,
    audioTokens,
    imageTokens: mostImageTokens(model, prompt),
  });
  return {
    ...bound,
    text: bound.text + keptTokens(model, prompt),
    ...(prompt.cacheMarks && { written: prompt.cacheMarks }),
  };
}

/** What stands in files, or elsewhere. */
export function keptTokens(model: string, prompt: RequestFacts['prompt']): number {
  if (isAllText(prompt)) return 0;
  const { unseen = false, earlier, context = contextOf(model) } = prompt;
  const isKnown = typeof earlier === 'number';
  return fileTokensMost(model, prompt, unseen && !isKnown, context) + (isKnown ? earlier : 0);
}

/** Nothing is kept anywhere else, as in most prompts: no rule for files needs to be looked up. */
const isAllText = (prompt: RequestFacts['prompt']): boolean =>
  prompt.files === 0 &&
  prompt.fileBytes === 0 &&
  !prompt.unseen &&
  !prompt.unsized &&
  !prompt.unseenFilm &&
  !prompt.videoSeconds &&
  !prompt.videoFrames &&
  !prompt.pages &&
  !prompt.shownBytes &&
  typeof prompt.earlier !== 'number';

/** Of an answer and of all that it has read. */
export interface AnswerSize {
  /** As its upstream told it; null where that is not known. */
  tokens: number | null;
  pictures: number;
}

/**
 * The request with what is known of its size from here on: how much the models of its channels read at once, how long the
 * answer was upon which it builds and how many pictures it has, how many tokens those models draw a picture of, and what is
 * thought beside its limit.
 */
export function withSizes(
  asked: RelayRequest,
  tiers: readonly Tier[],
  answer: AnswerSize | null,
  upstreamOf: UpstreamOf,
): RelayRequest {
  const named = underNames(asked, tiers);
  const thoughts = thoughtsBeside(named, tiers, upstreamOf);
  const request = thoughts ? { ...named, facts: { ...named.facts, thoughts } } : named;
  const { facts } = request;
  const { prompt, model, drawing } = facts;
  const isRead = prompt.unseen || prompt.unsized || prompt.files > 0;
  if (!isRead && !drawing) return request;
  const names = upstreamNamesOf(model, tiers);
  const context = Math.max(...names.map(contextOf));
  const earlier = prompt.earlier === undefined ? {} : { earlier: answer?.tokens ?? null };
  return {
    ...request,
    facts: {
      ...facts,
      ...(answer && answer.pictures > 0 && { drawnFrom: (facts.drawnFrom ?? 0) + answer.pictures }),
      ...(isRead && { prompt: { ...prompt, context, ...earlier } }),
      ...(drawing && {
        outputCap: Math.max(...[model, ...names].map((name) => mostDrawingTokens(name, drawing))),
      }),
    },
  };
}

function underNames(request: RelayRequest, tiers: readonly Tier[]): RelayRequest {
  const { dialect, facts } = request;
  if (!dialect.factsUnder) return request;
  return { ...request, facts: dialect.factsUnder(request, upstreamNamesOf(facts.model, tiers)) };
}

/** Bytes of the longest system prompt that one of the channels puts before a request. */
const addedBytes = new WeakMap<readonly Tier[], number>();

function addedBytesOf(tiers: readonly Tier[]): number {
  let most = addedBytes.get(tiers);
  if (most === undefined) {
    const prompts = tiers.flatMap(({ channels }) => channels.map(({ setting }) => setting.systemPrompt));
    most = prompts.reduce((longest, prompt) => Math.max(longest, Buffer.byteLength(prompt)), 0);
    addedBytes.set(tiers, most);
  }
  return most;
}

/** Whether each of the channels answers a stream as it comes; some vendors have whole answers only. */
const streaming = new WeakMap<readonly Tier[], boolean>();

function canStream(tiers: readonly Tier[]): boolean {
  let can = streaming.get(tiers);
  if (can === undefined) {
    can = tiers.every(({ channels }) => channels.every(({ type }) => !findProvider(type)?.plainOnly));
    streaming.set(tiers, can);
  }
  return can;
}

/** What the channels call the model, each name once. */
const upstreamNames = new WeakMap<readonly Tier[], readonly string[]>();

function upstreamNamesOf(model: string, tiers: readonly Tier[]): readonly string[] {
  let names = upstreamNames.get(tiers);
  if (names === undefined) {
    const all = tiers.flatMap(({ channels }) =>
      channels.map(({ modelMapping }) => own(modelMapping, model) ?? model),
    );
    names = [...new Set(all)];
    upstreamNames.set(tiers, names);
  }
  return names;
}

/** Whether more can be held while the answer comes: it comes bit by bit, and what is charged of it is seen. */
const isSeenToGrow = (request: Pick<RelayRequest, 'facts' | 'body'>, tiers: readonly Tier[]): boolean =>
  request.facts.stream &&
  canStream(tiers) &&
  !mayThinkUnseen(request, upstreamNamesOf(request.facts.model, tiers));

/** The dearest call that any of the channels could make of the request, whose tools read so much. */
export const callBound = (
  request: Pick<RelayRequest, 'facts' | 'dialect' | 'body'>,
  tiers: readonly Tier[],
  reading: Reading = NO_READING,
): CallBound => ({
  prompt: withReading(promptBoundOf(request.facts, addedBytesOf(tiers)), reading),
  choices: request.facts.choices,
  outputCap: request.facts.outputCap,
  thoughts: request.facts.thoughts,
  // Where no limit can be sent either, more is held as it comes, whatever is seen of it.
  extends:
    isSeenToGrow(request, tiers) || (!request.dialect.withOutputCap && request.facts.outputCap === null),
  audioOut: request.facts.audioOut,
  calls: request.facts.calls ?? 1,
});
