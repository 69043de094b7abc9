/** `/aipy-conf/prompts`: what companion clients recommend to say. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute, entrySearch } from './aipy-conf.tsx';

export const promptsRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/prompts',
  validateSearch: entrySearch,
  loader: async ({ context: { api } }) => ({ prompts: await api.get('/api/prompt/suggest/admin') }),
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.prompts')),
  component: lazyRouteComponent(() => import('./aipy-conf.prompts.page.tsx'), 'PromptsPage'),
});
