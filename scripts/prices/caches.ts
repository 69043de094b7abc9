import type { ListPrice } from '../../src/options/default-ratios.ts';

/**
 * The rows as they are. What is written to a cache is read from it: where a row names the one price and not the other,
 * whoever marks prompts to save would pay in full for what is read.
 */
export function readable(tokens: Record<string, ListPrice>): Record<string, ListPrice> {
  const unread = Object.keys(tokens).filter((model) => isUnread(tokens[model]));
  if (unread.length > 0) throw new Error(`no price of reading from the cache: ${unread.join(', ')}`);
  return tokens;
}

const isUnread = (price: ListPrice | undefined): boolean =>
  lacks(price?.cacheWrite, price?.cacheRead) ||
  price?.tiers?.some(({ cache_write, cache_read }) => lacks(cache_write, cache_read)) === true;

const lacks = (write: number | undefined, read: number | undefined): boolean =>
  write !== undefined && read === undefined;
