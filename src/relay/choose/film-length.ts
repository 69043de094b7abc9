/** Which channels make a film as long as it is asked for: a model that makes another would be paid for less than it makes. */
import { refuse } from '../../dialects/bounds.ts';
import type { Tier } from '../../modules/channel/model.ts';
import { findProvider } from '../../providers/registry.ts';
import { modelOptions } from '../attempt/body/model-options.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';

/** The tiers without channels whose model makes no film of that length. Throws `invalid_request` where none is left. */
export function makingTiers(
  { facts: { model, filmSize, callFactor } }: Pick<RelayRequest, 'facts'>,
  tiers: readonly Tier[],
  { options }: Pick<RelayDeps, 'options'>,
): readonly Tier[] {
  if (filmSize === undefined || callFactor === undefined) return tiers;
  const { upstreamOf } = modelOptions(options);
  const made = new Set<number>();
  const making = tiers
    .map(({ priority, channels }) => ({
      priority,
      channels: channels.filter((channel) => {
        const lengths = findProvider(channel.type)?.tasks?.seconds?.(upstreamOf(channel, model).model);
        for (const length of lengths ?? []) made.add(length);
        return lengths?.includes(callFactor) ?? true;
      }),
    }))
    .filter(({ channels }) => channels.length > 0);
  if (making.length > 0 || tiers.length === 0) return making;
  const lengths = lengthsText([...made].sort((one, other) => one - other));
  throw refuse('seconds', {
    zh: `此模型的渠道只生成以下秒数的视频：${lengths}`,
    en: `channels of this model make films of these seconds only: ${lengths}`,
  });
}

/** `5, 10` as such, `4, 5, 6, 7` as `4–7`. */
function lengthsText(lengths: readonly number[]): string {
  const [first = 0] = lengths;
  const last = lengths.at(-1) ?? first;
  const isRange = lengths.length > 2 && last - first === lengths.length - 1;
  return isRange ? `${first}–${last}` : lengths.join(', ');
}
