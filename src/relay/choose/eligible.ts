/** Where a caller's call may go: which models he may use, and which channels may serve them. */
import { fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import { modelIn } from '../../dialects/bounds.ts';
import type { RequestFacts } from '../../dialects/dialect.ts';
import { toolModels } from '../../dialects/tool-uses.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import { namesOpened } from '../../modules/channel/openings.ts';
import { type Caller, mayUseModel } from '../../modules/token/callers.ts';
import { findProvider } from '../../providers/registry.ts';
import { modelOptions } from '../attempt/body/model-options.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted, RelayRequest } from '../request.ts';
import { noChannel } from './no-channel.ts';
import { ownTiers } from './own-key.ts';

/** The channels that may serve the request to this caller, best tier first. Throws when he may not ask it or none can. */
export const eligibleTiers = async (
  request: Pick<RelayRequest, 'facts' | 'operation'>,
  admitted: Admitted,
  deps: Pick<RelayDeps, 'channels' | 'options' | 'ownKeys'>,
): Promise<readonly Tier[]> => sharing(request.facts.sharedContext, await tiersFor(request, admitted, deps));

/** Only the service knows how much there is in what its account keeps, which this field names. */
export const withSharedContext = (facts: RequestFacts, field: string): RequestFacts => ({
  ...facts,
  sharedContext: facts.sharedContext ?? field,
  prompt: { ...facts.prompt, unseen: true, earlier: undefined },
});

/** What the account of an upstream keeps may be another caller's: only channels whose operator allows it are asked for that. */
export function sharing(sharedContext: string | undefined, tiers: readonly Tier[]): readonly Tier[] {
  if (sharedContext === undefined) return tiers;
  const allowing = tiers
    .map(({ priority, channels }) => ({
      priority,
      channels: channels.filter(({ setting }) => setting.sharedContext),
    }))
    .filter(({ channels }) => channels.length > 0);
  if (allowing.length > 0 || tiers.length === 0) return allowing;
  throw fail('shared_context_refused', { field: sharedContext, params: { field: asIs(sharedContext) } });
}

/**
 * The channels that may serve the model to this caller, best tier first; where none has the name itself, the caller's own
 * key at the supplier that it begins with, or the channels of the model behind the name. Throws when he may not use it or
 * none can.
 */
async function tiersFor(
  { operation, facts: { model } }: Pick<RelayRequest, 'facts' | 'operation'>,
  { caller, pinned }: Admitted,
  deps: Pick<RelayDeps, 'channels' | 'options' | 'ownKeys'>,
): Promise<readonly Tier[]> {
  const { channels, options } = deps;
  // One wish alone, though prices follow all: a name that has two contradicts itself, and cannot be sent as both.
  const base = modelOptions(options).variantOf(model)?.base;
  if (!mayUseModel(caller, model) && !(base && mayUseModel(caller, base))) {
    throw fail('model_not_allowed', { params: { model: asIs(model) } });
  }
  if (pinned) {
    if (opensMore(pinned, model, options))
      throw fail('model_not_allowed', { params: { model: asIs(model) } });
    return [{ priority: pinned.priority, channels: [pinned] }];
  }
  const named = channels.tiers(caller.group, model);
  if (named.length > 0) return named;
  // What a task leaves behind is asked after by its channel.
  const own = operation === 'task' ? null : await ownTiers(caller, model, deps);
  const tiers = own ?? (base ? channels.tiers(caller.group, base) : named);
  if (tiers.length > 0) return tiers;
  throw channels.knows(model)
    ? noChannel(caller, model)
    : fail('model_not_found', { params: { model: asIs(model) } });
}

/**
 * A channel that is chosen by its number takes models that it does not list; of what its account keeps it takes what its
 * operator had it name.
 */
function opensMore(channel: RoutedChannel, model: string, options: RelayDeps['options']): boolean {
  const { type, models, modelMapping } = channel;
  const { model: name } = modelOptions(options).upstreamOf(channel, model);
  if (!findProvider(type)?.modelIsKept?.(name)) return false;
  return !namesOpened({ type, models, mapping: modelMapping }).includes(name);
}

/** A tool may name a model of its own, to which the token's limits apply as well. */
export function checkTools({ body }: RelayRequest, caller: Caller): void {
  for (const model of toolModels(body)) {
    if (!mayUseModel(caller, modelIn(model)))
      throw fail('model_not_allowed', { params: { model: asIs(model) } });
  }
}
