/** Addresses hold plain text: `?q=123` is the text 123, and what a page wants as a number its schema makes one. */

export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

/** Filters of the address that their page could not read, by name, as they stand there. They count as absent. */
export type Unreadable = Readonly<Record<string, string>>;

/** A search as its address has it: what could not be read stands again where it stood. */
export function rawSearch({
  unreadable,
  ...search
}: Record<string, unknown> & { unreadable?: unknown }): Record<string, unknown> {
  return isTexts(unreadable) ? { ...search, ...unreadable } : search;
}

const isTexts = (value: unknown): value is Unreadable => typeof value === 'object' && value !== null;

/** Fields that are undefined or empty are left out, so that links stay short. */
export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(rawSearch(search)).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : '';
}
