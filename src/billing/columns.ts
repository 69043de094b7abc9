/**
 * Statements that take their rows as lists, one a column. Each column stands once, with its type and where its value comes
 * from; the statement's text names it, and its number and type are put in: `{calls.id}` is one list, and
 * `{calls as q: id, charge}` a table of some of them.
 */
import { invariant } from '../core/invariant.ts';
import { jsonTextList, numberList, textList } from '../db/statement.ts';
import { flagList, plain } from './statements.ts';

/** A column of rows of this kind. */
export interface Column<R> {
  type: string;
  list(rows: readonly R[]): string;
}

export type Columns<R> = Readonly<Record<string, Column<R>>>;

const numbers =
  (type: string) =>
  <R>(of: (row: R) => number): Column<R> => ({ type, list: (rows) => numberList(rows.map(of)) });

export const bigint = numbers('bigint');
export const int = numbers('int');
export const smallint = numbers('smallint');
export const uuid = <R>(of: (row: R) => string): Column<R> => ({
  type: 'uuid',
  list: (rows) => textList(rows.map(of)),
});
export const text = <R>(of: (row: R) => string): Column<R> => ({
  type: 'text',
  list: (rows) => textList(rows.map((row) => plain(of(row)))),
});
/** JSON as text; the statement casts it. */
export const json = <R>(of: (row: R) => string): Column<R> => ({
  type: 'text',
  list: (rows) => jsonTextList(rows.map(of)),
});
export const boolean = <R>(of: (row: R) => boolean): Column<R> => ({
  type: 'boolean',
  list: (rows) => flagList(rows.map(of)),
});

interface ListStatement<G> {
  text: string;
  params(rows: { readonly [Name in keyof G]: readonly G[Name][] }): string[];
}

const ONE = /\{(\w+)\.(\w+)\}/g;
const TABLE = /\{(\w+) as (\w+): ([\w,\s]+)\}/g;

/** The statement that `written` is, over these groups of rows. Throws where the two do not fit. */
export function overLists<G extends object>(
  written: string,
  groups: { readonly [Name in keyof G]: Columns<G[Name]> },
): ListStatement<G> {
  const lists = new Map<string, string>();
  const named = new Set<string>();
  const makers: ((rows: { readonly [Name in keyof G]: readonly G[Name][] }) => string)[] = [];
  for (const group in groups) {
    for (const [name, column] of Object.entries(groups[group])) {
      makers.push((rows) => column.list(rows[group]));
      lists.set(`${group}.${name}`, `$${makers.length}::${column.type}[]`);
    }
  }
  const listOf = (group: string, name: string): string => {
    const key = `${group}.${name}`;
    const list = lists.get(key);
    invariant(list !== undefined, `${key} is a column`);
    named.add(key);
    return list;
  };
  const filled = written
    .replace(ONE, (_, group: string, name: string) => listOf(group, name))
    .replace(TABLE, (_, group: string, alias: string, columns: string) => {
      const names = columns.split(',').map((name) => name.trim());
      const all = names.map((name) => listOf(group, name));
      return `unnest(${all.join(', ')}) as ${alias}(${names.join(', ')})`;
    });
  const unnamed = [...lists.keys()].filter((key) => !named.has(key));
  invariant(unnamed.length === 0, `the statement names ${unnamed.join()}`);
  return { text: filled, params: (rows) => makers.map((make) => make(rows)) };
}
