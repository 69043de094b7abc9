/** A price by which whatever is used costs a unit a token. */
import type { CallQuote } from '../../src/billing/price.ts';
import { DECIMAL_ONE } from '../../src/core/decimal.ts';

export const EVEN_QUOTE: CallQuote = {
  sold: 'm',
  price: {
    kind: 'tokens',
    ratios: {
      model: DECIMAL_ONE,
      completion: DECIMAL_ONE,
      cacheRead: DECIMAL_ONE,
      cacheReadAudio: DECIMAL_ONE,
      cacheWrite: DECIMAL_ONE,
      cacheWriteHour: DECIMAL_ONE,
      audio: DECIMAL_ONE,
      audioCompletion: DECIMAL_ONE,
      image: DECIMAL_ONE,
      imageCompletion: DECIMAL_ONE,
      video: DECIMAL_ONE,
    },
  },
  groupRatio: DECIMAL_ONE,
  userGroupRatio: null,
  source: 'option',
  selfUse: false,
};
