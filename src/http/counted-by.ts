/**
 * By whom something is counted: limits on strangers by network are made here, but for those that
 * `tests/attacks/limits-by-network.test.ts` names with their reason, so that none can forget who is known. A neighbour
 * refuses nobody: who is signed in is counted for himself, a browser that was signed in before for itself, and strangers by
 * their network after them. Being known never takes anything away: what others may fill, such as the count of all who are
 * known behind an address, or that of an account whose marks somebody kept, is no reason to refuse whom a stranger's count
 * would let in.
 *
 * What a stranger begins has no count of its own below the calls that his address may make, because a smaller one would
 * shut what everybody behind it begins with a part of them. Where it would only fill the memory, what his network began
 * first gives way. What is found by a secret that nobody guesses, such as a request that an application polls for, is
 * counted by what was found, and by the network where nothing was.
 */
import { AppError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { shareOfUser } from '../core/share.ts';
import { ownMark } from '../platform/browser-marks.ts';
import { type Known, type LimitRule, networkRules, type Ways } from '../platform/limiter.ts';
import type { Shelf } from '../platform/one-time.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type RequestContext, shareOf, type Viewer } from './context.ts';
import { type GuardDeps, resolveCaller, resolveKeyHolder, wayOf } from './guard.ts';
import { readKnown } from './known-cookie.ts';

/** What says whose mark a browser brings. */
export interface CountingDeps {
  secrets: Pick<Secrets, 'lookup'>;
}

/** A request, and what is known of it. */
export interface Coming {
  request: Request;
  context: RequestContext;
}

/** By what one calls who is let in. */
const wayIn = (viewer: Viewer): string =>
  viewer.relayToken === undefined ? (viewer.sessionId ?? shareOf(viewer)) : `key:${viewer.relayToken}`;

const knownViewer = (viewer: Viewer): Known => ({ own: wayIn(viewer), all: `all-of:${shareOf(viewer)}` });

/** Who comes, where he is known; null for a stranger. */
export function knownAs({ secrets }: CountingDeps, coming: Coming): Known | null {
  const { viewer } = coming.context;
  return viewer ? knownViewer(viewer) : knownBrowser(secrets, coming);
}

/**
 * The name of the share that somebody has for himself beside his network's, whatever he is known by; null for a stranger. It
 * is one for all of his ways in. Throws what finding out who calls throws.
 */
export async function ownShareOf(deps: CountingDeps & GuardDeps, coming: Coming): Promise<string | null> {
  const { request, context } = coming;
  const marked = knownAs(deps, coming);
  if (marked) return marked.all;
  const holder = await resolveKeyHolder(request, context, deps);
  if (holder !== null && !(holder instanceof AppError)) return knownViewer(holder).all;
  await resolveCaller(request, context, deps);
  return knownAs(deps, coming)?.all ?? null;
}

function knownBrowser(secrets: CountingDeps['secrets'], { request, context }: Coming): Known | null {
  const mark = ownMark(secrets, readKnown(request, context));
  return mark && { own: `browser:${mark.browser}`, all: `browsers-of:${mark.account}` };
}

/** So many in so many seconds. */
interface Bound {
  limit: number;
  windowSec: number;
}

/** Of who is known: of one way in, and a few times as many of all of his together. */
const rulesOfKnown = (name: string, { own, all }: Known, { limit, windowSec }: Bound): LimitRule[] => [
  { key: `${name}:${own}`, limit, windowSec },
  { key: `${name}:${all}`, limit: limit * limits.sessionsBusyAtOnce, windowSec },
];

/**
 * What pages of other sites have a visitor's browser load is counted apart, and so are the links that lead him here, so
 * that they use up nothing of what he and all behind his address ask for here themselves. A browser says truly what had
 * it ask; a program of one's own may say anything, and has three times as much.
 */
function apart(rules: LimitRule[], { request, context }: Coming): LimitRule[] {
  const way = wayOf(request, context);
  return way === null ? rules : rules.map((rule) => ({ ...rule, key: `${rule.key}:${way}` }));
}

/** Accounts are made at will, too: all who call from one network count together, so many times as much as one. */
const rulesOfAll = (name: string, { limit, windowSec }: Bound, ip: string): LimitRule[] =>
  networkRules(name, limit * limits.busyOfNetwork, windowSec, ip);

/** A token, a key and the bearer of a frame have no other way: without them there is nothing that they could ask for. */
const hasOtherWay = ({ sessionId, embed }: Viewer): boolean => sessionId !== null && embed === undefined;

/** What neighbours fill as well, which so counts for those alone who have another way. */
const rulesOfSignedIn = (name: string, viewer: Viewer, bound: Bound, ip: string): LimitRule[] =>
  hasOtherWay(viewer) ? rulesOfAll(`${name}:signed-in`, bound, ip) : [];

/** The rules for calls of who is signed in. */
export const rulesOfViewer = (name: string, viewer: Viewer, bound: Bound, ip: string): LimitRule[] => [
  ...rulesOfKnown(name, knownViewer(viewer), bound),
  ...rulesOfSignedIn(name, viewer, bound, ip),
];

/** The same for what costs so much that all of his ways in have one count. */
export const rulesOfUser = (name: string, viewer: Viewer, bound: Bound, ip: string): LimitRule[] => [
  { key: `${name}:${shareOf(viewer)}`, ...bound },
  ...rulesOfSignedIn(name, viewer, bound, ip),
];

/**
 * The ways in which calls of a guest count: those of a browser that was signed in before as of who is, and where there is
 * no room for them like a stranger's.
 */
export function waysOfGuest({ secrets }: CountingDeps, name: string, bound: Bound, coming: Coming): Ways {
  const { clientIp } = coming.context;
  const browser = knownBrowser(secrets, coming);
  const stranger = apart(networkRules(name, bound.limit, bound.windowSec, clientIp), coming);
  if (!browser) return [stranger];
  const known = [...rulesOfKnown(name, browser, bound), ...rulesOfAll(`${name}:known`, bound, clientIp)];
  return [apart(known, coming), stranger];
}

/** The ways in which calls of who is signed in count: by these rules, and where there is no room for them like a guest's. */
export const waysOfViewer = (viewer: Viewer, rules: readonly LimitRule[], guest: Ways): Ways =>
  hasOtherWay(viewer) ? [rules, ...guest] : [rules];

/** The shelves for what anybody begins that is kept in memory until he ends it: nobody is refused, and the oldest gives way. */
export function shelvesOfBegun(deps: CountingDeps, name: string, coming: Coming): Shelf[] {
  const isKnown = knownAs(deps, coming) !== null;
  const rules = rulesOfBegun(
    deps,
    name,
    { limit: limits.begunOfOne, ofNetwork: limits.begunOfNetwork, windowSec: limits.signInFlowSec },
    coming,
  );
  return rules.map(({ key, limit }) => ({ key, limit, isKnown }));
}

/**
 * The rules for questions of applications that one is asked. Not by network as well: a session keeps one open question, so
 * a neighbour cannot replace it.
 */
export const rulesOfQuestions = (userId: number): LimitRule[] => [
  {
    key: `oauth-consent:${shareOfUser(userId)}`,
    limit: limits.questionsOfUser,
    windowSec: limits.signInFlowSec,
  },
];

/** The rules for what anybody begins that lies elsewhere: `limit` of one who is known, `ofNetwork` of all strangers behind one. */
export function rulesOfBegun(
  deps: CountingDeps,
  name: string,
  { limit, ofNetwork, windowSec }: Bound & { ofNetwork: number },
  coming: Coming,
): LimitRule[] {
  const known = knownAs(deps, coming);
  const rules = known
    ? rulesOfKnown(name, known, { limit, windowSec })
    : networkRules(name, ofNetwork, windowSec, coming.context.clientIp);
  return apart(rules, coming);
}
