/** The console in a frame of another site, in a real browser: http://127.0.0.1 frames http://localhost. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Frame, Page } from 'playwright';
import en from '../../web/locales/en.ts';
import zh from '../../web/locales/zh.ts';
import type { Client, TestUser } from '../support/api.ts';
import { darken, openSite, type Site, type Visitor } from '../support/browser.ts';
import { usually } from '../support/long.ts';
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
      `<!doctype html><html lang="en"><title>around</title><main><h1>around</h1><iframe title="console" style="width:100%;height:760px;border:0" src="${new URL(request.url).searchParams.get('src')?.replaceAll('&', '&amp;') ?? ''}"></iframe></main>`,
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
  const { db, options } = site.api.deps;
  await options.set({ FuelPackEnabled: 'true', FuelPackQuota: '1000' });
  await db.query('update users set aff_quota = 1000 where id = $1', [una.id]);
  const root = await site.api.root();
  const supplier = await root.post('/api/supplier/admin/', {
    name: 'Echo',
    base_url: 'https://echo.example/v1',
  });
  await user.post('/api/user/custom-models/conf', {
    supplier_id: supplier.data.id,
    key: 'sk-of-una-at-echo',
  });
}, patience(120_000));
afterAll(async () => {
  await around.stop(true);
  await foreign.stop(true);
  await site.close();
});

async function address(path: string, scope = 'embed tokens:create'): Promise<string> {
  const { access } = await signInAt(site.api, app, user, scope);
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

// After a visitor whose frame has stored a bearer: nobody who comes later has it.
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

/** What a frame that may show and no more has nowhere, by page; who opens the site himself has it there. */
const REFUSED = {
  '/': ['overview.topUp'],
  '/token': ['token.create', 'chat.title', 'token.copyKey', 'token.useInCodeOf', 'table.more'],
  '/topup': ['wallet.redeem', 'invitation.move'],
  '/custom-models': ['customModel.add', 'customModel.editOf', 'customModel.deleteOf', 'supplier.balanceOf'],
  '/activity-center': ['activity.claim', 'activity.topUp', 'invitation.move'],
  '/personal': [
    'user.edit',
    'personal.changePassword',
    'personal.delete',
    'second.enable',
    'personal.makeToken',
    'invitation.move',
  ],
} as const satisfies Record<string, (keyof typeof en)[]>;

/** Which of these there are to press. */
async function offered(page: Page | Frame, path: keyof typeof REFUSED, texts: typeof en): Promise<string[]> {
  await page.locator('main h1').first().waitFor();
  const named = await page
    .locator('main :is(a, button)')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? ''));
  const pattern = (key: keyof typeof en) => new RegExp(`^${texts[key].replaceAll(/\{\w+\}/g, '.*')}$`);
  return REFUSED[path].filter((key) => named.some((name) => pattern(key).test(name)));
}

/** Everything at a desk in the light; on the phone the contrast in the dark, as a page outside of any frame is looked at. */
const SERIOUS = {
  light: (visitor: Visitor) => visitor.findings(),
  async dark(visitor: Visitor, frame: Frame) {
    await darken(frame);
    return visitor.findings(['color-contrast']);
  },
};

interface SeenAt {
  locale: 'en' | 'zh';
  width: number;
  texts: typeof en;
  found: (visitor: Visitor, frame: Frame) => Promise<string[]>;
}

it.each(
  usually<SeenAt>([{ locale: 'en', width: 1280, texts: en, found: SERIOUS.light }], {
    locale: 'zh',
    width: 390,
    texts: zh,
    found: SERIOUS.dark,
  }),
)(
  'is seen well and offers nothing that would be refused there: $locale at $width',
  async ({ locale, width, texts, found }) => {
    const paths = Object.keys(REFUSED) as (keyof typeof REFUSED)[];
    const visitor = await site.visit({ locale, width });
    const { page } = visitor;
    const refused: string[] = [];
    page.on('response', async (answer) => {
      if (answer.status() === 403) refused.push(`${answer.url()} ${await answer.text()}`);
    });
    const first = await showIn(page, around, await address('/log', 'embed'));
    // The token is used up once it is sent: who leaves before the answer has no session.
    await first.locator('main h1').first().waitFor();
    for (const path of paths) {
      const frame = await showIn(page, around, consoleBase + path);
      expect([path, await offered(frame, path, texts)]).toEqual([path, []]);
      expect([path, await found(visitor, frame)]).toEqual([path, []]);
      await visitor.shot(`embedded-${path.slice(1)}-${locale}`);
    }
    // Nor by an address that opens it.
    for (const path of ['/token/add', '/token/chat', '/custom-models?edit=new', '/user/edit']) {
      const frame = await showIn(page, around, consoleBase + path);
      await frame.locator('main h1').first().waitFor();
      expect([path, await frame.getByRole('dialog').count()]).toEqual([path, 0]);
    }
    expect(refused).toEqual([]);
    const himself = await site.visit({ user: una, locale, width });
    for (const path of paths) {
      await himself.page.goto(site.base + path);
      expect([path, await offered(himself.page, path, texts)]).toEqual([path, [...REFUSED[path]]]);
    }
  },
  PATIENCE_MS * 2,
);
