/** The languages where the texts are read as they are written: on the server, and in tests. */

import type { Locale } from '@core/errors.ts';
import { own } from '@core/own.ts';
import compile from 'icu-minify/compile';
import type { CompiledMessage } from 'icu-minify/format';
import en from '../locales/en.ts';
import zh from '../locales/zh.ts';
import { type TFunction, translatorOf } from './i18n.ts';

/** One a language, which every page and request may share: it never changes its language. */
const translators: Record<Locale, TFunction> = {
  zh: translatorOf('zh', compiledWhenUsed(zh)),
  en: translatorOf('en', compiledWhenUsed(en)),
};

export const translatorFor = (locale: Locale): TFunction => translators[locale];

function compiledWhenUsed(texts: Readonly<Record<string, string>>) {
  const compiled = new Map<string, CompiledMessage>();
  return (key: string): CompiledMessage | undefined => {
    let message = compiled.get(key);
    const text = message === undefined ? own(texts, key) : undefined;
    if (text !== undefined) {
      message = compile(text);
      compiled.set(key, message);
    }
    return message;
  };
}
