/** The console as an application of its own: what a browser installs, and what it shows when nothing can be reached. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, PHONE, type Site } from '../support/browser.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let user: TestUser;
/** The same site by another socket, which a test can take away. */
let server: Bun.Server<undefined>;
let base: string;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
  user = await site.api.createUser({ username: 'una-in-person' });
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => site.handle(request) });
  base = `http://127.0.0.1:${server.port}`;
}, patience(120_000));
afterAll(async () => {
  await server.stop(true);
  await site.close();
});

const sizeOf = async (path: string): Promise<number[]> => {
  const answer = await fetch(base + path);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'image/png']);
  const bytes = new DataView(await answer.arrayBuffer());
  return [bytes.getUint32(16), bytes.getUint32(20)];
};

it('has a manifest that Chromium reads without a fault, with icons of the sizes that it names', async () => {
  await site.api.deps.options.set({ SystemName: '门 & Gate' });
  const { page } = await site.visit({ user, width: PHONE, locale: 'en' });
  await page.goto(`${base}/token`);
  const session = await page.context().newCDPSession(page);
  const { errors, data, url } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(url).toBe(`${base}/manifest.webmanifest?lang=en`);
  const manifest = JSON.parse(data ?? '');
  expect(manifest).toMatchObject({ name: '门 & Gate', start_url: '/', display: 'standalone', lang: 'en' });
  const purposes = manifest.icons.map(({ purpose }: { purpose: string }) => purpose);
  expect(purposes).toEqual(['any', 'any', 'maskable']);
  for (const { src, sizes } of manifest.icons) expect((await sizeOf(src)).join('x')).toBe(sizes);
  expect(await sizeOf('/icon-180.png')).toEqual([180, 180]);
  const faults = await session.send('Page.getInstallabilityErrors');
  // A window without a face installs nothing; nothing else is missing.
  expect(faults.installabilityErrors.map(({ errorId }) => errorId)).toEqual([]);
  await session.detach();
  await site.api.deps.options.reset(['SystemName']);
});

it('colours what is around the page as its theme is', async () => {
  const { page } = await site.visit({ user, width: PHONE, locale: 'en', theme: 'light' });
  await page.goto(`${base}/token`);
  const colours = () =>
    page
      .locator('meta[name=theme-color]')
      .evaluateAll((all) => all.map((meta) => meta.getAttribute('content')));
  expect(await colours()).toEqual(['#ffffff', '#ffffff']);
  await page.getByRole('button', { name: 'Switch to dark' }).click();
  expect(await colours()).toEqual(['#16191c', '#16191c']);
});

it('shows a page of its own when the server is away, and keeps nothing that is private', async () => {
  const visitor = await site.visit({ user, width: PHONE, locale: 'en', worker: true });
  const { page } = visitor;
  await page.goto(`${base}/token`);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  // Under the worker's care, with the account's name on them.
  for (const path of ['/token', '/personal', '/log', '/']) await page.goto(base + path);
  expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  expect(await page.content()).toContain(user.username);
  const kept = await page.evaluate(async () => {
    const all: { address: string; text: string }[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const text = (await (await cache.match(request))?.text()) ?? '';
        all.push({ address: new URL(request.url).pathname + new URL(request.url).search, text });
      }
    }
    return all;
  });
  expect(kept.map(({ address }) => address)).toEqual(['/offline.html?lang=en']);
  expect(kept.map(({ text }) => text).join('')).not.toContain(user.username);
  expect(visitor.complaints).toEqual([]);

  const { port } = server;
  await server.stop(true);
  await page.goto(`${base}/log?model=gpt-4o`);
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  expect(page.url()).toBe(`${base}/log?model=gpt-4o`);
  expect(await visitor.overflow()).toBe(0);

  server = Bun.serve({ hostname: '127.0.0.1', port: port ?? 0, fetch: (request) => site.handle(request) });
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage log' }).waitFor();
});

it('is of no account to who is not signed in', async () => {
  const { page } = await site.visit({ locale: 'en', worker: true });
  await page.goto(`${base}/login`);
  await page.waitForFunction(() => document.cookie.includes('tz='));
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
});
