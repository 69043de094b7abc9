/**
 * The one guarded dialer for every address that a user or an admin can influence. The name is resolved once, every
 * address it has is checked, and the connection goes to the address that was checked, with the name kept for TLS and
 * Host: a name that changes its mind between check and use (rebinding) gains nothing. Redirects are followed by hand,
 * each hop checked anew.
 */
import pTimeout from 'p-timeout';
import { AppError } from '../core/errors.ts';
import { urlOf } from '../core/url.ts';
import type { Cidr } from '../env.ts';
import { type Asker, createNames, type Resolve } from './names.ts';
import { inRanges, isPublicAddress, parseAddress } from './networks.ts';
import { AS_IT_COMES, BadPacking, NOT_PACKED, unpacked } from './unpack.ts';

export type OutgoingFault =
  | 'bad-address'
  | 'private-address'
  | 'closed-port'
  | 'unresolvable'
  | 'busy'
  | 'too-many-redirects'
  | 'too-large'
  | 'encoding'
  | 'timeout'
  | 'unreachable';

/** A call that was not made, or not finished, and why. The message names no address beyond what the caller gave. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  constructor(
    readonly fault: OutgoingFault,
    options?: ErrorOptions,
  ) {
    super(fault, options);
  }
}

/** Where to connect for a URL: its checked address, and what to tell the server it is. */
export interface Target {
  url: string;
  headers: { host: string };
  tls?: { serverName: string };
}

type TargetRules = Pick<
  OutgoingCall,
  'allowPrivate' | 'anyPort' | 'httpsOnly' | 'httpsOutside' | 'asker' | 'signal'
>;

/** From and to, both included. */
export type PortRange = readonly [number, number];

/** A port, or a range like `8000-8100`; null when it is neither. */
export function parsePorts(text: string): PortRange | null {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const range = [Number(from), Number(to)] as const;
  return from && range[0] >= 1 && range[0] <= range[1] && range[1] <= 65_535 ? range : null;
}

export const portsOf = (lines: readonly string[]): PortRange[] =>
  lines.map(parsePorts).filter((range) => range !== null);

/** Where the web is served. Anything else behind an address that somebody gives is a service that was not meant. */
const WEB_PORTS: readonly number[] = [443, 8443];

/** Whether an address that somebody gave may be called at its port: those of the web, and those the operator `opened`. */
export function isOpenPort({ protocol, port }: URL, opened: readonly PortRange[]): boolean {
  const isPlain = protocol === 'http:';
  const number = Number(port) || (isPlain ? 80 : 443);
  return (
    WEB_PORTS.includes(number) ||
    (isPlain && number === 80) ||
    opened.some(([from, to]) => from <= number && number <= to)
  );
}

export interface OutgoingCall {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Loopback and private ranges may be called too: for what root typed. */
  allowPrivate?: boolean;
  /** Any port may be called, which follows from `allowPrivate`: the address is the operator's own. */
  anyPort?: boolean;
  httpsOnly?: boolean;
  /** Plain http to networks of PRIVATE_EGRESS only: for secrets on their way to a server of the operator's own. */
  httpsOutside?: boolean;
  /** Which user gave the address, where one did: names of users are looked up in fair turns. */
  asker?: Asker;
  /** Ends the call early, as unreachable. */
  signal?: AbortSignal;
  /** Default 10 s for the whole call. */
  timeoutMs?: number;
  /** Default 2 MiB. */
  maxBytes?: number;
  /** Told of each piece of the answer before it is kept; an AppError that it throws ends the call. */
  onBytes?(bytes: number): void;
  /** Default 3; 0 answers a redirect as it is. */
  redirectsMax?: number;
}

export interface OutgoingReply {
  status: number;
  headers: Headers;
  body: Uint8Array;
  text(): string;
}

export interface Outgoing {
  /** Whether the URL may be called, as far as that is known without its name's addresses; throws OutgoingError. */
  check(url: string, options?: TargetRules): void;
  /** Checks the URL's name and says where to connect; throws OutgoingError. */
  target(url: string, options?: TargetRules): Promise<Target>;
  /** One bounded call. Throws OutgoingError; an answer of any status is an answer. */
  call(url: string, call?: OutgoingCall): Promise<OutgoingReply>;
}

const MIB = 1024 * 1024;

/**
 * `ca` are certificate authorities (PEM) that are trusted instead of the usual ones; `ports` those that the operator has
 * opened beside the web's.
 */
export function createOutgoing(
  privateEgress: readonly Cidr[],
  resolve: Resolve = createNames(),
  ca?: string,
  ports: () => readonly PortRange[] = () => [],
): Outgoing {
  const mayCall = (text: string, allowPrivate: boolean): boolean => {
    const address = parseAddress(text);
    return address !== null && (allowPrivate || isPublicAddress(address) || inRanges(address, privateEgress));
  };

  const isOpened = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== null && inRanges(address, privateEgress);
  };

  /** The URL and its name, where nothing but the name's addresses may yet speak against it. */
  const read = (given: string, rules: TargetRules): { url: URL; name: string } => {
    const { allowPrivate = false, anyPort = allowPrivate, httpsOnly = false } = rules;
    const url = urlOf(given);
    const schemes = httpsOnly ? ['https:'] : ['https:', 'http:'];
    if (!url || !schemes.includes(url.protocol) || url.username || url.password)
      throw new OutgoingError('bad-address');
    if (!anyPort && !isOpenPort(url, ports())) throw new OutgoingError('closed-port');
    const name = url.hostname.replace(/^\[|\]$/g, '');
    if (parseAddress(name) && !mayCall(name, allowPrivate)) throw new OutgoingError('private-address');
    return { url, name };
  };

  const addressesOf = async (name: string, { asker, signal }: TargetRules): Promise<string[]> => {
    if (parseAddress(name)) return [name];
    const found = pTimeout(resolve(name, asker), { milliseconds: Number.POSITIVE_INFINITY, signal });
    return found.catch((cause: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw new OutgoingError(cause instanceof AppError ? 'busy' : 'unresolvable', { cause });
    });
  };

  const target: Outgoing['target'] = async (given, rules = {}) => {
    const { allowPrivate = false, httpsOutside = false } = rules;
    const { url, name } = read(given, rules);
    const addresses = await addressesOf(name, rules);
    const [address] = addresses;
    if (!address) throw new OutgoingError('unresolvable');
    // One forbidden address among several is enough to refuse: the next connection might pick that one.
    if (!addresses.every((each) => mayCall(each, allowPrivate))) throw new OutgoingError('private-address');
    if (httpsOutside && url.protocol === 'http:' && !addresses.every(isOpened)) {
      throw new OutgoingError('bad-address');
    }
    const host = url.host;
    url.hostname = address.includes(':') ? `[${address}]` : address;
    return {
      url: url.href,
      headers: { host },
      ...(url.protocol === 'https:' ? { tls: { serverName: name } } : {}),
    };
  };

  const call: Outgoing['call'] = async (given, options = {}) => {
    const { signal, timeoutMs = 10_000, maxBytes = 2 * MIB, redirectsMax = 3 } = options;
    const abort = new AbortController();
    const end = () => abort.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    try {
      let url = given;
      let { method = 'GET', body } = options;
      for (let hop = 0; ; hop++) {
        const to = await target(url, { ...options, signal: abort.signal });
        const response = await fetch(to.url, {
          method,
          headers: { ...options.headers, ...NOT_PACKED, ...to.headers },
          body,
          redirect: 'manual',
          ...AS_IT_COMES,
          signal: abort.signal,
          ...(to.tls ? { tls: { ...to.tls, ...(ca === undefined ? {} : { ca }) } } : {}),
        });
        const location = response.headers.get('location');
        if (response.status < 300 || response.status > 399 || !location || redirectsMax === 0) {
          return await readReply(unpacked(response), maxBytes, options.onBytes);
        }
        await response.body?.cancel();
        if (hop >= redirectsMax) throw new OutgoingError('too-many-redirects');
        // A redirect leaves the origin behind, and with it whatever was meant for it alone.
        const next = urlOf(location, url);
        if (!next) throw new OutgoingError('bad-address');
        if (next.origin !== urlOf(url)?.origin) options = { ...options, headers: {} };
        if (response.status !== 307 && response.status !== 308) {
          method = 'GET';
          body = undefined;
        }
        url = next.href;
      }
    } catch (error) {
      if (error instanceof OutgoingError || error instanceof AppError) throw error;
      if (error instanceof BadPacking) throw new OutgoingError('encoding', { cause: error });
      throw new OutgoingError(isLate ? 'timeout' : 'unreachable', { cause: error });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  };

  return { check: (url, rules = {}) => void read(url, rules), target, call };
}

async function readReply(
  response: Response,
  maxBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<OutgoingReply> {
  const told = Number(response.headers.get('content-length')) || 0;
  if (told > maxBytes) {
    // What nobody reads would come all the same.
    void response.body?.cancel().catch(() => undefined);
    throw new OutgoingError('too-large');
  }
  // Pieces that wait to be put together would be there twice.
  let room = Buffer.allocUnsafe(told);
  let size = 0;
  for await (const part of response.body ?? []) {
    const end = size + part.byteLength;
    if (end > maxBytes) throw new OutgoingError('too-large');
    onBytes?.(part.byteLength);
    if (end > room.length) room = Buffer.concat([room.subarray(0, size)], Math.min(2 * end, maxBytes));
    room.set(part, size);
    size = end;
  }
  const body = room.subarray(0, size);
  return { status: response.status, headers: response.headers, body, text: () => body.toString('utf8') };
}
