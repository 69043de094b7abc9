/** The parameter `$id` of a page's address. */
import { notFound } from '@tanstack/react-router';

/**
 * Digits alone, everything else is no page: it becomes a part of a call's address, where `test` or `..` would make
 * another call of it than the page means. Every route with an `$id` has this.
 */
export const idParams = {
  parse: ({ id }: { id: string }): { id: string } => {
    if (!/^\d{1,16}$/.test(id)) throw notFound();
    return { id };
  },
};
