/** `/aipy-conf/prompts`: what companion clients recommend to say. */
import { PROMPT_ORDERS } from '@modules/prompt/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageSearch, searchOrder } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute, entryFields } from './aipy-conf.tsx';

const search = pageSearch({}, { ...entryFields, sort: searchOrder(PROMPT_ORDERS) });

export const promptsRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/prompts',
  validateSearch: search,
  loaderDeps: ({ search: { sort } }) => ({ sort }),
  loader: async ({ context: { api }, deps }) => ({
    prompts: await api.get('/api/prompt/suggest/admin', { query: deps }),
  }),
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.prompts')),
  component: lazyRouteComponent(() => import('./aipy-conf.prompts.page.tsx'), 'PromptsPage'),
});
