/** `/channel`: the upstreams that requests are sent to, and the drawers over their list. */
import { CHANNEL_ORDERS, CHANNEL_TESTS } from '@modules/channel/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Cable } from 'lucide-react';
import { getChannel, getTypes } from '../features/channel/read.ts';
import { idParams } from '../lib/id-param.ts';
import {
  listFields,
  loadPage,
  pageSearch,
  searchNumber,
  searchOrder,
  searchText,
} from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice, searchCount, searchOf } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    /** Part of a name or address, or an id. */
    q: searchText,
    group: searchText,
    /** Part of a model's name. */
    model: searchText,
    status: searchChoice(['1', '2', '3']),
    type: searchNumber('integer'),
    /** How the last test ended. */
    test: searchChoice(CHANNEL_TESTS),
  },
  {
    ...listFields,
    sort: searchOrder(CHANNEL_ORDERS),
    /** `id`: newest first, instead of by priority. */
    by: searchChoice(['id']),
    /** `tag`: a row a tag, its channels folded below it. */
    view: searchChoice(['tag']),
  },
);

export const channelRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/channel',
  staticData: {
    nav: { section: 'admin', order: 10, icon: Cable, label: 'nav.channel', can: 'canSeeChannelMenu' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({
    context: { api, boot },
    deps: { p, size, q, group, model, status, type, test, sort, by, view },
  }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = {
      keyword: q,
      group,
      model,
      status,
      type,
      test,
      sort,
      id_sort: by === 'id' || undefined,
      tag_mode: view === 'tag' || undefined,
    };
    const [page, types, groups] = await Promise.all([
      loadPage((asked) => api.get('/api/channel/', { query: { ...query, brief: true, ...asked } }), paging),
      getTypes(api),
      api.get('/api/group/'),
    ]);
    // The list shows names only; what forms are drawn from is asked for by the drawers.
    const labels = types.map(({ type, label, tells_balance }) => ({ type, label, tells_balance }));
    return { page, types: labels, groups, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('channel.title')),
  component: lazyRouteComponent(() => import('./channel.page.tsx'), 'ChannelPage'),
});

export const channelTagRoute = createRoute({
  getParentRoute: () => channelRoute,
  path: '/tag/$tag',
  ...drawerOver('/channel', 'channel.tagEditTitle'),
  loader: async ({ context: { api }, params: { tag } }) => {
    const { items, total } = await api.get('/api/channel/', { query: { tag, p: 1, page_size: 100 } });
    return { channels: items, total };
  },
  component: lazyRouteComponent(() => import('./channel.tag.page.tsx'), 'ChannelTagDrawer'),
});

const addSearch = searchOf({
  /** Number of the type that the form begins with. */
  kind: searchCount((type) => Number.isInteger(type) && type >= 1),
});

export const channelAddRoute = createRoute({
  getParentRoute: () => channelRoute,
  path: '/add',
  ...drawerOver('/channel', 'channel.newTitle'),
  validateSearch: addSearch,
  loader: async ({ context: { api } }) => ({ types: await getTypes(api) }),
  component: lazyRouteComponent(() => import('./channel.add.page.tsx'), 'ChannelAddDrawer'),
});

export const channelEditRoute = createRoute({
  getParentRoute: () => channelRoute,
  path: '/edit/$id',
  params: idParams,
  ...drawerOver('/channel', 'channel.editTitle'),
  loader: async ({ context: { api }, params: { id } }) => {
    const [types, channel] = await Promise.all([getTypes(api), getChannel(api, id)]);
    return { types, channel };
  },
  component: lazyRouteComponent(() => import('./channel.edit.page.tsx'), 'ChannelEditDrawer'),
});
