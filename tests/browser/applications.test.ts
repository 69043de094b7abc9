/** Root registers an application; a user signs in to it, by way of the sign-in page and the question. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PASSWORD, type TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { authorizeQuery, exchange, pkce, registerApp, type TestApp } from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
let app: TestApp;
/** The application's own server: it answers where the browser comes back to. */
let back: Bun.Server<undefined>;
let redirect: string;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una' });
  back = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('back at the application') });
  redirect = `http://127.0.0.1:${back.port}/back`;
  app = await registerApp(await site.api.as(root), {
    name: 'Notebook',
    homepage: 'https://notebook.example/',
    redirect_uris: ['http://127.0.0.1/back'],
  });
}, patience(120_000));
afterAll(async () => {
  await back.stop(true);
  await site.close();
});

/** She typed her password longer ago than a proof lasts. */
const forgetProof = () =>
  site.api.deps.db.query(`update sessions set confirmed_at = confirmed_at - 700 where user_id = ${una.id}`);

/** Where an application sends its user's browser. */
const entry = (challenge: string): string =>
  authorizeQuery(app, challenge, { redirect_uri: redirect, scope: 'profile relay' }).replace(
    '/api/oauth/authorize',
    '/oauth/login',
  );

describe('root', () => {
  it(
    'registers an application, sees its secret once, renews it, switches it off and deletes it',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/oauth-apps');
      await page.getByRole('link', { name: 'Register application' }).first().click();
      const drawer = page.getByRole('dialog');
      const submit = drawer.getByRole('button', { name: 'Register application' });
      await submit.click();
      await drawer.getByText('The name needs 1 to 50 characters').waitFor();
      await drawer.getByRole('textbox', { name: 'Name' }).fill('Calendar');
      await drawer.getByRole('textbox', { name: 'Redirect addresses' }).fill('http://calendar.example/back');
      await drawer.getByText('http://calendar.example/back is not a valid redirect address').waitFor();
      await drawer.getByRole('textbox', { name: 'Redirect addresses' }).fill('https://calendar.example/back');
      await drawer.getByRole('checkbox', { name: /^balance/ }).check();
      await drawer.getByRole('switch', { name: 'It runs on a server and can keep a secret' }).check();
      await submit.click();
      await drawer.getByText('The secret is shown this once').waitFor();
      const secret = await drawer.getByRole('textbox', { name: 'Client secret' }).inputValue();
      expect(secret).toStartWith('oas_');
      await drawer.getByRole('button', { name: 'Close' }).last().click();
      await drawer.waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'Calendar' });
      await row.getByText('profile balance').waitFor();
      const more = () => row.getByRole('button', { name: 'More actions: Calendar' }).click();
      await more();
      await page.getByRole('menuitem', { name: 'New secret' }).click();
      const question = page.getByRole('alertdialog');
      await question.getByRole('button', { name: 'New secret' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await drawer.getByRole('textbox', { name: 'Client secret' }).inputValue()).not.toBe(secret);
      await drawer.getByRole('button', { name: 'Close' }).last().click();
      await drawer.waitFor({ state: 'detached' });
      await more();
      await page.getByRole('menuitem', { name: 'Switch off' }).click();
      await question.getByRole('button', { name: 'Switch off' }).click();
      await question.waitFor({ state: 'detached' });
      await row.getByText('Off', { exact: true }).waitFor();
      await row.getByRole('link', { name: 'Calendar' }).click();
      await drawer.getByRole('textbox', { name: 'Name' }).fill('Diary');
      await drawer.getByRole('switch', { name: 'Switched on' }).check();
      await drawer.getByRole('button', { name: 'Save' }).click();
      await drawer.waitFor({ state: 'detached' });
      const diary = page.getByRole('row').filter({ hasText: 'Diary' });
      await diary.getByText('On', { exact: true }).waitFor();
      await diary.getByRole('button', { name: 'More actions: Diary' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await question.getByRole('button', { name: 'Delete' }).click();
      await question.waitFor({ state: 'detached' });
      await diary.waitFor({ state: 'detached' });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('a guest', () => {
  it(
    'comes back at once to an application that wants no page shown',
    async () => {
      const visitor = await site.visit({ locale: 'en' });
      const { page } = visitor;
      await page.goto(`${entry(pkce().challenge)}&prompt=none`);
      await page.getByText('back at the application').waitFor();
      const { searchParams } = new URL(page.url());
      expect(searchParams.get('error')).toBe('login_required');
      expect(searchParams.get('state')).toBe('the state');
      expect(searchParams.has('code')).toBe(false);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('a user', () => {
  it(
    'signs in on the way, is asked, and comes back to the application with a code',
    async () => {
      const { verifier, challenge } = pkce();
      const visitor = await site.visit({ locale: 'en' });
      const { page } = visitor;
      await page.goto(entry(challenge));
      await page.waitForURL((url) => url.pathname === '/login');
      await visitor.settled();
      // It would lead away from the application.
      expect(await page.getByRole('link', { name: 'Forgot' }).count()).toBe(0);
      await page.getByRole('textbox', { name: 'Username' }).fill('una');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Allow this application?' }).waitFor();
      await page.getByText('call models, paid from your balance').waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('back at the application').waitFor();
      const { searchParams } = new URL(page.url());
      expect(searchParams.get('state')).toBe('the state');
      const answer = await exchange(site.api, app, searchParams.get('code') ?? '', verifier, {
        redirect_uri: redirect,
      });
      expect(answer).toMatchObject({ status: 200, body: { scope: 'profile relay' } });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is told after five failures that it failed, and may try again',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'zh' });
      const { page } = visitor;
      await visitor.goto('/terms/privacy-policy.html');
      await page.evaluate(() => sessionStorage.setItem('oauth-login-tries', '4'));
      await page.route('**/api/user/self', (route) =>
        route.fulfill({ status: 503, json: { success: false } }),
      );
      await page.goto(entry(pkce().challenge));
      await page.getByRole('heading', { name: '授权失败' }).waitFor();
      await page.unroute('**/api/user/self');
      // He has agreed before, so that nothing is asked on the way.
      await page.getByRole('button', { name: '重试' }).click();
      await page.getByText('back at the application').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'proves that it is she before she lets it spend her balance',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await forgetProof();
      await page.goto(`${entry(pkce().challenge)}&prompt=consent`);
      const password = page.getByLabel('Enter your password to show that it is you');
      await password.fill('guessed');
      await password.press('Enter');
      await page.getByRole('alert').waitFor();
      await password.fill(PASSWORD);
      await password.press('Enter');
      await page.getByText('back at the application').waitFor();
      expect(new URL(page.url()).searchParams.has('code')).toBe(true);
    },
    PATIENCE_MS,
  );

  looksRight({
    name: 'consent',
    async open(locale) {
      const visitor = await site.visit({ user: una, locale, stays: true });
      const other = await registerApp(await site.api.as(root), {
        name: 'A notebook with quite a long name, for the phone',
        homepage: 'https://notebook.example/a/long/address/that/has/to/break/somewhere/on/a/phone',
      });
      await forgetProof();
      const address = authorizeQuery(other, pkce().challenge, { scope: 'profile balance relay embed' });
      await visitor.page.goto(address.replace('/api/oauth/authorize', '/oauth/login'));
      // The page on the way has buttons of its own.
      await visitor.page.waitForURL('**/api/oauth/authorize?*');
      await visitor.page.getByRole('button').last().waitFor();
      return visitor;
    },
  });
});

describe('the list', () => {
  looksRight({
    name: 'oauth-apps',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/oauth-apps');
      return visitor;
    },
  });
});

describe('the form', () => {
  looksRight({
    name: 'oauth-apps-add',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/oauth-apps/add');
      await visitor.page.getByRole('dialog').waitFor();
      return visitor;
    },
  });
});
