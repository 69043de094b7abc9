/** What holds of tokens and their keys: copied, printed in code, made by the hundred. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { isDesk, type Prover, point, views, WHOLE } from './point.ts';

let lived: LivedIn;
let tokenId: number;
beforeAll(async () => {
  lived = await openLivedIn({ rows: 3 });
  const client = await lived.site.api.as(lived.user);
  tokenId = (await client.get('/api/token/page?keyword=laptop')).data.items[0].id;
}, SETTING_UP_MS);
afterAll(() => lived?.close());

const asUser = { site: () => lived.site, user: () => lived.user };

point(49, asUser, async ({ page, goto, button, t }) => {
  await goto('/token');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copy = button(t('token.copyKey', { name: 'laptop' }));
  const said = page.getByRole('status').filter({ hasText: t('app.copied') });
  // The old command, which a headless browser has no clipboard for: that it was asked is what counts.
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
    Object.assign(window, { selected: '' });
    document.execCommand = () => {
      const field = document.activeElement as HTMLTextAreaElement | null;
      Object.assign(window, { selected: field?.value ?? '' });
      return true;
    };
  });
  await copy.click();
  await said.first().waitFor();
  expect(await page.evaluate(() => (window as unknown as { selected: string }).selected)).toBe(
    `sk-${lived.key}`,
  );
  await said.first().waitFor({ state: 'detached' });
  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await copy.click();
  const byHand = page.getByRole('dialog', { name: t('app.copyByHand') });
  await byHand.waitFor();
  expect(await page.evaluate(() => getSelection()?.toString())).toContain(lived.key);
  expect(await said.count()).toBe(0);
  await byHand
    .getByRole('button', { name: t('app.close') })
    .first()
    .click();
  await byHand.waitFor({ state: 'detached' });
});

/** Runs a printed sample as a reader would, with the key in his environment. */
async function run(command: string[], cwd: string, home = cwd): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      API_KEY: `sk-${lived.key}`,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ').slice(0, 80)}: ${out}${err}`);
  return out;
}

const repository = join(import.meta.dir, '../..');
const shown = ({ page }: Prover, name: string) =>
  page.getByRole('region', { name }).locator('code, pre').first();

point(51, asUser, async (prover) => {
  const { page, goto, t } = prover;
  await goto(`/token/code/${tokenId}`);
  const printed = async (tab: string): Promise<string> => {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('region', { name: tab }).waitFor();
    await page.getByLabel(t('token.model'), { exact: true }).selectOption('gpt-4o');
    return (await shown(prover, tab).textContent()) ?? '';
  };
  const folder = await mkdtemp(join(process.env.TMPDIR ?? '/tmp', 'sample-'));
  const curl = await printed('curl');
  expect(curl).not.toContain(lived.key);
  // It streams: the words come one by one.
  expect(await run(['sh', '-c', curl], folder)).toMatch(/w0[\s\S]*w1[\s\S]*w2/);
  for (const tab of ['OpenAI SDK', 'Anthropic SDK']) {
    await page.getByRole('tab', { name: tab }).click();
    await page
      .getByRole('button', { name: 'Node', exact: true })
      .or(page.getByLabel(t('token.language')).getByText('Node'))
      .first()
      .click();
    const sample = await printed(tab);
    const file = join(repository, 'dist', `.sample-${process.pid}.mjs`);
    await Bun.write(file, sample);
    const ran = run([process.execPath, file], repository, folder);
    const said = await ran.finally(() => Bun.file(file).delete());
    expect({ tab, said }).toMatchObject({ said: expect.stringContaining('w0 w1 w2') });
  }
  return 'curl, OpenAI and Anthropic as printed';
});

const MANY = WHOLE ? 100 : 10;
let batches = 0;
/** On the phone nobody is asked how many. */
point(53, { ...asUser, views: views().filter(isDesk) }, async ({ page, goto, button, t, dialog }) => {
  const name = `worker${++batches}`;
  // One in the middle cannot be made at first, and the last not at all.
  const refusals = [Math.ceil(MANY / 3), MANY + 1];
  let asked = 0;
  const gate = Promise.withResolvers<void>();
  await page.route('**/api/token/', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    if (++asked === 3) await gate.promise;
    return refusals.includes(asked)
      ? route.fulfill({ json: { success: false, message: 'not now', code: 'X' } })
      : route.continue();
  });
  await goto('/token/add');
  await dialog.locator('input[name=name]').fill(name);
  await page.getByRole('button', { name: String(MANY), exact: true }).click();
  await page.locator('[role=dialog] button[type=submit]').click();
  // Two are there while the third is asked for.
  const bar = page.locator('[role=progressbar][aria-valuenow="2"]');
  await bar.waitFor();
  expect(await bar.getAttribute('aria-valuetext')).toBe(t('token.batchProgress', { done: 2, total: MANY }));
  gate.resolve();
  for (const [n, step] of [t('token.batchContinue'), t('token.batchStop')].entries()) {
    const done = n === 0 ? Math.ceil(MANY / 3) - 1 : MANY - 1;
    await page.getByText(t('token.batchFailed', { done, total: MANY, reason: 'not now' })).waitFor();
    await page.locator(`[role=progressbar][aria-valuenow="${done}"]`).waitFor();
    await button(step).click();
  }
  const made = MANY - 1;
  await page.getByText(t('token.batchDone', { count: made })).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), button(t('token.download')).click()]);
  const lines = (await Bun.file(await file.path()).text()).trimEnd().split('\n');
  const client = await lived.site.api.as(lived.user);
  const { items } = (await client.get(`/api/token/page?size=100&keyword=${name}`)).data;
  const stored = items.map((token: { name: string; key: string }) => `${token.name}\tsk-${token.key}`);
  expect(lines).toHaveLength(made);
  expect(lines.sort()).toEqual(stored.sort());
  await page.unrouteAll();
  return `${lines.length} keys in the file, one refused`;
});
