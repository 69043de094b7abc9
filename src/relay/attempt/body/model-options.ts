/**
 * What operators set for families of models, and what a model's name asks of it. Read from the options once a change;
 * a call of a model that no rule concerns pays for one look into a table.
 */
import { type ModelVariant, variantOf } from '../../../core/model-variant.ts';
import { own } from '../../../core/own.ts';
import { LEAST_THINKING_CAP } from '../../../dialects/anthropic-messages/thinking.ts';
import type { RoutedChannel } from '../../../modules/channel/model.ts';
import { keptByVersion } from '../../../options/by-version.ts';
import type { ModelSettings } from '../../../providers/provider.ts';
import { findProvider } from '../../../providers/registry.ts';
import type { UpstreamModel, UpstreamOf } from '../../charge/upstreams.ts';
import type { RelayRequest } from '../../request.ts';

export interface ModelOptions {
  /** For providers. */
  settings: ModelSettings;
  /** The same without what changes bodies. */
  bareSettings: ModelSettings;
  /** Bodies of equal dialects go up without anything that operators would add. */
  passThrough: boolean;
  /** Of a cap on output, what thinking may take. */
  thinkingShare: number;
  /** What a name asks for; null for the name of a model. */
  variantOf(name: string): ModelVariant | null;
  /** The one answer to it: what is held, priced and sent goes by this. */
  upstreamOf: UpstreamOf;
}

/** Names come from callers, so what is known of them has a bound. */
const NAMES_MAX = 10_000;

export const modelOptions = keptByVersion((options): ModelOptions => {
  const passThrough = options.get('global.pass_through_request_enabled');
  const claudeThinks = options.get('claude.thinking_adapter_enabled');
  const names = new Map<string, ModelVariant | null>();
  const settings: ModelSettings = {
    geminiVersions: options.get('gemini.version_settings'),
    geminiSafety: options.get('gemini.safety_settings'),
    claudeHeaders: options.get('claude.model_headers_settings'),
  };
  const made: ModelOptions = {
    settings,
    bareSettings: { ...settings, geminiSafety: {} },
    passThrough,
    thinkingShare: options.get('claude.thinking_adapter_budget_tokens_percentage'),
    variantOf(name) {
      let variant = names.get(name);
      if (variant === undefined) {
        variant = variantOf(name);
        if (variant?.family === 'claude' && !claudeThinks) variant = null;
        if (names.size >= NAMES_MAX) names.clear();
        names.set(name, variant);
      }
      return variant;
    },
    upstreamOf: (channel, requested) => upstreamModel(channel, requested, made),
  };
  return made;
});

/** Anywhere but at a vendor's home, a name that the channel lists stands as it is. */
function upstreamModel(
  { type, models, modelMapping }: RoutedChannel,
  requested: string,
  options: ModelOptions,
): UpstreamModel {
  const mapped = own(modelMapping, requested);
  const name = mapped ?? requested;
  const variant = options.variantOf(name);
  if (!variant) return { model: name, variant };
  const isNamed = mapped !== undefined || models.includes(requested);
  if (isNamed && !findProvider(type)?.homeOf?.includes(variant.family)) return { model: name, variant: null };
  const base = mapped === undefined ? own(modelMapping, variant.base) : undefined;
  return { model: base ?? variant.base, variant };
}

/** The request with a cap that leaves Claude room to think, so that what is reserved covers what is sent. */
export function withRoomToThink(request: RelayRequest, options: ModelOptions): RelayRequest {
  const { facts } = request;
  const { model, outputCap } = facts;
  if (outputCap === null || outputCap >= LEAST_THINKING_CAP) return request;
  if (options.variantOf(model)?.family !== 'claude') return request;
  return { ...request, facts: { ...facts, outputCap: LEAST_THINKING_CAP } };
}
