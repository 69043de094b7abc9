/** Which addresses a channel may have. Names are judged again at each call, by the address they resolve to. */

import pTimeout from 'p-timeout';
import type { Actor } from '../../core/actor.ts';
import { badParam, fail } from '../../core/errors.ts';
import { hasRole } from '../../core/roles.ts';
import { urlOf } from '../../core/url.ts';
import { isRewritten } from '../../core/url-path.ts';
import type { Env } from '../../env.ts';
import { inRanges, isPublicAddress, parseAddress } from '../../platform/networks.ts';
import { isOpenPort, type Outgoing, OutgoingError, portsOf } from '../../platform/outgoing.ts';
import { addressAt, findProvider } from '../../providers/registry.ts';
import type { Deps } from '../deps.ts';

export type AddressDeps = Pick<Deps, 'options' | 'outgoing'> & { env: Pick<Env, 'PRIVATE_EGRESS'> };

const invalid = (zh: string, en: string) => fail('CHANNEL_ADDRESS', { params: { reason: { zh, en } } });

/** Names that mean nothing outside of a house: without a dot, or under an end that is kept for such (RFC 6761, 6762, 8375). */
const isLocalName = (host: string) =>
  !/[.:]/.test(host) || /\.(localhost|local|internal|lan|localdomain|home\.arpa)$/i.test(host);

/** What is known of an address without asking for its name. */
function isPrivateHost(url: URL, { PRIVATE_EGRESS }: AddressDeps['env']): boolean {
  const host = hostOf(url);
  const ip = parseAddress(host);
  return ip ? !isPublicAddress(ip) && !inRanges(ip, PRIVATE_EGRESS) : isLocalName(host);
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Root may point a channel at any address and port; what an admin writes must be public, at a port of the web. */
const mayGoAnywhere = (actor: Actor): boolean => hasRole(actor.role, 'root');

/** Throws CHANNEL_ADDRESS. */
export function checkAddress(address: string, actor: Actor, { env, options }: AddressDeps): void {
  if (address === '') return;
  const plain = address.replaceAll('{model}', 'model');
  const url = urlOf(plain);
  if (!url || !/^https?:\/\//i.test(plain)) {
    throw invalid('必须以 http:// 或 https:// 开头', 'it must begin with http:// or https://');
  }
  if (isRewritten(plain)) {
    throw invalid(
      '路径不能包含 . 或 .. 段，也不能包含空格或反斜杠',
      'its path must not hold the steps . or .., blanks or backslashes',
    );
  }
  if (url.username || url.password || url.hash) {
    throw invalid('不能包含用户名、密码或 #', 'it must not hold a user name, a password or a #');
  }
  if (url.origin !== urlOf(address.replaceAll('{model}', 'other'))?.origin) {
    throw invalid('主机名不能包含 {model}', 'its host must not hold {model}');
  }
  checkReach(url, actor, { env, options });
}

/** Where an address of a channel's, or its proxy, may stand. Throws CHANNEL_ADDRESS. */
export function checkReach(url: URL, actor: Actor, { env, options }: Omit<AddressDeps, 'outgoing'>): void {
  if (mayGoAnywhere(actor)) return;
  if (isPrivateHost(url, env)) {
    throw invalid('内网地址只能由超级管理员设置', 'only root may set a private address');
  }
  if (!isOpenPort(url, portsOf(options.get('EgressPorts')))) {
    const port = url.port || '80';
    throw invalid(
      `端口 ${port} 只能由超级管理员设置，或在系统设置的“对外请求可用的端口”中开放`,
      `only root may set the port ${port}, or the option EgressPorts opens it`,
    );
  }
}

/**
 * The addresses that keys of a type name themselves. They are nobody's but the key's writer's, so that they must be
 * public, at a port of the web, unless they are the channel's own. Throws CHANNEL_ADDRESS.
 */
export function checkNamedInKeys(
  { type, baseUrl, keys }: { type: number; baseUrl: string; keys: readonly string[] },
  { env, options }: AddressDeps,
): void {
  const named = keys.flatMap((key) => findProvider(type)?.keyNames?.(key) ?? []);
  const own = urlOf(baseUrl)?.host;
  for (const address of named) {
    const url = urlOf(address);
    const isGood =
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      !url.username &&
      !url.password &&
      (url.host === own ||
        (!isPrivateHost(url, env) && isOpenPort(url, portsOf(options.get('EgressPorts')))));
    if (!isGood) {
      throw invalid(
        '密钥文件中的地址必须是公网地址，或与渠道地址的主机相同',
        'an address in the key file must be public, or have the host of the channel’s own address',
      );
    }
  }
}

/** Longer than a name takes to be found; a save waits for it. */
const RESOLVE_MS = 2_000;

/**
 * Whether the address leads into a private network, where only a channel of root's may go; null when its name cannot be
 * found now.
 */
export async function leadsInside(
  address: string,
  { env, outgoing }: Pick<AddressDeps, 'env' | 'outgoing'>,
): Promise<boolean | null> {
  const url = urlOf(address);
  if (!url) return false;
  if (isPrivateHost(url, env)) return true;
  if (parseAddress(hostOf(url))) return false;
  return pTimeout(isNameInside(url.origin, outgoing), { milliseconds: RESOLVE_MS, fallback: () => null });
}

/**
 * Judges several addresses: one that leads inside is enough. Each host is looked up once, so that what was judged before
 * a lock is known under it at once.
 */
export function insideJudge(
  deps: Pick<AddressDeps, 'env' | 'outgoing'>,
): (addresses: readonly unknown[]) => Promise<boolean | null> {
  const known = new Map<string, Promise<boolean | null>>();
  const judge = (address: string): Promise<boolean | null> => {
    const host = urlOf(address)?.origin ?? address;
    const found = known.get(host) ?? leadsInside(host, deps);
    known.set(host, found);
    return found;
  };
  return async (addresses) => {
    const found = await Promise.all(addresses.filter((each) => typeof each === 'string').map(judge));
    return found.includes(true) || (found.includes(null) ? null : false);
  };
}

/** Where calls go: to an address, or the type's own, and to a proxy first. */
interface Place {
  type: number;
  base_url: string;
  setting?: { proxy?: unknown } | undefined;
}

/** The address that calls are made to. */
export const calledAddress = ({ type, base_url }: Omit<Place, 'setting'>): string =>
  addressAt(findProvider(type) ?? { baseUrl: null }, base_url);

const addressesOf = (place: Place): unknown[] => [calledAddress(place), place.setting?.proxy];

interface PlaceSave {
  /** Null for a new one. */
  before: (Place & { private_allowed: boolean }) | null;
  after: Place;
  /** Whether calls go elsewhere than they did. */
  isLed: boolean;
  /** What the save says in so many words: whether calls may go inside, and the address that it says so of. */
  said?: { private_allowed?: boolean | null | undefined; base_url?: string | null | undefined };
}

/**
 * Whether calls of a channel or a supplier may go into the private network once it is saved so. Root alone lets them: by an
 * address or a proxy that he writes, or by saying so of the address that stands there. What merely comes back with a form
 * is no wish of his, for an admin may have written it; and what an admin leads elsewhere is root's no more. Throws
 * CHANNEL_ADDRESS where what root lets in leads nowhere inside, BAD_PARAM where he does not name it.
 */
export async function allowedInside(
  actor: Actor,
  { before, after, isLed, said = {} }: PlaceSave,
  leadsInside: ReturnType<typeof insideJudge>,
): Promise<boolean> {
  const held = before?.private_allowed ?? false;
  if (!mayGoAnywhere(actor)) return held && !isLed;
  const [from, to] = [before ? addressesOf(before) : [], addressesOf(after)];
  const wish = said.private_allowed ?? held;
  if (wish !== held) {
    // An admin may have written another one since root looked.
    if (wish && typeof said.base_url !== 'string') throw badParam('base_url');
    if (wish && !(await leadsInside(to))) {
      throw invalid('没有发现它指向内网', 'it is not found to lead into a private network');
    }
    return wish;
  }
  const written = to.filter((address, at) => address !== from[at]);
  if (written.length === 0) return held;
  // What cannot be found out now stays as it was.
  return (await leadsInside(held ? to : written)) ?? (held && to[0] === from[0]);
}

const isNameInside = (origin: string, outgoing: Outgoing): Promise<boolean | null> =>
  outgoing.target(origin, { anyPort: true }).then(
    () => false,
    (error: unknown) => (error instanceof OutgoingError && error.fault === 'private-address' ? true : null),
  );
