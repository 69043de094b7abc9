/** What people agree to when they use the site: the operator's own words, or a general text until he has written some. */

import type { Locale } from '../../core/errors.ts';
import type { OptionKey } from '../../options/registry.ts';
import type { Options } from '../../options/store.ts';
import type { DocumentName } from './facts.ts';
import { privacyPolicy } from './privacy-policy.ts';
import { termsOfService } from './terms-of-service.ts';

type TextKey = Extract<OptionKey, `legal.${string}`>;

const OWN: Record<DocumentName, Record<Locale, TextKey>> = {
  'terms-of-service': { zh: 'legal.terms_zh', en: 'legal.terms_en' },
  'privacy-policy': { zh: 'legal.privacy_zh', en: 'legal.privacy_en' },
};

const GENERAL: Record<DocumentName, Record<Locale, string>> = {
  'terms-of-service': termsOfService,
  'privacy-policy': privacyPolicy,
};

export interface TermsText {
  /** Plain text: a line that begins with `# ` is a heading, empty lines part paragraphs. */
  text: string;
  /** The language that it is in. */
  locale: Locale;
}

/**
 * A document in the reader's language. Once the operator has written it in one language only, everybody reads that:
 * beside his own words the general text would promise something else.
 */
export function readTerms(options: Options, name: DocumentName, locale: Locale): TermsText {
  const order: readonly Locale[] = locale === 'zh' ? ['zh', 'en'] : ['en', 'zh'];
  for (const language of order) {
    const text = options.get(OWN[name][language]).trim();
    if (text !== '') return { text, locale: language };
  }
  return { text: GENERAL[name][locale].replaceAll('{site}', options.get('SystemName')).trim(), locale };
}
