/**
 * The human check on the forms. The maker's own host is out of reach of tests: the browser is given a stand-in for its
 * script, which earns its tokens from the local server that checks them.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { PASSWORD } from '../support/api.ts';
import { openSite, type Site, type VisitOptions, type Visitor } from '../support/browser.ts';
import {
  type HumanCheckServer,
  humanCheckOptions,
  startHumanCheckServer,
} from '../support/human-check-server.ts';
import { looksRight } from '../support/look.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let checker: HumanCheckServer;
let mail: MailServer;
beforeAll(async () => {
  checker = startHumanCheckServer();
  [site, mail] = await Promise.all([
    openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' }),
    startMailServer(),
  ]);
  await site.api.root();
  await site.api.createUser({ username: 'una' });
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await checker.close();
  await mail.close();
});
const switchOn = () =>
  site.api.deps.options.set({
    ...humanCheckOptions(checker),
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    ServerAddress: site.base,
  });
beforeEach(switchOn);

/** Draws a box; `window.solve()` finishes the check of every widget on the page with a token from the server. */
const STAND_IN = `
  const widgets = new Map();
  window.turnstile = {
    render(box, rendering) {
      const id = 'widget-' + crypto.randomUUID();
      box.textContent = 'Stand-in for ' + rendering.action + ' in ' + rendering.language;
      widgets.set(id, { box, rendering });
      return id;
    },
    reset(id) { window.resets = (window.resets ?? 0) + 1; },
    remove(id) { widgets.get(id).box.textContent = ''; widgets.delete(id); },
  };
  window.solve = async () => {
    for (const { rendering } of widgets.values()) {
      const query = new URLSearchParams({ action: rendering.action, sitekey: rendering.sitekey });
      rendering.callback(await (await fetch('/stand-in/token?' + query)).text());
    }
  };
  window.expire = () => { for (const { rendering } of widgets.values()) rendering['expired-callback'](); };
  window.breakDown = () => { for (const { rendering } of widgets.values()) rendering['error-callback'](); };
`;
declare global {
  interface Window {
    solve(): Promise<void>;
    expire(): void;
    breakDown(): void;
    resets?: number;
  }
}

/** A visitor whose browser finds the maker's script, or not. */
async function visit(given: VisitOptions & { script?: 'comes' | 'fails' } = {}): Promise<Visitor> {
  const { script = 'comes', ...view } = given;
  const visitor = await site.visit({ locale: 'en', ...view });
  await visitor.page.route('https://challenges.cloudflare.com/**', (route) =>
    script === 'comes'
      ? route.fulfill({ contentType: 'text/javascript', body: STAND_IN })
      : route.abort('connectionrefused'),
  );
  await visitor.page.route('**/stand-in/token?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    expect(searchParams.get('sitekey')).toBe('site-key');
    const body = checker.give({ hostname: '127.0.0.1', action: searchParams.get('action') ?? '' });
    return route.fulfill({ body });
  });
  return visitor;
}
const solve = ({ page }: Visitor) => page.evaluate(() => window.solve());
const REASON = 'Retry in a few seconds, Turnstile is checking the user environment';

describe('signing in where humans are checked', () => {
  it('waits for the check with its reason, and begins another after each call', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    await page.getByText('Stand-in for login in en').waitFor();
    const submit = page.getByRole('button', { name: 'Sign in' });
    expect(await submit.isDisabled()).toBe(true);
    expect(await page.getByText(REASON).isVisible()).toBe(true);
    const described = await submit.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe(REASON);
    await page.getByRole('textbox', { name: 'Username' }).fill('una');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await solve(visitor);
    expect(await submit.isEnabled()).toBe(true);
    expect(await page.getByText(REASON).count()).toBe(0);
    await submit.click();
    await page.getByText('Wrong username or password').waitFor();
    expect(await submit.isDisabled()).toBe(true);
    expect(await page.evaluate(() => window.resets)).toBe(1);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await solve(visitor);
    await submit.click();
    await page.waitForURL('**/log');
    expect(visitor.complaints).toEqual([]);
  });

  it('waits again when the check has outlived its time', async () => {
    const visitor = await visit({ locale: 'zh' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByText('Stand-in for login in zh-cn').waitFor();
    await solve(visitor);
    expect(await page.getByRole('button', { name: '登录' }).isEnabled()).toBe(true);
    await page.evaluate(() => window.expire());
    await page.getByText('请稍后几秒重试，Turnstile 正在检查用户环境').waitFor();
    expect(await page.getByRole('button', { name: '登录' }).isDisabled()).toBe(true);
  });

  it('says so when the script does not come, and tries again', async () => {
    const visitor = await visit({ script: 'fails' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByText('The human check could not be loaded').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);
    await visitor.shot('human-check-unreachable');
    await page.unroute('https://challenges.cloudflare.com/**');
    await page.route('https://challenges.cloudflare.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
    );
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Stand-in for login').waitFor();
    await solve(visitor);
    expect(await page.getByRole('button', { name: 'Sign in' }).isEnabled()).toBe(true);
    await page.evaluate(() => window.breakDown());
    await page.getByText('The human check could not be loaded').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Stand-in for login').waitFor();
    expect(await page.getByText(REASON).isVisible()).toBe(true);
  });

  it('says that it needs JavaScript to who has none, on the page and to his form', async () => {
    const { page } = await site.visit({ locale: 'en', javaScript: false });
    await page.goto('/login');
    const notice = page.locator('noscript > div');
    expect([await notice.isVisible(), await notice.textContent()]).toEqual([
      true,
      'This form needs JavaScript, which your browser has turned off',
    ]);
    expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);
    expect(await page.getByText(REASON).count()).toBe(0);
    for (const [lang, words] of [
      ['en', 'This site checks that visitors are human, so signing in needs JavaScript'],
      ['zh', '本站启用了人机校验，登录需要浏览器启用 JavaScript'],
    ]) {
      const answer = await fetch(`${site.base}/login`, {
        method: 'POST',
        headers: { origin: site.base, cookie: `lang=${lang}` },
        body: new URLSearchParams({ username: 'una', password: PASSWORD, agreed: 'true' }),
      });
      expect(answer.headers.getSetCookie().filter((line) => line.startsWith('session='))).toEqual([]);
      expect(await answer.text()).toContain(words ?? '');
    }
  });
});

describe('other forms where humans are checked', () => {
  it('register with one check for the code and another for the account', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.goto('/register');
    await page.getByText('Stand-in for register').waitFor();
    const send = page.getByRole('button', { name: 'Send code' });
    const submit = page.getByRole('main').getByRole('button', { name: 'Create account' });
    await page.getByRole('textbox', { name: 'Email' }).fill('human@example.com');
    expect([await send.isDisabled(), await submit.isDisabled()]).toEqual([true, true]);
    await solve(visitor);
    const at = mail.mails.length;
    await send.click();
    const code = /\b\d{6}\b/.exec((await mail.nth(at + 1)).text ?? '')?.[0] ?? '';
    await page.getByText('Verification code sent').waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Username' }).fill('human');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
    await page.getByRole('textbox', { name: 'Verification code' }).fill(code);
    await solve(visitor);
    await submit.click();
    await page.waitForURL('**/login?registered=true');
    // The next form has a check of its own.
    await page.getByText('Stand-in for login').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('ask for the mail that resets a password', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.goto('/reset');
    await page.getByText('Stand-in for reset').waitFor();
    await page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com');
    expect(await page.getByRole('button', { name: 'Send link' }).isDisabled()).toBe(true);
    await solve(visitor);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If nobody@example.com has an account here').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the policy of the pages', () => {
  const policy = async () => (await fetch(`${site.base}/login`)).headers.get('content-security-policy') ?? '';

  it('lets the widget’s frame in only while the check is on', async () => {
    expect(await policy()).toContain("frame-src 'self' https://challenges.cloudflare.com;");
    await site.api.deps.options.set({ TurnstileCheckEnabled: 'false' });
    expect(await policy()).not.toContain('challenges.cloudflare.com');
  });

  it('and the pages fetch its script only then', async () => {
    await site.api.deps.options.set({ TurnstileCheckEnabled: 'false' });
    const visitor = await visit();
    const asked: string[] = [];
    visitor.page.on('request', (request) => asked.push(new URL(request.url()).hostname));
    await visitor.goto('/login');
    expect(await visitor.page.getByRole('button', { name: 'Sign in' }).isEnabled()).toBe(true);
    expect(new Set(asked)).toEqual(new Set(['127.0.0.1']));
  });
});

describe.each(['/login', '/register', '/reset'])('the page %s with the check', (path) => {
  looksRight({
    name: `human${path}`,
    async open(locale) {
      await switchOn();
      const visitor = await visit({ locale, stays: true });
      await visitor.goto(path);
      await visitor.page.getByText('Stand-in for').waitFor();
      return visitor;
    },
  });
});
