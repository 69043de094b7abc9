/** The pages to come in with everything on them at once: phone, password, every third party, agreement, human check. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openSite, PHONE, type Site, viewName, views } from '../support/browser.ts';
import { humanCheckOptions, startHumanCheckServer } from '../support/human-check-server.ts';
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
}, 120_000);
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
  it.each(views.map((view) => [viewName(view), view] as const))(
    'fits and passes at %s',
    async (_name, view) => {
      const visitor = await site.visit(view);
      await visitor.page.route('https://challenges.cloudflare.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
      );
      await visitor.goto(path);
      if (path !== '/login') await visitor.page.getByText('The widget').waitFor();
      const names = view.locale === 'zh' ? ['GitHub', 'Google', 'OIDC', 'LINUX DO'] : ['GitHub', 'OIDC'];
      for (const name of names) {
        expect(await visitor.page.getByRole('button', { name }).first().isVisible()).toBe(true);
      }
      const picture = `every${path}-${viewName(view)}`.replaceAll(/\W+/g, '-');
      if (process.env.SCREENSHOT_DIR) {
        await visitor.page.screenshot({
          path: `${process.env.SCREENSHOT_DIR}/${picture}.png`,
          fullPage: true,
        });
      }
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      if (view.width === PHONE) {
        await visitor.page.setViewportSize({ width: 320, height: 700 });
        expect(await visitor.overflow()).toBe(0);
      }
    },
  );
});
