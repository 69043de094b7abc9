/** What a call may cost at most, as far as anybody can tell before it is made. */

import { mediaTokens } from '../core/media-tokens.ts';
import { type CallBound, type PromptBound, promptBound } from '../core/price-formula.ts';
import type { RequestFacts } from '../dialects/dialect.ts';
import type { Tier } from '../modules/channel/model.ts';
import type { RelayRequest } from './request.ts';

/** A conservative count of the prompt, in tokens of text, audio and images. */
export function promptBoundOf({ model, prompt }: RequestFacts, addedBytes = 0): PromptBound {
  const { imageTokens, audioTokens, fileTokens } = mediaTokens(model, prompt);
  const bound = promptBound({
    textBytes: prompt.textBytes + addedBytes,
    messages: prompt.messages,
    toolBytes: prompt.toolBytes,
    audioTokens,
    imageTokens,
  });
  return { ...bound, text: bound.text + fileTokens };
}

/** The dearest call that any of the channels could make of the request: one may put a system prompt before it. */
export function callBound({ facts }: RelayRequest, tiers: readonly Tier[]): CallBound {
  let addedBytes = 0;
  for (const { channels } of tiers) {
    for (const { setting } of channels) {
      if (setting.systemPrompt !== '') {
        addedBytes = Math.max(addedBytes, Buffer.byteLength(setting.systemPrompt));
      }
    }
  }
  return {
    prompt: promptBoundOf(facts, addedBytes),
    choices: facts.choices,
    outputCap: facts.outputCap,
    modelOutputMax: null,
    audioOut: facts.audioOut,
    calls: 1,
  };
}
