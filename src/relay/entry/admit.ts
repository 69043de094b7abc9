/** May this caller make this call? Everything that is decided without asking the database again. */

import { fail } from '../../core/errors.ts';
import { can, USER_STATUS } from '../../core/roles.ts';
import { asIs } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import type { Viewer } from '../../http/context.ts';
import { CHANNEL_STATUS } from '../../modules/channel/facts.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { usableGroups } from '../../modules/group/service.ts';
import { type Caller, consoleCaller, consoleCallerIn } from '../../modules/token/callers.ts';
import { TOKEN_STATUS } from '../../modules/token/facts.ts';
import { isExpired } from '../../modules/token/state.ts';
import type { Bringer } from '../../platform/lookups.ts';
import { inRanges, parseAddress } from '../../platform/networks.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';
import { apartOf } from './apart.ts';
import { readCredentials } from './credentials.ts';
import { inRelaysWords, takeOfTries } from './rate-limit.ts';

interface Arrival {
  headers: Headers;
  ip: string;
  key?: string | null;
  /** Told who calls before anything keeps him out. */
  met?: (caller: Caller) => void;
}

type KeyDeps = Pick<RelayDeps, 'callers' | 'channels' | 'env' | 'limiter' | 'options'>;

/** Who calls; `key` is that of the address, where one may stand there. Throws what is wrong with the key, its token, its user or the address. */
export async function authenticate({ headers, ip, key, met }: Arrival, deps: KeyDeps): Promise<Admitted> {
  const given = readCredentials(headers, key);
  const apart = apartOf(headers, given?.isInAddress === true, deps);
  const caller = given && (await inRelaysWords(deps.callers.find(given.key, { ip, apart })));
  if (!caller) throw await unknownKey({ ip, apart }, deps);
  met?.(caller);
  checkToken(caller);
  checkAddress(caller, ip);
  checkGroup(caller, deps);
  return {
    caller,
    pinned: given.pinnedChannel === null ? null : pinnedChannel(given.pinnedChannel, caller, deps),
  };
}

/** Whose key a call of the console carries, for the few that take one: what the relay lets in, and nothing else. */
export const createRelayKeys = (deps: KeyDeps) => ({
  find: async (headers: Headers, ip: string): Promise<Caller> =>
    (await authenticate({ headers, ip }, deps)).caller,
});

/** A signed-in user who calls from the console, in his own group. */
export async function viewersCaller(
  { id, embed }: Pick<Viewer, 'id' | 'embed'>,
  { db }: Pick<RelayDeps, 'db'>,
): Promise<Caller> {
  const caller = await consoleCaller(db, { userId: id, appId: embed?.appId ?? null });
  if (!caller) throw fail('user_disabled');
  return caller;
}

/** The same in the group that he asks for, where he asks for one. */
export function admitViewer(caller: Caller, group: unknown, deps: Pick<RelayDeps, 'options'>): Admitted {
  if (group !== undefined && group !== null && typeof group !== 'string') {
    throw fail('invalid_request', {
      field: 'group',
      params: { reason: { zh: '分组应为字符串', en: 'a text is expected' } },
    });
  }
  const admitted = group ? consoleCallerIn(caller, group) : caller;
  checkGroup(admitted, deps);
  return { caller: admitted, pinned: null };
}

/** Whatever was refused as a key, looked up or not; nobody with a good one gets here. */
async function unknownKey({ ip, apart }: Bringer, deps: Pick<RelayDeps, 'limiter'>): Promise<Error> {
  await takeOfTries(apart ? `relay:bad-key:${apart}` : 'relay:bad-key', ip, deps);
  return fail('invalid_api_key');
}

function checkToken(caller: Caller): void {
  if (caller.tokenStatus !== TOKEN_STATUS.enabled) throw fail('token_disabled');
  if (isExpired({ expired_time: caller.expiredTime }, nowSec())) throw fail('token_expired');
  if (caller.userStatus !== USER_STATUS.active) throw fail('user_disabled');
}

function checkAddress({ allowIps }: Caller, ip: string): void {
  if (allowIps.length === 0) return;
  const address = parseAddress(ip);
  if (!address || !inRanges(address, allowIps)) throw fail('ip_not_allowed');
}

/** A token keeps its group when its user loses the right to it; here the right is looked at again. */
function checkGroup({ group, userGroup }: Caller, { options }: Pick<RelayDeps, 'options'>): void {
  if (group !== userGroup && !usableGroups(options, userGroup).has(group)) {
    throw fail('group_not_allowed', { params: { group: asIs(group) } });
  }
}

function pinnedChannel(id: number, caller: Caller, { channels }: Pick<RelayDeps, 'channels'>): RoutedChannel {
  if (!can(caller.role, 'canPinChannel')) throw fail('channel_pin_denied');
  const channel = channels.byId(id);
  if (channel?.status !== CHANNEL_STATUS.enabled) throw fail('channel_unavailable');
  return channel;
}
