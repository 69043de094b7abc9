/** What every page may ask of its surroundings: the boot record, the API, the texts, and the money rules that follow. */

import type { MoneyRules } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import type { Boot, Right } from '../boot.ts';
import type { Api } from './api.ts';
import type { TFunction } from './i18n.ts';

/** The router's context: the same for all pages of a document. */
export interface PageContext {
  boot: Boot;
  api: Api;
  t: TFunction;
  /** The zone whose days are counted: `inZone` asks for it. */
  zone(): string;
}

/** Works in every component, also in those that stand in for a page that failed. */
const usePageContext = (): PageContext => useRouter().options.context;

export const useBoot = (): Boot => usePageContext().boot;
/** Whether the session may do that: what it may not is not offered. */
export const useMay = (right: Right): boolean => useBoot().user?.may[right] ?? false;
export const useApi = (): Api => usePageContext().api;

export const moneyRules = ({ status, locale }: Boot): MoneyRules => ({
  quotaPerUnit: status.quota_per_unit,
  price: status.price,
  inCurrency: status.display_in_currency,
  locale,
});

/** The document's title while a page is shown. */
export const pageTitle = (context: PageContext, title: string) => ({
  meta: [{ title: `${title} · ${context.boot.status.system_name}` }],
});
