/** How a supplier is asked: in which vendor's words, and where. */
import type { Provider } from '../../providers/provider.ts';
import { findProvider, providers } from '../../providers/registry.ts';
import { madeAddresses } from '../channel/service.ts';
import type { SupplierType } from './contract.ts';

/** They want an account or a knowledge base beside the key: Cloudflare, AI Proxy. */
const WANT_MORE: ReadonlySet<number> = new Set([39, 21]);
/** Messages, as the client's library `claude` speaks it. */
const CLAUDE = 14;

/**
 * Whether an address and a user's key are all that is needed. A key that is a document, or from which a host follows,
 * would name an address of its user's own, and calls of users go to registered addresses alone.
 */
const takesAnyKey = ({ type, form, keyNames, keyGoesTo, speaks, wire }: Provider): boolean =>
  !WANT_MORE.has(type) &&
  form.baseUrl !== 'hidden' &&
  form.wholeAddress !== true &&
  !keyNames &&
  !keyGoesTo &&
  (wire !== undefined || Object.keys(speaks).some((operation) => operation !== 'task'));

export const supplierTypes = (): SupplierType[] =>
  providers.filter(takesAnyKey).map(({ type, label }) => ({ type, label }));

export const isSupplierType = (type: number): boolean => {
  const provider = findProvider(type);
  return provider !== undefined && takesAnyKey(provider);
};

interface Address {
  type: number;
  sdk: string;
  base_url: string;
}

/** The channel type by which a supplier is asked: what the client's library speaks there, the address speaks. */
export const wireOfSupplier = ({ type, sdk }: Pick<Address, 'type' | 'sdk'>): number =>
  sdk === 'claude' ? CLAUDE : type;

/** The paths that a vendor's calls begin with, such as `/v1/chat/completions`. */
const paths = new Map<number, Promise<readonly string[]>>();

function pathsOf(type: number): Promise<readonly string[]> {
  let known = paths.get(type);
  if (!known) {
    const provider = findProvider(type);
    const made = provider ? madeAddresses(provider, { baseUrl: 'https://host.invalid', other: '' }) : null;
    known = Promise.resolve(made).then((all) =>
      (all ?? []).filter((url) => URL.canParse(url)).map((url) => new URL(url).pathname),
    );
    paths.set(type, known);
  }
  return known;
}

/**
 * The address as channels have it. Libraries want it with the version at its end (`https://host/v1`), which a vendor's
 * own calls begin with once more: what would stand there twice is left out.
 */
export async function callAddress(supplier: Address): Promise<string> {
  const { base_url } = supplier;
  const made = await pathsOf(wireOfSupplier(supplier));
  const { pathname } = new URL(base_url);
  const starts = [...pathname.matchAll(/\//g)].map(({ index }) => pathname.slice(index));
  const twice = starts.find((end) => end.length > 1 && made.some((path) => path.startsWith(`${end}/`)));
  return twice === undefined ? base_url : base_url.slice(0, -twice.length);
}
