/** `/setting`: everything that the operator decides, a panel of the option registry a tab. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Settings } from 'lucide-react';
import * as z from 'zod/mini';
import { type OptionField, panels } from '../features/setting/field.ts';
import { searchChoice } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = z.object({
  tab: searchChoice(panels),
});

export const settingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/setting',
  staticData: {
    nav: { section: 'admin', order: 90, icon: Settings, label: 'nav.setting', can: 'canManageOptions' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api }, deps: { tab = 'operation' } }) => ({
    tab,
    fields: await api.get<OptionField[]>('/api/option/fields', { panel: tab }),
  }),
  head: ({ match: { context } }) => pageTitle(context, context.t('setting.title')),
  component: lazyRouteComponent(() => import('./setting.page.tsx'), 'SettingPage'),
});
