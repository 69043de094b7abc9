/**
 * Which channels make a film as long as it is asked for: a model that makes another would be paid for less than it makes.
 * What the operator names with its price wins over what is known of models by their names.
 */
import { own } from '../../core/own.ts';
import { refuse } from '../../dialects/bounds.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import { findProvider } from '../../providers/registry.ts';
import { modelOptions } from '../attempt/body/model-options.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';

/** The call of a film as it can be asked for, and whom. */
interface Makeable {
  request: RelayRequest;
  tiers: readonly Tier[];
  /** Seconds that were chosen for a caller who named none. */
  chosen?: string;
}

/**
 * Leaves out channels whose model makes no film of that length. Where none is left, whoever named no length (`isSaid` is
 * false) gets the next longer one that is made, or else the longest. Throws `invalid_request` for who did.
 */
export function makeable(
  request: RelayRequest,
  tiers: readonly Tier[],
  isSaid: boolean,
  { options }: Pick<RelayDeps, 'options'>,
): Makeable {
  const { model, filmSize, callFactor } = request.facts;
  if (filmSize === undefined || callFactor === undefined || tiers.length === 0) return { request, tiers };
  const { upstreamOf } = modelOptions(options);
  const sold = own(options.get('VideoPrice'), model)?.seconds;
  const lengthsOf = (channel: RoutedChannel) =>
    sold ?? findProvider(channel.type)?.tasks?.seconds?.(upstreamOf(channel, model).model);
  const making = (seconds: number) =>
    tiers
      .map(({ priority, channels }) => ({
        priority,
        channels: channels.filter((channel) => lengthsOf(channel)?.includes(seconds) ?? true),
      }))
      .filter(({ channels }) => channels.length > 0);
  const able = making(callFactor);
  if (able.length > 0) return { request, tiers: able };
  const all = tiers.flatMap(({ channels }) => channels.flatMap((channel) => lengthsOf(channel) ?? []));
  const lengths = [...new Set<number>(all)].sort((one, other) => one - other);
  const next = lengths.find((length) => length > callFactor) ?? lengths.at(-1);
  if (isSaid || next === undefined) {
    throw refuse('seconds', {
      zh: `此模型的渠道只生成以下秒数的视频：${lengthsText(lengths)}`,
      en: `channels of this model make films of these seconds only: ${lengthsText(lengths)}`,
    });
  }
  return { request: withSeconds(request, next), tiers: making(next), chosen: String(next) };
}

const withSeconds = (request: RelayRequest, seconds: number): RelayRequest => ({
  ...request,
  body: { ...request.body, seconds: String(seconds) },
  facts: {
    ...request.facts,
    callFactor: seconds,
    noted: { ...request.facts.noted, seconds: String(seconds) },
  },
});

/** `5, 10` as such, `4, 5, 6, 7` as `4–7`. */
function lengthsText(lengths: readonly number[]): string {
  const [first = 0] = lengths;
  const last = lengths.at(-1) ?? first;
  const isRange = lengths.length > 2 && last - first === lengths.length - 1;
  return isRange ? `${first}–${last}` : lengths.join(', ');
}
