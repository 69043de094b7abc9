/** What a table has under a name. Names come from callers: `constructor` must not find what every object has. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
