/**
 * Calls upstreams. Addresses that an admin wrote go through the guarded dialer; those of root and of the vendors
 * themselves go straight, because they may be private and their names need no judging. Whether a host answers at all is
 * found out by a bare connection when it has not been heard of lately: `fetch` cannot tell connecting from waiting.
 */
import { LRUCache } from 'lru-cache';
import pTimeout from 'p-timeout';
import { limits } from '../../core/limits.ts';
import { isRewritten, isSameHost } from '../../core/url-path.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { failpointSoon } from '../../platform/failpoint.ts';
import { type Outgoing, OutgoingError, type Target } from '../../platform/outgoing.ts';
import type { UpstreamRequest } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import { openSocket, type SocketTarget, type UpstreamSocket } from './socket.ts';
import { socketAnswer } from './socket-answer.ts';

/** A host that did not take a connection in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

/** A key or header that no request can carry, such as one with a line end or a Chinese character in it. */
export class UnsendableHeaders extends Error {
  override readonly name = 'UnsendableHeaders';
}

export interface Route {
  channel: Pick<RoutedChannel, 'type' | 'baseUrl' | 'privateAllowed' | 'ownKey'> & {
    setting: { proxy: string | null };
  };
  connectMs: number;
  signal: AbortSignal;
  /** The address is none of the channel's own: an answer named it, or a key. Only the open ports may be called. */
  isGiven?: boolean;
  /** Makes what goes up instead of the request's own body. */
  body?(): ReadableStream<Uint8Array>;
  /**
   * Whether a call may be made once more that a connection of earlier calls lost: its host may have closed it before
   * the call came. Where it is absent, none is: the host may have done the work.
   */
  mayAskAgain?(): boolean;
}

export interface Dialer {
  /** The answer of any status. Rejects for everything that is none: OutgoingError, ConnectTimeout, UnsendableHeaders, errors of the network. */
  open(request: UpstreamRequest, route: Route): Promise<Response>;
  /** An answer has been read to its end: its connection may serve the next call. */
  wasRead(answer: Response): void;
  /** A websocket, or the status by which it was refused. Rejects like `open`. */
  socket(request: UpstreamRequest, route: Route): Promise<UpstreamSocket | number>;
}

type ProxyTarget = { proxy?: string };

/** Where a call goes. */
interface Aim {
  target: Partial<Target> & { url: string };
  via: ProxyTarget;
  /** Of who is connected to. */
  origin: string;
}

/** Opens a connection and closes it again; never rejects. */
type Connect = (origin: string) => Promise<void>;

export function createDialer(
  outgoing: Outgoing,
  connect: Connect = connectOnce,
  remembered: number = limits.resolvedOrigins,
): Dialer {
  const targets = new LRUCache<string, { target: Target; until: number }>({ max: remembered });
  const heardOf = new LRUCache<string, number>({ max: remembered });
  const read = new LRUCache<string, boolean>({ max: remembered });
  const probing = new Map<string, Promise<void>>();
  const kept = new KeptConnections();

  /** The checked address of an origin that an admin wrote, kept for a moment so that a busy channel is not resolved for each call. */
  const checkedTarget = async (url: string, isGiven = false): Promise<Target> => {
    const { origin, pathname, search } = new URL(url);
    const name = isGiven ? `given ${origin}` : origin;
    let held = targets.peek(name);
    if (!held || held.until < Date.now()) {
      // Of the channel's own address the port was judged when it was written.
      const target = await outgoing.target(origin, { anyPort: !isGiven });
      held = { target, until: Date.now() + limits.resolvedMs };
      targets.set(name, held);
    }
    return { ...held.target, url: new URL(held.target.url).origin + pathname + search };
  };

  const targetOf = async (
    url: string,
    { channel, isGiven }: Route,
  ): Promise<Partial<Target> & { url: string }> =>
    (channel.privateAllowed && !isGiven) || isVendors(url, channel)
      ? { url }
      : checkedTarget(url, isGiven).catch((error: unknown) => {
          // Behind a proxy names may be found by the proxy alone.
          const isProxys = error instanceof OutgoingError && error.fault === 'unresolvable';
          if (isProxys && channel.setting.proxy && (!isGiven || channel.privateAllowed)) return { url };
          throw error;
        });

  const proxyOf = async ({ channel }: Route): Promise<ProxyTarget> => {
    const { proxy } = channel.setting;
    if (!proxy) return {};
    const url = new URL(proxy);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new OutgoingError('bad-address');
    if (channel.privateAllowed) return { proxy };
    // As of the channel's own address, the port was judged when it was written.
    const checked = await checkedTarget(url.origin);
    // By name an https proxy proves that it is the one that was meant; an http one is gone to by the address that was
    // checked, because its name may lead elsewhere by now.
    if (url.protocol === 'http:') url.hostname = new URL(checked.url).hostname;
    return { proxy: url.href };
  };

  /** Connects once to an origin that has not been heard of lately, and throws when that takes this caller too long. */
  const reach = async (origin: string, { connectMs, signal }: Route): Promise<void> => {
    if (heardLately(origin)) return;
    const probe = probing.get(origin) ?? connect(origin);
    probing.set(origin, probe);
    const forget = () => {
      if (probing.get(origin) === probe) probing.delete(origin);
    };
    // After a silence the next one knocks anew.
    await pTimeout(probe, { milliseconds: Math.max(connectMs, 1), signal, fallback: noConnection }).finally(
      forget,
    );
  };

  const hear = (origin: string) => {
    heardOf.set(origin, performance.now());
  };

  /** Calls of a channel go to few addresses, and to read one takes longer than all else that is done to find the way. */
  const stepsBack = (url: string): boolean => {
    let is = read.get(url);
    if (is === undefined) {
      is = isRewritten(url);
      if (url.length <= limits.readAddressChars) read.set(url, is);
    }
    return is;
  };

  const heardLately = (origin: string): boolean => {
    const heard = heardOf.peek(origin);
    return heard !== undefined && performance.now() - heard < limits.reachableMs;
  };

  /** Most calls go straight to a host that was heard a moment ago: there is nothing to wait for. */
  const straight = (url: string, { channel, isGiven }: Route): Aim | null => {
    if (isGiven || !channel.privateAllowed || channel.setting.proxy) return null;
    const origin = originOf(url);
    return heardLately(origin) ? { target: { url }, via: {}, origin } : null;
  };

  /** Where to connect, once it has been found out that somebody is there. */
  const aim = async (url: string, route: Route): Promise<Aim> => {
    // A name in it that steps back would lead the key out of the folder that the channel's address begins with.
    if (!route.isGiven && stepsBack(url)) throw new OutgoingError('bad-address');
    const { channel, isGiven } = route;
    // A caller's own key was given for one host.
    if (channel.ownKey && !isGiven && !isSameHost(url, channel.baseUrl))
      throw new OutgoingError('bad-address');
    const found = straight(url, route);
    if (found) return found;
    const target = await targetOf(url, route);
    const via = await proxyOf(route);
    const origin = originOf(via.proxy ?? target.url);
    await reach(origin, route);
    return { target, via, origin };
  };

  return {
    async socket(request, route) {
      const { target, via, origin } = await aim(request.url, route);
      const to = { ...socketTarget(request, target), ...via };
      const answer = await sending(request.headers, () => openSocket(to, route.signal));
      hear(origin);
      return answer;
    },
    async open(request, route) {
      const { target, via, origin } = await aim(request.url, route);
      if (request.socket) {
        const call = { ...socketCall(request, target, route), ...via };
        const opened = await sending(request.headers, () => socketAnswer(call));
        hear(origin);
        return opened;
      }
      const ask = (keepalive: boolean) => {
        const answer = sending(request.headers, () =>
          fetch(target.url, {
            method: request.method,
            headers: target.headers ? { ...request.headers, ...target.headers } : request.headers,
            body: route.body?.() ?? request.body,
            redirect: 'manual',
            signal: route.signal,
            keepalive,
            ...via,
            ...(target.tls ? { tls: target.tls } : {}),
          }),
        );
        failpointSoon('request_written');
        return answer;
      };
      const startedAt = performance.now();
      // Of tunnels through a proxy it is not known which are kept.
      const name = via.proxy ? null : `${origin} ${target.tls?.serverName ?? ''}`;
      const isOfEarlierCalls = name !== null && kept.take(name);
      const response = await ask(true).catch((error: unknown) => {
        if (name === null || !isReset(error)) throw error;
        kept.forget(name);
        const isStale = isOfEarlierCalls && performance.now() - startedAt < limits.staleConnectionMs;
        if (!isStale || route.signal.aborted || !route.mayAskAgain?.()) throw error;
        // By a connection of its own: the next one that was kept may be as old.
        return ask(false);
      });
      hear(origin);
      if (name !== null) kept.carries(response, name);
      return response;
    },
    wasRead: (answer) => kept.free(answer),
  };
}

/** A connection that was kept open may have been closed at the other end meanwhile; that says nothing about the upstream. */
const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

/** A connection that waits for the next call, until its host closes it without a word. */
interface Idle {
  name: string;
  /** performance.now() */
  until: number;
}

/**
 * Which connections wait for the next call. `fetch` does not tell whether it takes one of them or makes a new one; it
 * takes one whenever there is one, so that it is known as long as every end is: of an answer, of a connection that was
 * idle for too long, of one that had to make room. What is not told is counted as one too few, which errs on the safe
 * side: a call that is taken for a new connection's is not made again.
 */
class KeptConnections {
  /** Those of each scheme together, as Bun keeps them; the longest idle first. */
  readonly #pools = new Map<string, Idle[]>();
  readonly #busy = new WeakMap<Response, string>();

  /** True when the next call takes a connection of earlier ones. */
  take(name: string): boolean {
    const pool = this.#poolOf(name);
    const now = performance.now();
    // Whichever is taken, those that remain may be the older ones.
    const at = pool.findLastIndex((idle) => idle.name === name && idle.until > now);
    if (at >= 0) pool.splice(at, 1);
    return at >= 0;
  }

  /** The connection of this answer can be kept, unless the upstream says otherwise. */
  carries(answer: Response, name: string): void {
    if (!/close/i.test(answer.headers.get('connection') ?? '')) this.#busy.set(answer, name);
  }

  free(answer: Response): void {
    const name = this.#busy.get(answer);
    if (name === undefined) return;
    this.#busy.delete(answer);
    // `Keep-Alive: timeout=5` says when the upstream itself closes it (RFC 2068, 19.7.1).
    const [, seconds] = /timeout=(\d+)/i.exec(answer.headers.get('keep-alive') ?? '') ?? [];
    const keptMs = Math.min(seconds ? Number(seconds) * 1_000 : Infinity, limits.keptConnectionMs);
    const pool = this.#poolOf(name);
    pool.push({ name, until: performance.now() + keptMs });
    if (pool.length > limits.keptConnections) pool.shift();
  }

  /** One was found closed, and the others are as old. */
  forget(name: string): void {
    const others = this.#poolOf(name).filter((idle) => idle.name !== name);
    this.#pools.set(schemeOf(name), others);
  }

  #poolOf(name: string): Idle[] {
    const scheme = schemeOf(name);
    const pool = this.#pools.get(scheme) ?? [];
    this.#pools.set(scheme, pool);
    return pool;
  }
}

const schemeOf = (name: string): string => name.slice(0, name.indexOf(':'));

/** Makes a call, and tells headers that cannot be sent, of which the runtime says no more than `TypeError`, from mistakes of ours. */
async function sending<T>(headers: Record<string, string>, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TypeError && !('code' in error) && !areSendable(headers)) {
      throw new UnsendableHeaders('a header has an invalid value', { cause: error });
    }
    throw error;
  }
}

function areSendable(headers: Record<string, string>): boolean {
  try {
    return new Headers(headers) !== null;
  } catch {
    return false;
  }
}

/** Whether a call goes to the vendor's own address, and not where somebody wrote, be it in a key. */
function isVendors(url: string, { type, baseUrl }: Route['channel']): boolean {
  if (baseUrl !== '') return false;
  const { baseUrl: own, domains = [] } = findProvider(type) ?? {};
  const { origin, protocol, port, hostname } = new URL(url);
  if (own && origin === new URL(own).origin) return true;
  const isPlain = (protocol === 'https:' || protocol === 'wss:') && port === '';
  return isPlain && domains.some((domain) => hostname.endsWith(`.${domain}`));
}

const socketTarget = (request: UpstreamRequest, target: Partial<Target> & { url: string }): SocketTarget => ({
  url: target.url.replace(/^http/, 'ws'),
  headers: { ...request.headers, ...target.headers },
  tls: target.tls,
});

const socketCall = (request: UpstreamRequest, target: Partial<Target> & { url: string }, route: Route) => ({
  ...socketTarget(request, target),
  message: String(request.body ?? ''),
  isLast: request.socket?.isLast ?? (() => false),
  signal: route.signal,
});

/** Scheme, host and port, without the cost of parsing the whole. */
function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2);
  return slash < 0 ? url : url.slice(0, slash);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
};

/** A refusal is left to the call itself, which tells it better; only silence is an error. */
async function connectOnce(origin: string): Promise<void> {
  const { protocol, hostname, port } = new URL(origin);
  try {
    const socket = await Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (DEFAULT_PORTS[protocol] ?? 443),
      socket: { data() {}, error() {} },
    });
    socket.end();
  } catch {
    // Refused or unresolvable.
  }
}

const noConnection = (): never => {
  throw new ConnectTimeout('no connection in time');
};
