/** What a call may cost at most, as far as anybody can tell before it is made. */

import { fileTokensMost, mediaTokens } from '../../core/media-tokens.ts';
import { type CallBound, type PromptBound, promptBound } from '../../core/price-formula.ts';
import type { RequestFacts } from '../../dialects/dialect.ts';
import type { Tier } from '../../modules/channel/model.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';

/** A conservative count of the prompt, in tokens of text, audio and images. */
export function promptBoundOf({ model, prompt }: RequestFacts, addedBytes = 0): PromptBound {
  const { imageTokens, audioTokens } = mediaTokens(model, prompt);
  const bound = promptBound({
    textBytes: prompt.textBytes + addedBytes,
    messages: prompt.messages,
    toolBytes: prompt.toolBytes,
    audioTokens,
    imageTokens,
  });
  return {
    ...bound,
    text: bound.text + fileTokensMost(prompt, prompt.unseen === true),
    ...(prompt.cacheMarks && { written: prompt.cacheMarks }),
  };
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

/** The dearest call that any of the channels could make of the request. */
export const callBound = ({ facts, dialect }: RelayRequest, tiers: readonly Tier[]): CallBound => ({
  prompt: promptBoundOf(facts, addedBytesOf(tiers)),
  choices: facts.choices,
  outputCap: facts.outputCap,
  extends: !dialect.withOutputCap || (facts.stream && canStream(tiers)),
  audioOut: facts.audioOut,
  calls: facts.calls ?? 1,
});
