/** What is smaller than a finger where one page alone leads: setting up, paying, letting an application in. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { openSite, type Site } from '../support/browser.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { tooSmall } from '../support/touch.ts';
import { isPhone, type Prover, point, views } from './point.ts';

let fresh: Site;
let lived: LivedIn;
beforeAll(async () => {
  [fresh, lived] = await Promise.all([
    openSite('pglite', { SETUP_TOKEN: 'let-me-in' }),
    openLivedIn({ rows: 3 }),
  ]);
}, SETTING_UP_MS);
afterAll(async () => {
  await fresh?.close();
  await lived?.close();
});

const phones = views().filter(isPhone);
const nothingSmall = async ({ page }: Prover, where: string) =>
  expect({ where, small: await tooSmall(page) }).toEqual({ where, small: [] });

point(14, { site: () => fresh, views: phones }, async (prover) => {
  const { page, goto, t } = prover;
  expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true);
  await goto('/setup?token=let-me-in');
  await nothingSmall(prover, 'who administers');
  await page.getByRole('textbox', { name: t('setup.username') }).fill('root');
  await page.getByLabel(t('setup.password'), { exact: true }).fill('Passw0rd1');
  await page.getByLabel(t('setup.confirm')).fill('Passw0rd1');
  await page.getByRole('button', { name: t('setup.continue') }).click();
  await page.getByRole('button', { name: t('setup.finish') }).waitFor();
  await nothingSmall(prover, 'how it is used');
});

point(14, { site: () => lived.site, user: () => lived.root, views: phones }, async (prover) => {
  const { goto } = prover;
  for (const path of ['/payment', '/topup']) {
    await goto(path);
    await nothingSmall(prover, path);
  }
});

let networks = 0;
point(14, { site: () => lived.site, user: () => lived.user, views: phones }, async (prover) => {
  const { page, goto } = prover;
  const app = lived.site.api.guest({ ip: `198.51.100.${++networks}` });
  const { data } = await app.post('/api/request_bind', { name: 'AiPy' });
  await goto(`/approve?code=${new URL(data.approval_url).searchParams.get('code')}`);
  await page.locator('main [data-step] button').first().waitFor();
  await nothingSmall(prover, 'asked');
  await page.getByRole('button', { name: prover.t('approve.reject') }).click();
  await page.locator('[data-step=rejected]').waitFor();
  await nothingSmall(prover, 'rejected');
});
