/** What a call may cost at most, as far as anybody can tell before it is made. */

import { AppError } from '../core/errors.ts';
import { mediaTokens } from '../core/media-tokens.ts';
import { type CallBound, type PromptBound, promptBound } from '../core/price-formula.ts';
import type { RequestFacts } from '../dialects/dialect.ts';
import type { RoutedChannel, Tier } from '../modules/channel/model.ts';
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

/** The dearest call that any of the channels could make of the request: one may add a system prompt or raise the cap. */
export function callBound(request: RelayRequest, tiers: readonly Tier[]): CallBound {
  const { facts } = request;
  const bound: CallBound = {
    prompt: promptBoundOf(facts),
    choices: facts.choices,
    outputCap: facts.outputCap,
    modelOutputMax: null,
    audioOut: facts.audioOut,
    calls: 1,
  };
  let addedBytes = 0;
  for (const { channels } of tiers) {
    for (const channel of channels) {
      if (channel.paramOverride) raiseCaps(bound, request, channel);
      if (channel.setting.systemPrompt !== '') {
        addedBytes = Math.max(addedBytes, Buffer.byteLength(channel.setting.systemPrompt));
      }
    }
  }
  return addedBytes === 0 ? bound : { ...bound, prompt: promptBoundOf(facts, addedBytes) };
}

function raiseCaps(bound: CallBound, { body, dialect }: RelayRequest, channel: RoutedChannel): void {
  try {
    const caps = dialect.readCaps({ ...body, ...channel.paramOverride });
    bound.choices = Math.max(bound.choices, caps.choices);
    bound.outputCap =
      bound.outputCap === null || caps.outputCap === null ? null : Math.max(bound.outputCap, caps.outputCap);
  } catch (error) {
    // The operator's override makes no valid request: the upstream will say so, and nothing is produced.
    if (!(error instanceof AppError)) throw error;
  }
}
