/** What stands beside every gift that the site gives by itself. */
import type { Text } from '../core/errors.ts';

/** `help`, and what a gift comes to while `gift.daily_quota` sets no limit. */
export const giftHelp = ({ zh, en }: Text): Text => ({
  zh: `${zh}。“每日赠送总额度上限”为 0 时总量不限：有多少邮箱或号码，就能领多少份`,
  en: `${en} While “Quota given away a day” is 0 nothing bounds the sum: whoever has many mailboxes or numbers gets it for each.`,
});
