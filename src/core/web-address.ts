/** Addresses that somebody gives and others open: pages and files of the web, and nothing that would run. */
import { urlOf } from './url.ts';

const WEB_ADDRESS_MAX = 2_000;

export const isWebAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) && text.length <= WEB_ADDRESS_MAX && urlOf(text) !== null;

/** Nothing in it means anything to a policy of browsers, where a `*` stands for every host and a `;` ends the list. */
const PLAIN_ORIGIN = /^https?:\/\/([a-z\d.-]+|\[[\da-f:]+\])(:\d+)?$/;

/** The origin of an address as a policy of browsers may name it; empty for one that would be read there as something else. */
export function policyOrigin(address: string): string {
  const origin = urlOf(address)?.origin ?? '';
  return PLAIN_ORIGIN.test(origin) ? origin : '';
}
