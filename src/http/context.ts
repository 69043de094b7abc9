/**
 * What is known of a request before any handler runs: its id, the caller's address, language and, once a guard asked,
 * who calls. Kept beside the request, never in a header, so that nobody outside can claim it.
 */
import type { Actor, Owner, WayIn } from '../core/actor.ts';
import type { AppError, ErrorCode, Locale } from '../core/errors.ts';
import { requestId } from '../core/ids.ts';
import { shareOfApp, shareOfKeys, shareOfUser } from '../core/share.ts';
import type { Cidr, Env } from '../env.ts';
import type { Turn } from '../platform/fair-gate.ts';
import { turnSubject } from '../platform/limiter.ts';
import { inRanges, parseAddress, parseEndpoint } from '../platform/networks.ts';
import { isHost } from './host.ts';
import { askedLanguage } from './language.ts';

export interface Viewer {
  id: number;
  username: string;
  displayName: string;
  role: number;
  group: string;
  /** Hash of the session's id; null for callers with a token or a relay key. */
  sessionId: string | null;
  /** Hash of that token, where he calls himself. */
  accessToken?: string;
  /** Set where a companion client of his calls: the token of its relay key, whose group stands above. */
  relayToken?: number;
  /** Set where an application calls for him: what he let it do. */
  grant?: Grant;
  /** Set where he sees the console inside an application: the page around it. */
  embed?: Embed;
}

/** The console in a frame of an application. */
export interface Embed {
  appId: number;
  origin: string;
  /** What he let the application do besides. */
  scopes: readonly string[];
}

/** What a user has let an application do. */
export interface Grant {
  /** The sign-in by which he did. */
  grantId: string;
  appId: number;
  scopes: readonly string[];
}

export interface RequestContext {
  requestId: string;
  clientIp: string;
  locale: Locale;
  https: boolean;
  /** Scheme and host that the caller's browser shows. */
  origin: string;
  /** Undefined until a guard or the page handler has asked. */
  viewer?: Viewer | null;
  /** It is counted among the calls of the API. */
  isCounted?: boolean;
  /** Why there is no viewer, when credentials were given. */
  refusal?: ErrorCode;
  /** Who has the relay key that was sent, or why it is refused, once somebody has asked. */
  keyHolder?: Viewer | AppError;
}

const wayInOf = ({ id, sessionId, accessToken }: Viewer): WayIn => ({ id, sessionId, accessToken });

/** Who acts, for the record of what administrators do. */
export const actorOf = (viewer: Viewer, context: RequestContext): Actor => ({
  id: viewer.id,
  role: viewer.role,
  ip: context.clientIp,
  wayIn: wayInOf(viewer),
});

/** Who changes something of his own account, for the question whether it is he. */
export const ownerOf = (viewer: Viewer, context: RequestContext): Owner => ({
  ...wayInOf(viewer),
  ip: context.clientIp,
});

/** Whose share of what all have together a call takes. */
export function shareOf({ id, relayToken, grant, embed }: Viewer): string {
  const appId = (grant ?? embed)?.appId;
  if (appId !== undefined) return shareOfApp(appId, id);
  return relayToken === undefined ? shareOfUser(id) : shareOfKeys(id);
}

/** Whose turn a call takes: who is signed in has his own beside the others behind his network. */
export function turnOf({ viewer, clientIp }: RequestContext): Turn & { network: string } {
  const network = turnSubject(clientIp);
  return { who: viewer ? shareOf(viewer) : network, network };
}

interface Peer {
  address: string;
  port?: number;
}

/** The part of Bun's server that tells the peer's address and ends his connection; absent for calls made in process. */
export interface PeerSource {
  requestIP(request: Request): Peer | null;
  /** His connection ends when so long nothing has passed, up to the next request. */
  timeout?(request: Request, seconds: number): void;
}

const contexts = new WeakMap<Request, RequestContext>();

/** Hands a context over to a request made in process (a page's loader calling the API). */
export const adoptContext = (request: Request, context: RequestContext): void =>
  void contexts.set(request, context);

/**
 * The right-most address that is not one of our proxies: what stands left of it was written by the caller. Where a proxy
 * of ours names none, it is that proxy's own: any text would let a caller be as many as he likes.
 */
function clientAddress(proxy: string, forwardedFor: string, trusted: readonly Cidr[]): string {
  const hops = forwardedFor
    .split(',')
    .map((hop) => hop.trim())
    .filter(Boolean);
  let ip = proxy;
  for (const hop of hops.reverse()) {
    const address = parseEndpoint(hop);
    if (!address) return ip;
    ip = address.toString();
    if (!inRanges(address, trusted)) return ip;
  }
  return ip;
}

/** Peers seen lately and whether they are our proxies: most requests come from few of them. */
const peers = new WeakMap<readonly Cidr[], Map<string, { ip: string; isProxy: boolean }>>();
const PEERS_MAX = 10_000;

function judgePeer(peer: string, trusted: readonly Cidr[]): { ip: string; isProxy: boolean } {
  let known = peers.get(trusted);
  if (!known) {
    known = new Map();
    peers.set(trusted, known);
  }
  let judged = known.get(peer);
  if (!judged) {
    const address = parseAddress(peer);
    judged = { ip: address?.toString() ?? peer, isProxy: address !== null && inRanges(address, trusted) };
    if (known.size >= PEERS_MAX) known.clear();
    known.set(peer, judged);
  }
  return judged;
}

const peersOf = new WeakMap<Request, Peer>();

/** To ask the runtime costs more than to remember. Null once the connection is gone, where nobody has asked before. */
function peerOf(request: Request, server: PeerSource): Peer | null {
  const known = peersOf.get(request);
  if (known) return known;
  const peer = server.requestIP(request);
  if (peer) peersOf.set(request, peer);
  return peer;
}

/** The connection that a request came over, by a name that no other open one has; null where it has none. */
export function connectionOf(request: Request, server?: PeerSource | null): string | null {
  const { address, port } = (server && peerOf(request, server)) ?? {};
  return port === undefined ? null : `${address} ${port}`;
}

/** Calls in process have no peer: they are the machine's own. */
const OWN_PEER = '127.0.0.1';
/** Of a peer whose connection is gone, so that nobody knows it any more: no proxy of ours, whatever it says. */
const UNKNOWN_PEER = '0.0.0.0';

/** The address of who calls: the peer's, or the one that our proxies report. */
export function clientIpOf(
  request: Request,
  { TRUSTED_PROXIES }: Pick<Env, 'TRUSTED_PROXIES'>,
  server?: PeerSource | null,
): { ip: string; fromProxy: boolean } {
  const peer = server ? peerOf(request, server)?.address : OWN_PEER;
  if (peer === undefined) return { ip: UNKNOWN_PEER, fromProxy: false };
  const { ip, isProxy } = judgePeer(peer, TRUSTED_PROXIES);
  const forwardedFor = isProxy ? request.headers.get('x-forwarded-for') : null;
  if (forwardedFor === null) return { ip, fromProxy: isProxy };
  return { ip: clientAddress(ip, forwardedFor, TRUSTED_PROXIES), fromProxy: true };
}

/** Whether the caller's browser shows https: by the configured address, else by the word of our proxy. */
export function isHttps(
  { headers }: Request,
  { SERVER_ADDRESS }: Pick<Env, 'SERVER_ADDRESS'>,
  fromProxy: boolean,
): boolean {
  if (SERVER_ADDRESS) return SERVER_ADDRESS.startsWith('https:');
  return fromProxy && headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
}

/** What the proxy says that it was asked for, where that is a host at all. */
function forwardedHost(headers: Headers): string | null {
  const host = headers.get('x-forwarded-host');
  return host !== null && isHost(host) ? host : null;
}

/** The context of a request, made when first asked for. */
export function contextOf(request: Request, env: Env, server?: PeerSource | null): RequestContext {
  const known = contexts.get(request);
  if (known) return known;
  const { headers } = request;
  const { ip, fromProxy } = clientIpOf(request, env, server);
  const https = isHttps(request, env, fromProxy);
  const host = (fromProxy ? forwardedHost(headers) : null) ?? headers.get('host') ?? 'localhost';
  const context: RequestContext = {
    requestId: requestId(),
    clientIp: ip,
    locale: askedLanguage(request) ?? 'zh',
    https,
    origin: env.SERVER_ADDRESS ? new URL(env.SERVER_ADDRESS).origin : `${https ? 'https' : 'http'}://${host}`,
  };
  contexts.set(request, context);
  return context;
}
