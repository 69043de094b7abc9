/** What bounds a token: how much it may spend, also at its owner's suppliers, until when, from where and on which models. */
import { NEVER } from '../../core/time.ts';
import { listOf, splitList } from '../../core/wire/lists.ts';
import type { TokenBounds } from './contract.ts';
import { TOKEN_STATUS } from './facts.ts';

/** Whether it may do anything that it might not before. */
export const isLifted = (before: TokenBounds, now: TokenBounds): boolean =>
  (now.status === TOKEN_STATUS.enabled && before.status !== TOKEN_STATUS.enabled) ||
  quotaOf(now) > quotaOf(before) ||
  endOf(now) > endOf(before) ||
  (now.own_keys && !before.own_keys) ||
  hasMore(networksOf(before), networksOf(now)) ||
  hasMore(modelsOf(before), modelsOf(now));

const quotaOf = ({ unlimited_quota, remain_quota }: TokenBounds): number =>
  unlimited_quota ? Number.POSITIVE_INFINITY : remain_quota;

const endOf = ({ expired_time }: TokenBounds): number =>
  expired_time === NEVER ? Number.POSITIVE_INFINITY : expired_time;

/** Null where any will do. */
type Few = ReadonlySet<string> | null;

const networksOf = ({ allow_ips }: TokenBounds): Few =>
  allow_ips === '' ? null : new Set(splitList(allow_ips, '\n'));

const modelsOf = ({ model_limits_enabled, model_limits }: TokenBounds): Few =>
  model_limits_enabled ? new Set(listOf(model_limits)) : null;

const hasMore = (before: Few, now: Few): boolean =>
  before !== null && (now === null || !now.isSubsetOf(before));
