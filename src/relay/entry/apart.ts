/**
 * What is counted apart from all else that comes from its address, so that it uses up nothing of what those behind it ask
 * for themselves: whatever a page of another site has somebody's browser bring, by the way it comes.
 */
import { wayFromElsewhere } from '../../core/elsewhere.ts';
import type { RelayDeps } from '../deps.ts';

type SiteDeps = Pick<RelayDeps, 'env'>;

/** Where a browser does not say itself whose page had it ask, it asked over plain http. */
const originOf = (headers: Headers, { env }: SiteDeps): string =>
  env.SERVER_ADDRESS ? new URL(env.SERVER_ADDRESS).origin : `http://${headers.get('host')}`;

const wayOf = (headers: Headers, deps: SiteDeps) =>
  wayFromElsewhere(headers, originOf(headers, deps), () => false);

/** The counter by this name that what came with these headers is counted by. */
export function counterFor(name: string, headers: Headers, deps: SiteDeps): string {
  const way = wayOf(headers, deps);
  return way === null ? name : `${name}:${way}`;
}

/** By what a key is counted apart; empty where it is not. Any page can put one into an address, and few programs do. */
export const apartOf = (headers: Headers, isInAddress: boolean, deps: SiteDeps): string =>
  [isInAddress ? 'address' : null, wayOf(headers, deps)].filter((part) => part !== null).join(':');
