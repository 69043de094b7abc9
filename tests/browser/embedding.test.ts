/** The console in a frame of another site, in a real browser: http://127.0.0.1 frames http://localhost. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Frame, Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { bearer, REDIRECT, registerApp, signInAt, type TestApp } from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let una: TestUser;
let user: Client;
let app: TestApp;
/** The console as the frame has it: of another site than the pages around it. */
let consoleBase: string;
/** The application, and a page of somebody else. */
let around: Bun.Server<undefined>;
let foreign: Bun.Server<undefined>;
const originOf = ({ port }: Bun.Server<undefined>) => `http://127.0.0.1:${port}`;

beforeAll(async () => {
  site = await openSite();
  consoleBase = site.base.replace('127.0.0.1', 'localhost');
  const page = (request: Request) =>
    new Response(
      `<!doctype html><title>around</title><iframe style="width:1200px;height:700px" src="${new URL(request.url).searchParams.get('src')?.replaceAll('&', '&amp;') ?? ''}"></iframe>`,
      { headers: { 'content-type': 'text/html' } },
    );
  around = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: page });
  foreign = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: page });
  await site.api.deps.options.set({ EmbedOrigins: originOf(around) });
  app = await registerApp(await site.api.root(), { redirect_uris: [REDIRECT, 'http://127.0.0.1/back'] });
  una = await site.api.createUser({ username: 'una' });
  user = await site.api.as(una);
  await user.post('/api/token/', { name: 'her own token', unlimited_quota: true });
  const { access } = await signInAt(site.api, app, user, 'tokens:create');
  await bearer(site.api, access).post('/api/token/', { name: 'the token of una', unlimited_quota: true });
}, 120_000);
afterAll(async () => {
  await around.stop(true);
  await foreign.stop(true);
  await site.close();
});

async function address(path: string): Promise<string> {
  const { access } = await signInAt(site.api, app, user, 'embed tokens:create');
  const { data } = await bearer(site.api, access).post('/api/oauth/embed_token', {
    origin: originOf(around),
  });
  return `${consoleBase}${path}?oToken=${data.token}&oUser=${una.id}&layout=false`;
}

const showIn = async (page: Page, server: Bun.Server<undefined>, src: string): Promise<Frame> => {
  await page.goto(`${originOf(server)}/?src=${encodeURIComponent(src)}`);
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  if (!frame) throw new Error('there is no frame');
  return frame;
};

// First: what is kept for a frame stays with the tab, and a later visitor may be given the same one.
it(
  'says in the frame that the sign-in has ended, instead of a page that is never framed',
  async () => {
    const visitor = await site.visit({ locale: 'en' });
    const frame = await showIn(visitor.page, around, `${consoleBase}/token`);
    await frame.getByText('The sign-in has ended; open it again from the application').waitFor();
  },
  PATIENCE_MS,
);

it(
  'is signed in by the token, without its shell, with server-rendered pages and a clean address',
  async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    const frame = await showIn(page, around, await address('/token'));
    await frame.getByText('the token of una').waitFor();
    // What she made herself is not the application's to see.
    expect(await frame.getByText('her own token').count()).toBe(0);
    expect(await frame.locator('[data-shell]:visible').count()).toBe(0);
    expect(frame.url()).toBe(`${consoleBase}/token`);
    const cookies = await page.context().cookies(consoleBase);
    expect(cookies.find(({ name }) => name === 'embed')).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'None',
    });
    // No script has what the cookie has.
    expect(
      await frame.evaluate(() => [document.cookie, sessionStorage.getItem('embed')].join()),
    ).not.toContain('oab_');
    // Another page of the console is rendered by the server for him, too.
    const next = await showIn(page, around, `${consoleBase}/token`);
    await next.getByText('the token of una').waitFor();
    expect(await next.locator('[data-shell]:visible').count()).toBe(0);
    // Outside of the frame nobody is signed in.
    await page.goto(`${consoleBase}/token`);
    await page.waitForURL((url) => url.pathname === '/login');
  },
  PATIENCE_MS,
);

it(
  'goes on by a bearer where the browser keeps no cookie',
  async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await page.route('**/api/oauth/embed_session', async (route) => {
      // Not by the browser, which would keep the cookie of the answer.
      const answer = await fetch(route.request().url(), {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: consoleBase },
        body: route.request().postData() ?? '',
      });
      await route.fulfill({
        status: answer.status,
        contentType: 'application/json',
        body: await answer.text(),
      });
    });
    const frame = await showIn(page, around, await address('/token'));
    await frame.getByText('the token of una').waitFor();
    expect(frame.url()).toBe(`${consoleBase}/token`);
    expect(await frame.locator('[data-shell]:visible').count()).toBe(0);
    const cookies = await page.context().cookies(consoleBase);
    expect(cookies.filter(({ name }) => name === 'embed')).toEqual([]);
    // The page lives: its own calls carry the bearer.
    await frame.getByRole('link', { name: 'Create token' }).first().click();
    const drawer = frame.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'Name' }).fill('made in the frame');
    await drawer.getByRole('button', { name: 'Create' }).last().click();
    await frame.getByText('made in the frame').first().waitFor();
  },
  PATIENCE_MS,
);

it(
  'goes on by the bearer of the frame where the same browser is signed in besides',
  async () => {
    // The console of the same site as the page around it, whose frame has the visitor's own session as well.
    const { page } = await site.visit({ user: una, locale: 'en' });
    const opened = (await address('/token')).replace(consoleBase, site.base);
    const frame = await showIn(page, around, opened);
    await frame.getByText('the token of una').waitFor();
    expect(await frame.locator('[data-shell]:visible').count()).toBe(0);
    const stored = await frame.evaluate(() => sessionStorage.getItem('embed'));
    expect(stored).toStartWith('oab_');
    // What his own session shows is framed by nobody.
    const blocked = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await Promise.all([blocked, showIn(page, around, `${site.base}/token`)]);
  },
  PATIENCE_MS,
);

it(
  'shows nothing in a frame of anybody else, and no page to sign in in any',
  async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    const blocked = () =>
      page.waitForEvent('console', (message) =>
        /frame-ancestors|refused to (frame|connect)/i.test(message.text()),
      );
    for (const [server, src] of [
      [foreign, await address('/token')],
      [foreign, `${consoleBase}/model-hub`],
      [around, `${consoleBase}/login`],
    ] as const) {
      const [message, frame] = await Promise.all([blocked(), showIn(page, server, src)]);
      expect(message.text()).toContain('frame-ancestors');
      expect(await frame.getByText('the token of una').count()).toBe(0);
    }
  },
  PATIENCE_MS,
);
