import { expect, it } from 'bun:test';
import { NEVER } from '../../core/time.ts';
import { isLifted } from './bounds.ts';
import type { TokenBounds } from './contract.ts';
import { TOKEN_STATUS } from './facts.ts';

const bounded: TokenBounds = {
  status: TOKEN_STATUS.enabled,
  unlimited_quota: false,
  remain_quota: 100,
  expired_time: 2_000_000_000,
  model_limits_enabled: true,
  model_limits: 'a,b',
  allow_ips: '10.0.0.1\n10.0.0.2',
  own_keys: false,
};

it.each<[what: string, lifts: boolean, lowers: boolean, change: Partial<TokenBounds>]>([
  ['nothing', false, false, {}],
  ['more quota', true, false, { remain_quota: 101 }],
  ['as much as its owner has', true, false, { unlimited_quota: true, remain_quota: 0 }],
  ['a later end', true, false, { expired_time: 2_000_000_001 }],
  ['no end', true, false, { expired_time: NEVER }],
  ['one address fewer', false, true, { allow_ips: '10.0.0.2' }],
  ['another address', true, true, { allow_ips: '10.0.0.2\n10.0.0.3' }],
  ['every address', true, false, { allow_ips: '' }],
  ['one model fewer', false, true, { model_limits: 'b' }],
  ['another model', true, true, { model_limits: 'b,c' }],
  ['every model', true, false, { model_limits_enabled: false }],
  ['its owner’s keys at suppliers', true, false, { own_keys: true }],
  ['a pause', false, true, { status: TOKEN_STATUS.disabled }],
])('what bounds a token is lifted, or it has it back, with %s', (_what, lifts, lowers, change) => {
  const changed = { ...bounded, ...change };
  expect([isLifted(bounded, changed), isLifted(changed, bounded)]).toEqual([lifts, lowers]);
});
