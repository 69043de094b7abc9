/**
 * How pages read the search of their address, field by field. It is read anew wherever a link leads, so all pages load this:
 * a library of schemas would be a twentieth of the shared code, for as few kinds of fields.
 */

/** Reads what stands in the address, a text, or what a link puts there. Undefined for what is absent or nonsense. */
export type SearchField<T = unknown> = (given: unknown) => T | undefined;

export type SearchFields = Readonly<Record<string, SearchField>>;

export type SearchOf<F extends SearchFields> = { [Name in keyof F]?: ReturnType<F[Name]> };

/** Any text at all. */
export const plainText: SearchField<string> = (given) => (typeof given === 'string' ? given : undefined);

/** A text of which a rule tells whether it can be read. */
export const searchReadable =
  (isReadable: (text: string) => boolean): SearchField<string> =>
  (given) => {
    const text = plainText(given);
    return text !== undefined && isReadable(text) ? text : undefined;
  };

export const searchChoice =
  <const C extends readonly string[]>(choices: C): SearchField<C[number]> =>
  (given) =>
    choices.find((one) => one === given);

/** A number as such, for which a rule tells whether it may stand there. */
export const searchCount =
  (isAllowed: (count: number) => boolean): SearchField<number> =>
  (given) => {
    const count = given === undefined ? Number.NaN : Number(given);
    return isAllowed(count) ? count : undefined;
  };

/** What is nonsense stands there as undefined: the router lays what was read over what was given, which would stay otherwise. */
export function readFields<F extends SearchFields>(fields: F, given: Record<string, unknown>): SearchOf<F> {
  const read = Object.entries(fields).flatMap(([name, field]) =>
    name in given ? [[name, field(given[name])] as const] : [],
  );
  // Each value is what the field of its name has read.
  return Object.fromEntries(read) as SearchOf<F>;
}

/** How a page reads its search: of the fields that it knows what is nonsense is dropped. */
export const searchOf =
  <F extends SearchFields>(fields: F) =>
  (given: Record<string, unknown>): SearchOf<F> =>
    readFields(fields, given);
