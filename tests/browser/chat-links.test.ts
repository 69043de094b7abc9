/** Root names chat apps, and users open them with a token. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
let client: Client;
beforeAll(async () => {
  site = await openSite();
  const { userId } = await site.api.root();
  root = { id: userId ?? 0, username: 'root', role: 100 };
  una = await site.api.createUser({ username: 'una' });
  client = await site.api.as(una);
  await client.post('/api/token/', { name: 'laptop' });
}, patience(120_000));
afterAll(() => site.close());

const openMenu = async (page: import('playwright').Page, item: string) => {
  await page.getByRole('button', { name: 'More actions: laptop' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

it(
  'names them as rows with what each becomes, and as JSON',
  async () => {
    const visitor = await site.visit({ user: root, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/setting?tab=operation');
    const block = page.getByRole('region', { name: 'Chat links', exact: true });
    await block.getByRole('button', { name: 'Add link' }).click();
    await block.getByRole('textbox', { name: 'Name' }).fill('Elsewhere');
    const link = block.getByRole('textbox', { name: 'Link' });
    await link.fill('javascript:alert(1)');
    await block.getByText('a link must not begin with javascript:').waitFor();
    const host = site.base.replace('127.0.0.1', 'localhost');
    await link.fill(`${host}/model-hub?k={key}&u={address}`);
    await block.getByText(`${host}/model-hub?k=sk-KEY&u=${encodeURIComponent(site.base)}`).waitFor();
    await block.getByRole('button', { name: 'Save: Chat links' }).click();
    await page.getByText('Saved', { exact: false }).first().waitFor();
    await block.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = await block.getByRole('textbox').inputValue();
    expect(JSON.parse(text)).toEqual([{ Elsewhere: `${host}/model-hub?k={key}&u={address}` }]);
    expect(site.api.deps.options.get('Chats')).toEqual(JSON.parse(text));
    expect(visitor.complaints).toEqual([]);
  },
  PATIENCE_MS,
);

describe('the menu of a token', () => {
  it(
    'leads nowhere itself where the browser opens no tab, and shows a link',
    async () => {
      const host = site.base.replace('127.0.0.1', 'localhost');
      await site.api.deps.options.set({
        Chats: JSON.stringify([{ Elsewhere: `${host}/model-hub?k={key}` }]),
      });
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.evaluate(() => {
        window.open = () => null;
      });
      await openMenu(page, 'Open in Elsewhere');
      const question = page.getByRole('alertdialog');
      await question.getByRole('button', { name: 'Open' }).click();
      const link = question.getByRole('link', { name: new URL(host).host });
      await link.waitFor();
      expect(await link.getAttribute('href')).toMatch(/\?k=sk-\w{48}$/);
      expect(new URL(page.url()).pathname).toBe('/token');
      await question.getByRole('button', { name: 'Close' }).click();
      await question.waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );

  it(
    'asks before it gives the key away, and opens the app with it',
    async () => {
      const host = site.base.replace('127.0.0.1', 'localhost');
      await site.api.deps.options.set({
        Chats: JSON.stringify([
          { Elsewhere: `${host}/model-hub?k={key}&u={address}` },
          { Hub: '{address}/model-hub' },
        ]),
      });
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await openMenu(page, 'Open in Elsewhere');
      const question = page.getByRole('alertdialog');
      await question.getByText(`Give the key of the token “laptop” to ${new URL(host).host}?`).waitFor();
      const opened = page.context().waitForEvent('page');
      await question.getByRole('button', { name: 'Open' }).click();
      const tab = await opened;
      await tab.waitForURL('**/model-hub?**');
      const query = new URL(tab.url()).searchParams;
      const [{ key }] = (await client.get('/api/token/?size=1')).data;
      expect([query.get('k'), query.get('u')]).toEqual([`sk-${key}`, site.base]);
      expect(await tab.evaluate(() => window.opener)).toBeNull();
      expect(page.url()).not.toContain(key);
      await question.waitFor({ state: 'detached' });
      // Nothing is given away where nothing is asked for.
      const second = page.context().waitForEvent('page');
      await openMenu(page, 'Open in Hub');
      await (await second).waitForURL(`${site.base}/model-hub`);
      // What the browser keeps may be anybody's: it is read, and judged once more.
      await page.evaluate(() => localStorage.setItem('chats', '{'));
      await openMenu(page, 'Open in Hub');
      await page.getByText('The chat data cannot be read').waitFor();
      await page.evaluate(() => localStorage.setItem('chats', '[{"Hub":"javascript:alert(1)"}]'));
      await openMenu(page, 'Open in Hub');
      await page.getByText('Chat link configuration error, contact admin').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('the rows', () => {
  looksRight({
    name: 'setting-chats',
    async open(locale) {
      await site.api.deps.options.set({
        Chats:
          '[{"Cherry Studio":"cherrystudio://providers/api-keys?data={key}"},{"Lobe":"https://chat.example/?k={key}&u={address}/v1"}]',
      });
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/setting?tab=operation');
      await visitor.page.getByRole('region', { name: /^(聊天链接|Chat links)$/ }).scrollIntoViewIfNeeded();
      return visitor;
    },
  });
});
