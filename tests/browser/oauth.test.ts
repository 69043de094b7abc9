/** People sign in, register, bind and unbind by third parties, each of them a real server on another site. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import { DESK, openSite, PHONE, type Site, type VisitOptions, type Visitor } from '../support/browser.ts';
import { type IdentityServer, optionsFor, startIdentityServer } from '../support/identity-server.ts';
import { usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let servers: Record<'oidc' | 'github', IdentityServer>;
beforeAll(async () => {
  site = await openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8,::1/128' });
  await site.api.root();
  const [oidc, github] = await Promise.all([
    startIdentityServer('oidc', [site.base]),
    startIdentityServer('github', [site.base]),
  ]);
  servers = { oidc, github };
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await Promise.all(Object.values(servers).map((server) => server.close()));
});
const switchOn = () =>
  site.api.deps.options.set({
    RegisterEnabled: 'true',
    PasswordLoginEnabled: 'true',
    ...optionsFor('oidc', servers.oidc),
    ...optionsFor('github', servers.github),
  });
beforeEach(switchOn);

let people = 0;
const newName = () => `person${++people}`;

/** The identity server's own page; it does not come when one is signed in there. */
async function signInThere(page: Page, account: string): Promise<void> {
  await page.getByRole('heading', { name: 'Identity server' }).waitFor();
  await page.getByLabel('Account').fill(account);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const selfOf = (visitor: Visitor) =>
  visitor.page.evaluate(async () => (await (await fetch('/api/user/self')).json()).data);

/** All buttons on. */
const allOn = {
  GoogleClientId: 'x.apps.example.com',
  GoogleClientSecret: 'x',
  GoogleOAuthEnabled: 'true',
  LinuxDOClientId: 'x',
  LinuxDOClientSecret: 'x',
  LinuxDOOAuthEnabled: 'true',
};
const extraOff = { GoogleOAuthEnabled: 'false', LinuxDOOAuthEnabled: 'false' };

describe('a third party', () => {
  it('makes an account, and opens it again in another browser', async () => {
    const account = newName();
    servers.oidc.accounts.set(account, {
      name: 'Ada',
      email: `${account}@example.com`,
      email_verified: true,
    });
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog%3Fp%3D2');
    await page.getByRole('button', { name: 'Sign in with OIDC' }).click();
    await signInThere(page, account);
    await page.waitForURL('**/log?p=2');
    const first = await selfOf(visitor);
    expect(first).toMatchObject({ display_name: 'Ada', email: `${account}@example.com`, oidc_id: account });
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}'))).toMatchObject({
      id: first.id,
      username: first.username,
      role: 1,
    });
    // The way back leads to no address with a used code.
    await page.goBack();
    expect(page.url()).not.toContain('code=');

    const again = await site.visit({ locale: 'en' });
    await again.goto('/register');
    await again.page.getByRole('button', { name: 'Sign in with OIDC' }).click();
    await signInThere(again.page, account);
    await again.page.waitForURL('**/token');
    expect((await selfOf(again)).id).toBe(first.id);
    expect([...visitor.complaints, ...again.complaints]).toEqual([]);
  });

  it('is agreed to in Chinese first', async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('button', { name: '通过 OIDC 登录' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: '取消' }).click();
    expect(page.url()).toBe(`${site.base}/login`);
    await page.getByRole('button', { name: '通过 OIDC 登录' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: /同意/ }).click();
    await signInThere(page, newName());
    await page.waitForURL('**/token');
  });

  it('is bound in the settings and unbound again', async () => {
    servers.github.accounts.set('octo', { id: 4711, login: 'octo' });
    const user = await site.api.createUser();
    const visitor = await site.visit({ locale: 'en', user });
    const { page } = visitor;
    await visitor.goto('/personal');
    await page.getByRole('button', { name: 'Bind: GitHub' }).click();
    await signInThere(page, 'octo');
    await page.waitForURL('**/personal#connections');
    await page.getByText('Your GitHub account is bound').waitFor();
    expect(await selfOf(visitor)).toMatchObject({ id: user.id, github_id: '4711' });

    // It opens the account now.
    const other = await site.visit({ locale: 'en' });
    await other.goto('/login');
    await other.page.getByRole('button', { name: 'Sign in with GitHub' }).click();
    await signInThere(other.page, 'octo');
    await other.page.waitForURL('**/token');
    expect((await selfOf(other)).id).toBe(user.id);

    await page.getByRole('button', { name: 'Unbind: GitHub' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unbind' }).click();
    await page.getByRole('button', { name: 'Bind: GitHub' }).waitFor();
    expect(await selfOf(visitor)).toMatchObject({ github_id: '' });
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the page that one comes back to', () => {
  it.each([
    [
      'en',
      'This sign-in is not valid or has expired',
      'Operation failed, redirecting to the sign-in page...',
      'Back to sign-in',
    ],
    ['zh', '登录请求无效或已过期，请重新登录', '操作失败，重定向至登录界面中...', '返回登录'],
  ] as const)(
    'says in %s what went wrong, and leads back by itself',
    async (locale, reason, leading, back) => {
      const visitor = await site.visit({ locale });
      const { page } = visitor;
      await page.clock.install();
      await visitor.goto('/oauth/github?code=x&state=y');
      await page.getByText(reason).waitFor();
      expect(await page.getByText(leading).isVisible()).toBe(true);
      expect(await page.getByRole('link', { name: back }).getAttribute('href')).toBe('/login');
      await page.clock.runFor(8_100);
      // By way of the settings, which send a guest on.
      await page.waitForURL('**/login?next=%2Fsetting*');
    },
  );

  it('stays when one wants to read on', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await page.clock.install();
    await visitor.goto('/oauth/oidc?code=x&state=y');
    await page.getByRole('button', { name: 'Stay here' }).click();
    await page.clock.runFor(60_000);
    expect(page.url()).toContain('/oauth/oidc');
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.waitForURL('**/login');
  });

  it('says so when one did not allow it there', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('button', { name: 'Sign in with OIDC' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('You did not allow the sign-in at OIDC').waitFor();
  });

  it('says that it still waits, and lets one give up', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    const held = Promise.withResolvers<void>();
    await page.route('**/api/oauth/github?*', async (route) => {
      await held.promise;
      await route.abort();
    });
    await page.clock.install();
    await visitor.goto('/oauth/github?code=x&state=y');
    await page.getByText('Finishing sign-in with GitHub…').waitFor();
    await page.clock.runFor(8_100);
    await page.getByText('Still waiting for GitHub…').waitFor();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL('**/login');
    held.resolve();
  });

  it('leads who binds back to his settings', async () => {
    const visitor = await site.visit({ locale: 'en', user: await site.api.createUser() });
    await visitor.goto('/oauth/oidc?code=x&state=y');
    const { page } = visitor;
    await page.getByText('This sign-in is not valid').waitFor();
    await page.getByRole('link', { name: 'Back to settings' }).click();
    await page.waitForURL('**/setting?tab=personal');
  });

  it('is no page for what nobody signs in by', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const answer = await visitor.page.goto('/oauth/myspace?code=x');
    expect(answer?.status()).toBe(404);
  });
});

describe('the buttons', () => {
  it('show what is switched on, and nothing else', async () => {
    await site.api.deps.options.set({ ...extraOff, 'oidc.enabled': 'false', GitHubOAuthEnabled: 'false' });
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    const buttons = page.getByRole('button', { name: /^Sign in with / });
    expect(await buttons.count()).toBe(0);
    expect(await page.getByText('or sign in with').count()).toBe(0);
    await site.api.deps.options.set({ ...allOn, 'oidc.enabled': 'true', GitHubOAuthEnabled: 'true' });
    await visitor.goto('/login');
    expect(await buttons.allTextContents()).toEqual(['Google', 'GitHub', 'OIDC', 'Linux DO']);
    const heights = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(new Set(heights).size).toBe(1);
  });

  it('do not stand there without JavaScript, which they need', async () => {
    const { page } = await site.visit({ locale: 'en', javaScript: false });
    await page.goto('/login');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.getByText('or sign in with').isVisible()).toBe(false);
    expect(await page.getByText('OIDC').isVisible()).toBe(false);
  });

  it('say what went wrong before one leaves', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    await site.api.deps.options.set({ GitHubOAuthEnabled: 'false' });
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
    await page.getByText('The administrator has not turned on signing in with GitHub').waitFor();
  });
});

describe('the settings', () => {
  it('fill the addresses of OIDC in from its document, or say what is wrong with it', async () => {
    await site.api.deps.options.reset([
      'oidc.enabled',
      'oidc.well_known',
      'oidc.authorization_endpoint',
      'oidc.token_endpoint',
      'oidc.user_info_endpoint',
    ]);
    const [root] = await site.api.deps.db.query<{ id: number }>('select id from users where role = 100');
    const visitor = await site.visit({
      locale: 'en',
      user: { id: root?.id ?? 0, username: 'root', role: 100 },
    });
    const { page } = visitor;
    await visitor.goto('/setting?tab=system');
    await page.getByRole('button', { name: 'Read OIDC configuration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Well-known address').fill(`${servers.oidc.base}/nowhere`);
    await dialog.getByRole('button', { name: 'Read', exact: true }).click();
    await dialog.getByText('it answers with status 404').waitFor();
    await visitor.shot('oidc-test-en');
    await dialog
      .getByLabel('Well-known address')
      .fill(`${servers.oidc.base}/.well-known/openid-configuration`);
    await dialog.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByText(`The addresses of ${servers.oidc.base} are filled in`).waitFor();
    expect(await page.getByLabel('Token endpoint').inputValue()).toBe(`${servers.oidc.base}/token`);
    expect(await page.getByLabel('User info endpoint').inputValue()).toBe(`${servers.oidc.base}/me`);
    // It is shown for a moment, which may be over before the end of the click is heard of here.
    const shown = page.getByText('Saved').first().waitFor();
    await page.getByRole('button', { name: 'Save: OIDC' }).click();
    await shown;
    expect(site.api.deps.options.get('oidc.authorization_endpoint')).toBe(`${servers.oidc.base}/authorize`);
    expect(await visitor.findings()).toEqual([]);
  });
});

describe.each(['/login', '/register'])('the page %s with third parties', (path) => {
  looksRight({
    name: `oauth${path}`,
    async open(locale) {
      await switchOn();
      await site.api.deps.options.set(allOn);
      const visitor = await site.visit({ locale, stays: true });
      await visitor.goto(path);
      await visitor.page.getByRole('button', { name: /OIDC/ }).scrollIntoViewIfNeeded();
      return visitor;
    },
  });
});

describe('the way back from a third party', () => {
  /** On its way back, with the server's answer held. */
  async function comesBack(options: VisitOptions): Promise<{ visitor: Visitor; answer(): void }> {
    await switchOn();
    const visitor = await site.visit(options);
    const { page } = visitor;
    const held = Promise.withResolvers<void>();
    await page.route('**/api/oauth/github?*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.clock.install();
    await visitor.goto('/oauth/github?code=x&state=y');
    await page.getByText(/GitHub.*…/).waitFor();
    return { visitor, answer: held.resolve };
  }
  const takesLong = async ({ page }: Visitor) => {
    await page.clock.runFor(8_100);
    await page.getByRole('link', { name: /取消|Cancel/ }).waitFor();
  };

  // It waits for eight seconds, which a whole look may outlast.
  it.each(usually(['en'], 'zh'))('has no serious finding while it waits, in %s', async (locale) => {
    for (const view of [
      { width: DESK, theme: 'light' },
      { width: PHONE, theme: 'dark' },
    ] as const) {
      const { visitor, answer } = await comesBack({ locale, ...view });
      expect(await visitor.findings()).toEqual([]);
      expect(await visitor.overflow()).toBe(0);
      await visitor.shot(`oauth-waiting-${view.width}-${locale}`);
      answer();
    }
  });

  describe('when it takes long', () => {
    looksRight({
      name: 'oauth-long',
      async open(locale) {
        const { visitor } = await comesBack({ locale, stays: true });
        await takesLong(visitor);
        return visitor;
      },
    });
  });

  describe('when it fails', () => {
    looksRight({
      name: 'oauth-failed',
      async open(locale) {
        const { visitor, answer } = await comesBack({ locale, stays: true });
        await takesLong(visitor);
        answer();
        await visitor.page.getByText(/操作失败|Operation failed/).waitFor();
        return visitor;
      },
      // The browser tells the refusal itself.
      mayComplain: (complaint) => complaint.includes('Failed to load resource'),
    });
  });
});
