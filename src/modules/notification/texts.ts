/** What a user is told of his account. */
import type { Locale } from '../../core/errors.ts';
import { formatAmount, type MoneyRules } from '../../core/money.ts';
import type { Letter } from '../mail/service.ts';

export interface Notice {
  type: 'quota_exceed' | 'test';
  /** Quota units. */
  quota: number;
  threshold: number;
}

interface Words {
  title: string;
  content: string;
}

type Surroundings = Omit<MoneyRules, 'locale'> & {
  site: string;
  /** Where to look; empty for nowhere. */
  link: string;
};

export function noticeText(notice: Notice, locale: Locale, { site, link, ...rules }: Surroundings): Words {
  const amount = (quota: number) => formatAmount(quota, { ...rules, locale }).text;
  const [left, threshold] = [amount(notice.quota), amount(notice.threshold)];
  const isTest = notice.type === 'test';
  if (locale === 'zh') {
    return {
      title: isTest ? `${site} 测试通知` : `${site} 额度即将用尽`,
      content: [
        isTest
          ? `这是一条测试通知，收到它说明通知设置正确。您当前剩余额度为 ${left}，低于 ${threshold} 时会提醒您。`
          : `您的剩余额度为 ${left}，已低于预警阈值 ${threshold}。额度用尽后请求将被拒绝，请及时充值。`,
        ...(link === '' ? [] : [`充值与账单：${link}`]),
      ].join('\n\n'),
    };
  }
  return {
    title: isTest ? `Test notification of ${site}` : `Your ${site} balance is running low`,
    content: [
      isTest
        ? `This is a test: that it arrived means that your notifications are set up well. You have ${left} left, and will be warned below ${threshold}.`
        : `You have ${left} left, which is below your threshold of ${threshold}. Calls will be refused when nothing is left, so please top up in time.`,
      ...(link === '' ? [] : [`Top up, and see where it went: ${link}`]),
    ].join('\n\n'),
  };
}

export const noticeLetter = ({ title, content }: Words): Letter => ({ subject: title, text: content });
