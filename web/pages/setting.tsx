/** `/setting`: everything that the operator decides, a panel of the option registry a tab, and one's own settings. */
import { can } from '@core/roles.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Settings } from 'lucide-react';
import type { TFunction } from '@/lib/i18n.ts';
import { loadPersonal } from '../features/personal/personal.ts';
import { priceFilters, priceViews } from '../features/prices/views.ts';
import { type SettingTab, settingTabs } from '../features/setting/tabs.ts';
import type { Api } from '../lib/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { errorText, told } from '../lib/error-text.ts';
import { listFields, searchNumber, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice, searchOf } from '../lib/search-field.ts';
import { isSignedOut } from '../lib/unwrap.ts';
import { consoleRoute } from './console.tsx';

const search = searchOf({
  tab: searchChoice(settingTabs),
  /** Of the operation panel: which view of prices. */
  sub: searchChoice(priceViews),
  /** Of the models without a price: those of this channel. */
  channel: searchNumber('bigint'),
  /** Words that are looked for in the options of all panels. */
  q: searchText,
  /** Of the prices, which are here as a whole: their pages, part of a model's name, and which of them are shown. */
  ...listFields,
  model: searchText,
  show: searchChoice(priceFilters),
});

/** What stands for sale. Its failure is told as one, whatever its reason. */
const loadModels = (api: Api, t: TFunction) =>
  api.get('/api/model_hub/admin/').catch((error: unknown) => {
    if (!(error instanceof ApiError) || isSignedOut(error)) throw error;
    throw told(error, t('prices.modelsFailed', { reason: errorText(error, t) }));
  });

/** What a channel offers; null for one that is gone, whose models nobody can call by it. */
const modelsOfChannel = async (api: Api, id: string) => {
  try {
    const { name, models } = await api.get('/api/channel/:id', { params: { id } });
    return { name, models: models.split(',').filter(Boolean) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
};

export const settingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/setting',
  staticData: {
    nav: { section: 'admin', order: 90, icon: Settings, label: 'nav.setting', can: 'canManageOptions' },
  },
  validateSearch: search,
  loaderDeps: ({ search: { tab, sub, channel, q } }) => ({ tab, sub, channel, q }),
  loader: async ({
    context: { api, boot, t },
    deps: { tab: wanted = 'operation', sub = 'json', q = '', channel },
  }) => {
    const isOperator = boot.user !== null && can(boot.user.role, 'canManageOptions');
    // Whoever decides nothing for the site finds his own settings here.
    const tab: SettingTab = isOperator ? wanted : 'personal';
    if (tab === 'personal') {
      return {
        tab,
        sub,
        q: '',
        isOperator,
        personal: await loadPersonal(api),
        fields: [],
        models: null,
        only: null,
      };
    }
    if (q !== '') {
      const fields = await api.get('/api/option/fields');
      return { tab, sub, q, isOperator, personal: null, fields, models: null, only: null };
    }
    const wantsModels = tab === 'visual' || (tab === 'operation' && sub !== 'json');
    const asksOne = tab === 'operation' && sub === 'unpriced' && channel !== undefined;
    const [fields, models, only] = await Promise.all([
      // The price editor needs the groups, which are an option of the operation panel.
      api.get('/api/option/fields', { query: { panel: tab === 'visual' ? 'operation' : tab } }),
      wantsModels ? loadModels(api, t) : null,
      asksOne ? modelsOfChannel(api, channel) : null,
    ]);
    return { tab, sub, q, isOperator, personal: null, fields, models, only };
  },
  head: ({ match: { context }, loaderData }) =>
    pageTitle(context, context.t(loaderData?.isOperator === false ? 'personal.title' : 'setting.title')),
  component: lazyRouteComponent(() => import('./setting.page.tsx'), 'SettingPage'),
});
