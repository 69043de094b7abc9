/** What the site writes to people. */
import type { Locale } from '../../core/errors.ts';
import type { Letter } from './service.ts';

export const testMail = (site: string, locale: Locale): Letter =>
  locale === 'zh'
    ? { subject: `${site} 测试邮件`, text: `这是 ${site} 的测试邮件。收到它说明发信设置正确。` }
    : {
        subject: `Test mail of ${site}`,
        text: `This is a test mail of ${site}. That it arrived means that mail is set up well.`,
      };
