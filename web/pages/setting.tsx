/** `/setting`: everything that the operator decides, a panel of the option registry a tab. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Settings } from 'lucide-react';
import * as z from 'zod/mini';
import type { HubModel } from '../features/prices/draft.ts';
import { priceViews } from '../features/prices/views.ts';
import { type OptionField, panels } from '../features/setting/field.ts';
import { searchChoice } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = z.object({
  tab: searchChoice(panels),
  /** Of the operation panel: which view of prices. */
  sub: searchChoice(priceViews),
});

export const settingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/setting',
  staticData: {
    nav: { section: 'admin', order: 90, icon: Settings, label: 'nav.setting', can: 'canManageOptions' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api }, deps: { tab = 'operation', sub = 'json' } }) => {
    const wantsModels = tab === 'visual' || (tab === 'operation' && sub !== 'json');
    const [fields, models] = await Promise.all([
      // The price editor needs the groups, which are an option of the operation panel.
      api.get<OptionField[]>('/api/option/fields', { panel: tab === 'visual' ? 'operation' : tab }),
      wantsModels ? api.get<HubModel[]>('/api/model_hub/admin/') : null,
    ]);
    return { tab, sub, fields, models };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('setting.title')),
  component: lazyRouteComponent(() => import('./setting.page.tsx'), 'SettingPage'),
});
