/** Cookies as a browser sends them. */

/**
 * Looks one up by its name: of several the first, null where there is none. They are gone through and make no table: their
 * names are anybody's.
 */
export function cookiesIn(header: string): (name: string) => string | null {
  const pairs = header.split(/;\s*/);
  return (name) => {
    const start = `${name}=`;
    return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? null;
  };
}
