/** Every page as it opens: whole, quiet, no wider than its window, and open to everyone. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let fresh: Site;
let site: Site;
let user: TestUser;
let token: { id: number; key: string };

beforeAll(async () => {
  [fresh, site] = await Promise.all([openSite(), openSite()]);
  await site.api.root();
  user = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  const client = await site.api.as(user);
  for (let n = 1; n <= 12; n++) {
    const made = await client.post('/api/token/', {
      name: `token-${n}`,
      remain_quota: n * 100_000,
      ...(n % 3 === 0 && {
        model_limits_enabled: true,
        model_limits: 'gpt-4o,o3',
        expired_time: 2_000_000_000,
      }),
    });
    token = made.data;
  }
}, patience(120_000));
afterAll(async () => {
  await fresh.close();
  await site.close();
});

interface PageCase {
  name: string;
  path: () => string;
  heading: RegExp;
  status?: number;
  guest?: boolean;
  fresh?: boolean;
  drawer?: boolean;
}

const cases: PageCase[] = [
  { name: 'setup', path: () => '/setup', heading: /系统初始化|First run/, guest: true, fresh: true },
  { name: 'login', path: () => '/login?expired=true&next=%2Flog', heading: /登录|Sign in/, guest: true },
  { name: 'not-found', path: () => '/nowhere', heading: /页面不存在|Page does not exist/, status: 404 },
  {
    name: 'not-found-guest',
    path: () => '/nowhere',
    heading: /页面不存在|Page does not exist/,
    status: 404,
    guest: true,
  },
  { name: 'no-permission', path: () => '/channel', heading: /没有权限|No permission/, status: 403 },
  { name: 'token', path: () => '/token', heading: /令牌|API tokens/ },
  { name: 'token-none', path: () => '/token?q=no-such-name', heading: /令牌|API tokens/ },
  { name: 'token-add', path: () => '/token/add', heading: /令牌|API tokens/, drawer: true },
  { name: 'token-edit', path: () => `/token/edit/${token.id}`, heading: /令牌|API tokens/, drawer: true },
  { name: 'token-code', path: () => `/token/code/${token.id}`, heading: /令牌|API tokens/, drawer: true },
];

describe.each(cases)('$name', ({ name, path, heading, status = 200, guest, drawer, ...given }) => {
  const visit = (options: Parameters<Site['visit']>[0]) =>
    (given.fresh ? fresh : site).visit({ ...options, ...(guest ? {} : { user }) });

  it('is there in the first bytes, with its heading, its language and its status', async () => {
    const visitor = await visit({ locale: 'en', javaScript: false });
    const answer = await visitor.page.goto(path());
    expect(answer?.status()).toBe(status);
    expect(await visitor.page.getAttribute('html', 'lang')).toBe('en');
    expect(await visitor.page.locator('h1').allTextContents()).toEqual([expect.stringMatching(heading)]);
    expect(await visitor.page.title()).toMatch(/ · Tollgate$/);
  });

  looksRight({
    name,
    async open(locale) {
      const visitor = await visit({ locale, stays: true });
      await visitor.goto(path());
      if (drawer) await visitor.page.getByRole('dialog').waitFor();
      return visitor;
    },
    mayComplain: (complaint) => status !== 200 && complaint.includes(String(status)),
  });
});

describe('the frame', () => {
  it('stays from page to page, so that the one that comes is told', async () => {
    const visitor = await site.visit({ user, locale: 'en' });
    const { page } = visitor;
    const menu = page.getByRole('navigation', { name: 'Main menu' });
    await visitor.goto('/');
    await menu.evaluate((element) => Object.assign(element, { isFirst: true }));
    for (const [link, title] of [
      ['Tokens', 'API tokens'],
      ['Models', 'Models'],
      ['Overview', 'Overview'],
    ] as const) {
      await page.getByRole('link', { name: link, exact: true }).first().click();
      await page.getByText(`Opened: ${title}`).waitFor({ state: 'attached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(title);
      expect(await menu.evaluate((element) => 'isFirst' in element)).toBe(true);
    }
  });
});

describe('what a page is sent with', () => {
  it('lets run only scripts of ours, keeps itself out of frames and caches', async () => {
    const answer = await fetch(`${site.base}/login`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe-eval');
    expect(/script-src[^;]*/.exec(policy)?.[0]).toMatch(/^script-src 'self' 'nonce-[^']+'$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('never has the same nonce twice', async () => {
    const nonce = async () =>
      /'nonce-([^']+)'/.exec(
        (await fetch(`${site.base}/login`)).headers.get('content-security-policy') ?? '',
      )?.[1];
    expect(await nonce()).not.toBe(await nonce());
  });

  it('lets the origins of the option embed the console', async () => {
    await site.api.deps.options.set({ EmbedOrigins: 'https://app.example' });
    const policyOf = async (path: string) =>
      (await fetch(site.base + path, { redirect: 'manual' })).headers.get('content-security-policy');
    expect(await policyOf('/model-hub')).toContain("frame-ancestors 'self' https://app.example");
    // However they are spelled.
    for (const path of [
      '/login',
      '/setup',
      '/approve',
      '/oauth/login',
      '/LOGIN',
      '/login/',
      '/%6Cogin',
      '//login',
    ]) {
      const policy = await policyOf(path);
      if (policy !== null)
        expect([path, policy]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
    }
    await site.api.deps.options.reset(['EmbedOrigins']);
  });

  it('lets what the operator tells visitors be shown: pages framed, pictures loaded', async () => {
    const { options } = site.api.deps;
    const policy = async () =>
      (await fetch(`${site.base}/login`)).headers.get('content-security-policy') ?? '';
    expect(await policy()).toContain("img-src 'self' data:;");
    await options.set({ Notice: 'https://news.example/today', About: '![us](https://pics.example/us.png)' });
    expect(await policy()).toMatch(/frame-src [^;]*https:\/\/news\.example[;\s]/);
    expect(await policy()).toContain("img-src 'self' data: https:");
    await options.reset(['Notice', 'About']);
  });

  it('holds no key, neither in HTML nor in data', async () => {
    const visitor = await site.visit({ user });
    for (const path of ['/token', '/token/add', `/token/edit/${token.id}`, `/token/code/${token.id}`]) {
      const html = await visitor.html(path);
      expect(html).toContain(token.key.slice(0, 4));
      expect(html).not.toContain(token.key);
    }
  });

  it('serves files that never change for ever, compressed, and nothing else from disk', async () => {
    const html = await (await fetch(`${site.base}/login`)).text();
    const script = /\/_a\/[^"]+\.js/.exec(html)?.[0] ?? '';
    const answer = await fetch(site.base + script, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(await answer.text()).toMatch(/\b(?:im|ex)port\b/);
    for (const path of ['/_a/manifest.json', '/_a/../manifest.json', '/_a/%2e%2e/.built']) {
      expect((await fetch(site.base + path)).status).toBe(404);
    }
  });
});

describe('a server that cannot', () => {
  it('refuses pages that it has no room for, at once and in words', async () => {
    const visitors = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { cookies } = await site.api.as(await site.api.createUser());
        return [...cookies, ['lang', 'en']].map((pair) => pair.join('=')).join('; ');
      }),
    );
    // Less than what one of them may wait for, and two of each network, of which none takes more than half.
    const answers = await Promise.all(
      visitors.flatMap((cookie, n) => {
        const headers = { host: 'localhost', cookie, 'x-forwarded-for': `10.1.${n >> 1}.1` };
        return Array.from({ length: 20 }, () => fetch(`${site.base}/token`, { headers }));
      }),
    );
    const refused = answers.filter(({ status }) => status === 503);
    const served = answers.filter(({ status }) => status === 200);
    // Four at a time and a hundred in line, and as many more as were done before the last came.
    expect(served.length + refused.length).toBe(120);
    expect(served.length).toBeGreaterThanOrEqual(104);
    expect(refused.length).toBeGreaterThan(0);
    const [first] = refused;
    expect(first?.headers.get('retry-after')).toBe('2');
    expect(await first?.text()).toContain('The server is busy');
  });

  it('says that the database is away, and takes nobody for signed out', async () => {
    const lost = await openSite();
    const who = await lost.api.createUser();
    const cookie = [...(await lost.api.as(who)).cookies]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    await lost.api.deps.db.close();
    const answer = await fetch(`${lost.base}/token`, { redirect: 'manual', headers: { cookie } });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain(answer.headers.get('x-request-id') ?? 'no id');
    expect(answer.headers.get('set-cookie')).toBeNull();
    await lost.close().catch(() => undefined);
  });
});

describe('where addresses lead', () => {
  const landing = async (base: string, path: string, cookie = '') => {
    const answer = await fetch(base + path, { redirect: 'manual', headers: { cookie } });
    return [answer.status, answer.headers.get('location')];
  };
  const cookieOf = async (who: TestUser) =>
    [...(await site.api.as(who)).cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  it('leads a new system to its set-up from everywhere, and away from it afterwards', async () => {
    for (const path of ['/', '/login', '/token'])
      expect(await landing(fresh.base, path)).toEqual([307, '/setup']);
    expect(await landing(site.base, '/setup')).toEqual([307, '/']);
  });

  it('leads guests to sign in and back, and users away from signing in', async () => {
    expect(await landing(site.base, '/')).toEqual([200, null]);
    expect(await landing(site.base, '/token?p=2&q=a%20b')).toEqual([
      307,
      '/login?next=%2Ftoken%3Fp%3D2%26q%3Da%2Bb',
    ]);
    const cookie = await cookieOf(user);
    expect(await landing(site.base, '/', cookie)).toEqual([200, null]);
    expect(await landing(site.base, '/login?next=%2Ftoken%3Fp%3D2', cookie)).toEqual([307, '/token?p=2']);
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example']) {
      expect(await landing(site.base, `/login?next=${encodeURIComponent(next)}`, cookie)).toEqual([
        307,
        '/token',
      ]);
    }
  });

  it('leads from runs of slashes to the page, and takes a call of a model with them for what it is', async () => {
    expect(await landing(site.base, '/login//?a=//b')).toEqual([307, '/login/?a=//b']);
    expect(await landing(site.base, '/api//status')).toEqual([404, null]);
    for (const path of ['/v1//models', '/v1//chat/completions']) {
      const answer = await fetch(site.base + path, { method: path.endsWith('models') ? 'GET' : 'POST' });
      expect([answer.status, await answer.json()]).toMatchObject([
        401,
        { error: { code: 'invalid_api_key' } },
      ]);
    }
  });

  it('says that a session has ended, and takes the dead cookie away', async () => {
    const client = await site.api.as(user);
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    await client.get('/api/user/logout');
    const answer = await fetch(`${site.base}/token`, { redirect: 'manual', headers: { cookie } });
    expect(answer.headers.get('location')).toBe('/login?expired=true&next=%2Ftoken');
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
  });

  it('answers an unknown call as a call and an unknown page as a page', async () => {
    const call = await fetch(`${site.base}/api/nowhere`);
    expect([call.status, (await call.json()).code]).toEqual([404, 'UNKNOWN_ROUTE']);
    const page = await fetch(`${site.base}/nowhere`);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
  });

  it('answers a token of somebody else like one that does not exist', async () => {
    const other = await site.api.createUser();
    const answer = await fetch(`${site.base}/token/edit/${token.id}`, {
      headers: { cookie: await cookieOf(other) },
    });
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('token-12');
  });
});
