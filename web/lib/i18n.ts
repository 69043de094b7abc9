/** The languages: one instance each, which never changes its language, so that every page and request may share it. */

import type { Locale } from '@core/errors.ts';
import { createInstance, type i18n } from 'i18next';
import type zh from '../locales/zh.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'console';
    resources: { console: typeof zh };
    keySeparator: false;
    nsSeparator: false;
    returnNull: false;
  }
}

const texts: Record<Locale, () => Promise<{ default: Record<string, string> }>> = {
  zh: () => import('../locales/zh.ts'),
  en: () => import('../locales/en.ts'),
};

const instances = new Map<Locale, Promise<i18n>>();

async function load(locale: Locale): Promise<i18n> {
  const instance = createInstance();
  await instance.init({
    lng: locale,
    defaultNS: 'console',
    resources: { [locale]: { console: (await texts[locale]()).default } },
    keySeparator: false,
    nsSeparator: false,
    returnNull: false,
    interpolation: { escapeValue: false },
  });
  return instance;
}

export function i18nFor(locale: Locale): Promise<i18n> {
  let instance = instances.get(locale);
  if (!instance) {
    instance = load(locale);
    instances.set(locale, instance);
  }
  return instance;
}
