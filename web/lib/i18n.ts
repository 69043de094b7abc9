/** The languages: one translator each, which never changes its language, so that every page and request may share it. */

import type { Locale } from '@core/errors.ts';
import type zh from '../locales/zh.ts';

type Key = keyof typeof zh;
/** A text with a plural stands under `KEY_one` and `KEY_other`, as `Intl.PluralRules` names the forms of a language. */
type PluralKey = Key extends infer K ? (K extends `${infer Base}_other` ? Base : never) : never;

/**
 * The text of a key, with each `{{name}}` replaced by the value of that name; a number under `count` chooses the plural.
 * A key without a text is its own text.
 */
export type TFunction = (key: Key | PluralKey, values?: Readonly<Record<string, unknown>>) => string;

const HOLE = /\{\{ *(\w+) *\}\}/g;

/** A translator of texts that are at hand. */
export function translatorOf(locale: Locale, texts: Readonly<Record<string, string>>): TFunction {
  const byKey = new Map(Object.entries(texts));
  const plurals = new Intl.PluralRules(locale);
  const found = (key: string, count: unknown): string => {
    const plural = typeof count === 'number' ? byKey.get(`${key}_${plurals.select(count)}`) : undefined;
    return plural ?? byKey.get(key) ?? key;
  };
  return (key, values) => {
    if (!values) return byKey.get(key) ?? key;
    // In one pass: what a value says is never taken for a hole.
    return found(key, values.count).replace(HOLE, (hole, name: string) =>
      Object.hasOwn(values, name) ? String(values[name] ?? '') : hole,
    );
  };
}

const texts: Record<Locale, () => Promise<{ default: Record<string, string> }>> = {
  zh: () => import('../locales/zh.ts'),
  en: () => import('../locales/en.ts'),
};

const translators = new Map<Locale, Promise<TFunction>>();

/** What turns keys into texts of a language. */
export function translatorFor(locale: Locale): Promise<TFunction> {
  let translator = translators.get(locale);
  if (!translator) {
    translator = texts[locale]().then((all) => translatorOf(locale, all.default));
    translators.set(locale, translator);
  }
  return translator;
}
