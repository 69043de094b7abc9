/** How a list is ordered: by the name of one of its columns, downwards with a minus before it. Calls and pages share it. */

export type Order<Name extends string = string> = Name | `-${Name}`;

/** All orders that these columns give. */
export const ordersOf = <const Names extends readonly string[]>(names: Names): Order<Names[number]>[] =>
  names.flatMap((name: Names[number]) => [name, `-${name}`] as const);
