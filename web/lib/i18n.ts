/** The languages: one instance each, which never changes its language, so that every page and request may share it. */

import type { Locale } from '@core/errors.ts';
import { createInstance, type TFunction } from 'i18next';
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

const translators = new Map<Locale, Promise<TFunction>>();

/** Finding a plain text takes i18next some microseconds, and a page has hundreds: each is looked up once. */
function remembering(translate: TFunction): TFunction {
  const texts = new Map<unknown, unknown>();
  return new Proxy(translate, {
    apply(target, self, [key, ...options]: [unknown, ...unknown[]]) {
      if (options.length > 0) return Reflect.apply(target, self, [key, ...options]);
      if (!texts.has(key)) texts.set(key, Reflect.apply(target, self, [key]));
      return texts.get(key);
    },
  });
}

async function load(locale: Locale): Promise<TFunction> {
  const instance = createInstance();
  const t = await instance.init({
    lng: locale,
    defaultNS: 'console',
    resources: { [locale]: { console: (await texts[locale]()).default } },
    keySeparator: false,
    nsSeparator: false,
    returnNull: false,
    interpolation: { escapeValue: false },
  });
  return remembering(t);
}

/** What turns keys into texts of a language. */
export function translatorFor(locale: Locale): Promise<TFunction> {
  let translator = translators.get(locale);
  if (!translator) {
    translator = load(locale);
    translators.set(locale, translator);
  }
  return translator;
}
