/** `/token`: the viewer's own API tokens, and the drawers over their list. */
import { looksLikeKey, soughtText } from '@core/key-text.ts';
import { TOKEN_ORDERS } from '@modules/token/facts.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import type { Right } from '../boot.ts';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { type PageContext, pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    /** Part of a name; or, beginning with `sk-`, as much of a key as is shown of it. */
    q: searchText,
    status: searchChoice(['1', '2', '3', '4']),
    group: searchText,
  },
  {
    ...listFields,
    sort: searchOrder(TOKEN_ORDERS),
  },
);

/** One field searches both: what looks like a key is one. */
const searched = (q = '') => (looksLikeKey(q) ? { token: soughtText(q) } : { keyword: q });

/** The drawers of what the session may not do lead back to the list. */
const needs =
  (right: Right) =>
  ({ context: { boot } }: { context: PageContext }) => {
    if (boot.user && !boot.user.may[right]) throw redirect({ to: '/token' });
  };

export const tokenRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/token',
  staticData: {
    nav: { section: 'console', order: 20, icon: KeyRound, label: 'nav.token', can: 'canManageTokens' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, q, status, group, sort } }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = { ...searched(q), status, group, sort, mask: 'true' };
    const [page, groups] = await Promise.all([
      loadPage((asked) => api.get('/api/token/page', { query: { ...query, ...asked } }), paging),
      api.get('/api/user/self/groups'),
    ]);
    return { page, groups, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('token.title')),
  component: lazyRouteComponent(() => import('./token.page.tsx'), 'TokenPage'),
});

export const tokenAddRoute = createRoute({
  getParentRoute: () => tokenRoute,
  path: '/add',
  beforeLoad: needs('keepTokens'),
  ...drawerOver('/token', 'token.newTitle'),
  loader: async ({ context: { api } }) => {
    const [models, sold] = await Promise.all([
      api.get('/api/user/models'),
      api.get('/api/user/models', { query: { sold: 'true' } }),
    ]);
    return { models, sold };
  },
  component: lazyRouteComponent(() => import('./token.add.page.tsx'), 'TokenAddDrawer'),
});

export const tokenEditRoute = createRoute({
  getParentRoute: () => tokenRoute,
  path: '/edit/$id',
  beforeLoad: needs('keepTokens'),
  params: idParams,
  ...drawerOver('/token', 'token.editTitle'),
  loader: async ({ context: { api }, params: { id } }) => {
    const [token, models] = await Promise.all([
      api.get('/api/token/:id', { params: { id }, query: { mask: 'true' } }),
      api.get('/api/user/models'),
    ]);
    return { token, models };
  },
  component: lazyRouteComponent(() => import('./token.edit.page.tsx'), 'TokenEditDrawer'),
});

export const tokenCodeRoute = createRoute({
  getParentRoute: () => tokenRoute,
  path: '/code/$id',
  beforeLoad: needs('keepTokens'),
  params: idParams,
  ...drawerOver('/token', 'token.codeTitle'),
  loader: async ({ context: { api }, params: { id } }) => {
    const [token, models] = await Promise.all([
      api.get('/api/token/:id', { params: { id }, query: { mask: 'true' } }),
      api.get('/api/user/models', { query: { sold: 'true' } }),
    ]);
    return { token, models };
  },
  component: lazyRouteComponent(() => import('./token.code.page.tsx'), 'TokenCodeDrawer'),
});

export const tokenChatRoute = createRoute({
  getParentRoute: () => tokenRoute,
  path: '/chat',
  beforeLoad: needs('chat'),
  ...drawerOver('/token', 'chat.title'),
  loader: async ({ context: { api } }) => {
    // The account's own group stands first.
    const [group = ''] = Object.keys(await api.get('/api/user/self/groups'));
    return { group, models: await api.get('/api/user/models', { query: { group, sold: 'true' } }) };
  },
  component: lazyRouteComponent(() => import('./token.chat.page.tsx'), 'TokenChatDrawer'),
});
