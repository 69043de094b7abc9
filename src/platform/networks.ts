/** Addresses and networks: what an allow list means, and which addresses are nobody else's business. */
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../env.ts';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The address, or null. IPv4 in IPv6 clothes (`::ffff:1.2.3.4`) is the IPv4 address; shorthand like `127.1` is none. */
export function parseAddress(text: string): Address | null {
  const wellFormed = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return wellFormed && !text.includes('%') ? ipaddr.process(text) : null;
}

/** The address of a connection's other end as proxies write it: alone, or with the port (`1.2.3.4:5`, `[::1]:5`). */
export function parseEndpoint(text: string): Address | null {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return parseAddress(v6 ?? v4 ?? text);
}

export const inRanges = (address: Address, ranges: readonly Cidr[]): boolean =>
  ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));

/** `10.0.0.0/8` or a bare address as a range; null when it is neither. */
export function parseNetwork(text: string): Cidr | null {
  const [head = '', bits, ...rest] = text.split('/');
  const address = parseAddress(head);
  if (!address || rest.length > 0) return null;
  const widest = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, widest];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= widest ? [address, Number(bits)] : null;
}

/**
 * All that is given to anybody of IPv6. What lies beside it leads into networks of somebody's own making, or is IPv4 in its
 * oldest clothes (`::1.2.3.4`), which some stacks still undress.
 */
const GIVEN = ipaddr.parseCIDR('2000::/3');

/** Azure's services to the machine that asks, its metadata among them, at an address that reads like any public one. */
const AZURE_HOST = ipaddr.parseCIDR('168.63.129.16/32');

/**
 * True for an address of the public internet. Loopback, private, link-local, carrier, multicast, documentation and
 * translated ranges are not: what a user gives must never make us call them.
 */
export const isPublicAddress = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address.kind() === 'ipv4' || inRanges(address, [GIVEN])) &&
  !inRanges(address, [AZURE_HOST]);
