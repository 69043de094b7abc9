/** The pages to come in with everything on them at once: phone, password, every third party, agreement, human check. */
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { openSite, type Site } from '../support/browser.ts';
import { humanCheckOptions, startHumanCheckServer } from '../support/human-check-server.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { type SmsServer, startSmsServer } from '../support/sms-server.ts';

let site: Site;
let sms: SmsServer;
const checker = startHumanCheckServer();
beforeAll(async () => {
  sms = startSmsServer();
  site = await openSite();
  await site.api.root();
  await site.api.deps.options.set({
    ...humanCheckOptions(checker),
    ServerAddress: site.base,
    PhoneLoginEnabled: 'true',
    EmailVerificationEnabled: 'true',
    'sms.provider': 'http',
    'sms.url': sms.template,
    GitHubClientId: 'id',
    GitHubClientSecret: 'secret',
    GitHubOAuthEnabled: 'true',
    GoogleClientId: 'id',
    GoogleClientSecret: 'secret',
    GoogleOAuthEnabled: 'true',
    LinuxDOClientId: 'id',
    LinuxDOClientSecret: 'secret',
    LinuxDOOAuthEnabled: 'true',
    'oidc.client_id': 'id',
    'oidc.client_secret': 'secret',
    'oidc.authorization_endpoint': 'https://id.example/authorize',
    'oidc.token_endpoint': 'https://id.example/token',
    'oidc.user_info_endpoint': 'https://id.example/me',
    'oidc.enabled': 'true',
    WeChatServerAddress: 'https://wechat.example',
    WeChatServerToken: 'secret',
    WeChatAuthEnabled: 'true',
  });
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await sms.close();
  await checker.close();
});

/** Draws a box as high as the widget. */
const WIDGET = `window.turnstile = {
  render(box) { box.textContent = 'The widget'; return 'id'; }, reset() {}, remove() {},
};`;

describe.each(['/login', '/login?by=password', '/register'])('the page %s with every way in', (path) => {
  looksRight({
    name: `every${path}`,
    async open(locale) {
      const visitor = await site.visit({ locale, stays: true });
      await visitor.page.route('https://challenges.cloudflare.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
      );
      await visitor.goto(path);
      if (path !== '/login') await visitor.page.getByText('The widget').waitFor();
      const names = locale === 'zh' ? ['GitHub', 'Google', 'OIDC', 'Linux DO'] : ['GitHub', 'OIDC'];
      for (const name of names) {
        expect(await visitor.page.getByRole('button', { name }).first().isVisible()).toBe(true);
      }
      return visitor;
    },
  });
});
