/** Versions of companion clients: numbers between dots. What follows them (`-beta`, `+build`) orders nothing. */

const VERSION = /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:[-+][0-9a-z.+-]{1,40})?$/i;

const partsOf = (text: string): number[] | null => VERSION.exec(text)?.[1]?.split('.').map(Number) ?? null;

export const isClientVersion = (text: string): boolean => VERSION.test(text);

/** Whether a client is of this version or a later one. What is no version is below none and asks for none. */
export function reachesVersion(client: string, wanted: string): boolean {
  const [has, wants] = [partsOf(client), partsOf(wanted)];
  if (!has || !wants) return true;
  for (const [at, part] of wants.entries()) {
    const own = has[at] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
