/** The order of the dashboard's table, and of its sheet; apart from what every page must know of usage. */
import type { Order } from './order.ts';

interface Row {
  key: string;
  name: string;
  calls: number;
  quota: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  first_ms: number | null;
  failed: number | null;
}

/** What each column says of a row; null where that is not known. */
const told = {
  // Without a name, of what is gone, behind all that have one.
  name: ({ name }: Row) => name || null,
  calls: ({ calls }: Row) => calls,
  input: ({ prompt_tokens }: Row) => prompt_tokens,
  cached: ({ cached_tokens }: Row) => cached_tokens,
  output: ({ completion_tokens }: Row) => completion_tokens,
  failed: ({ failed }: Row) => failed,
  first: ({ first_ms }: Row) => first_ms,
  quota: ({ quota }: Row) => quota,
};
type Column = keyof typeof told;
const isColumn = (name: string): name is Column => Object.hasOwn(told, name);

/** What is not known comes last either way; what is alike stays as it was. */
export function inOrder<R extends Row>(rows: readonly R[], order: Order<Column> | undefined): R[] {
  const column = order?.replace(/^-/, '') ?? '';
  if (!isColumn(column)) return [...rows];
  const sign = order?.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [told[column](one), told[column](other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : a < b ? -sign : sign;
  });
}
