/** `/custom-models`: a user's own keys at suppliers. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import { pageSearch, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

export const customModelsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/custom-models',
  staticData: {
    nav: { section: 'personal', order: 30, icon: Plug, label: 'nav.customModels', can: 'canManageSelf' },
  },
  /** `edit`: the configuration whose drawer is open, by its id, or `new`. */
  validateSearch: pageSearch({}, { edit: searchText }),
  loader: async ({ context: { api } }) => {
    const [configs, suppliers] = await Promise.all([
      api.get('/api/user/custom-models/conf'),
      api.get('/api/supplier'),
    ]);
    return { configs, suppliers };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('nav.customModels')),
  component: lazyRouteComponent(() => import('./custom-models.page.tsx'), 'CustomModelsPage'),
});
