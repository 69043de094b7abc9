/** Texts by their keys. They stand in ICU MessageFormat, and are compiled before they are used: the browser's by the build. */

import type { Locale } from '@core/errors.ts';
import format, { type CompiledMessage, type FormatOptions } from 'icu-minify/format';
import type { TextKey } from './text-key.ts';

export type TextValues = Readonly<Record<string, unknown>>;

/**
 * The text of a key, with its holes filled: `{name}` by the value of that name as it is written, `{count, plural, …}` by
 * the number under it. What is null or undefined fills nothing; a key without a text is its own text.
 */
export type TFunction = (key: TextKey, values?: TextValues) => string;

/** A translator that asks for the compiled text of a key. */
export function translatorOf(
  locale: Locale,
  messageOf: (key: TextKey) => CompiledMessage | undefined,
): TFunction {
  const plurals = new Intl.PluralRules(locale);
  const options: FormatOptions = {
    formatters: {
      getPluralRules: () => plurals,
      getNumberFormat: (...rules) => new Intl.NumberFormat(...rules),
      getDateTimeFormat: (...rules) => new Intl.DateTimeFormat(...rules),
    },
  };
  return (key, values = {}) => {
    const message = messageOf(key) ?? key;
    return typeof message === 'string'
      ? message
      : [format(message, locale, written(values), options)].flat().join('');
  };
}

/** Values as they are written in a text. Numbers stay: plurals are chosen by them. */
function written(values: TextValues): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : String(value ?? ''),
    ]),
  );
}
