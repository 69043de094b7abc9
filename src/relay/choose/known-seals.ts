/** Reasoning that a call brings back can be opened by nobody but the account and the model that have sealed it. */
import { sealsIn } from '../../dialects/sealed-reasoning.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import type { Asker } from '../answer/kept-name.ts';
import { recallSeals } from '../answer/seal-store.ts';
import { modelOptions } from '../attempt/body/model-options.ts';
import { areSeveral } from '../attempt/seal-marks.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';

/**
 * The request with what is known of whose seals it brings, where several may be asked, or where such seals of his were
 * refused: the account that has made them may be gone, or his talks change their models.
 */
export async function withSealsKnown(
  request: RelayRequest,
  caller: Asker,
  tiers: readonly Tier[],
  deps: Pick<RelayDeps, 'unopened' | 'answers' | 'pieces' | 'log' | 'options'>,
): Promise<RelayRequest> {
  if (request.dialect.id !== 'openai-responses') return request;
  const { upstreamOf } = modelOptions(deps.options);
  const modelAt = (channel: RoutedChannel) => upstreamOf(channel, request.facts.model).model;
  if (!areSeveral(tiers, modelAt) && !deps.unopened.of(caller.userId).isUsed) return request;
  return { ...request, sealedBy: await recallSeals(caller, sealsIn(request.body.input), deps) };
}
