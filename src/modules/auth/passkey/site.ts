/** For which host passkeys are made: that of the public address. Browsers hold them for hosts with a name, in safe contexts. */
import type { RequestContext } from '../../../http/context.ts';
import { publicAddress } from '../../../options/public-address.ts';
import { parseAddress } from '../../../platform/networks.ts';
import type { Deps } from '../../deps.ts';
import type { PasskeyObstacle } from '../facts.ts';

export interface PasskeySite {
  /** The relying party's id. */
  rpId: string;
  /** Of the pages that may ask for one. */
  origin: string;
  /** Why none can be used here, or null. */
  obstacle: PasskeyObstacle | null;
}

/** The host as it stands in addresses; an IPv6 address without its brackets. */
export const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, '');

/** Browsers trust a connection to their own machine. */
const isOwnMachine = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

export function passkeySite(
  deps: Pick<Deps, 'env' | 'options'>,
  { origin: asked }: Pick<RequestContext, 'origin'>,
): PasskeySite {
  const { origin, protocol, host } = new URL(publicAddress(deps) || asked);
  const rpId = hostOf(origin);
  const obstacle = (): PasskeyObstacle | null => {
    if (parseAddress(rpId)) return 'ip';
    if (protocol !== 'https:' && !isOwnMachine(rpId)) return 'insecure';
    // A proxy that we do not trust may hide the scheme, never the host.
    return new URL(asked).host === host ? null : 'elsewhere';
  };
  return { rpId, origin, obstacle: obstacle() };
}
