/** What all drawers have in common: each is a route over a page, and stands there from the click on that opens it. */
import { PendingDrawer } from '../components/shell/pending-drawer.tsx';
import { type PageContext, pageTitle } from '../lib/page-context.ts';
import type { TextKey } from '../lib/text-key.ts';

interface DrawerMatch {
  match: { context: PageContext; params: Readonly<Record<string, unknown>> };
}

interface DrawerOptions {
  /** Of the search by which it is opened, where it has no path of its own. */
  field?: string;
  /** Classes of one that is wider than others. */
  look?: string;
}

/** Spread into its route. The title may have parameters of the address in its holes. */
export const drawerOver = (page: string, title: TextKey, { field, look }: DrawerOptions = {}) => ({
  staticData: { drawer: page, title, field, look },
  head: ({ match: { context, params } }: DrawerMatch) => pageTitle(context, context.t(title, params)),
  pendingComponent: PendingDrawer,
  pendingMs: 0,
  // Left to itself the router shows what is pending for half a second, whatever has come.
  pendingMinMs: 0,
});
