/** Asks before prices leap: a slip of the hand there is dear. */

import type { Question } from '@/components/question.ts';
import type { TFunction } from '@/lib/i18n.ts';

const NAMED = 5;

export const leapQuestion = (names: readonly string[], t: TFunction): Question => ({
  title: t('prices.leapTitle', { count: names.length }),
  body: t('prices.leapBody', {
    names: names.slice(0, NAMED).join(t('app.comma')) + (names.length > NAMED ? ' …' : ''),
  }),
  action: t('app.save'),
  danger: true,
});
