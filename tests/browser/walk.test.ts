/** One walk through the console: from the printed link to an answer of a model and its row in the log. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { PASSWORD } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const KEY = 'sk-upstream-of-the-walk';

let site: Site;
let upstream: Upstream;
beforeAll(async () => {
  [site, upstream] = await Promise.all([
    openSite('postgres', { SETUP_TOKEN: 'let-me-in' }),
    startUpstream({ words: 3 }),
  ]);
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await upstream.close();
});

it(
  'leads from the set-up over a channel and a token to an answer and its cost',
  async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;

    await visitor.goto('/setup?token=let-me-in');
    await page.getByRole('textbox', { name: 'Username' }).fill('root');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('radio', { name: /Public service/ }).check();
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.waitForURL((url) => url.pathname === '/');

    await visitor.goto('/channel/add');
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Name').fill('main');
    await drawer.getByLabel('Key', { exact: true }).fill(KEY);
    await drawer.getByLabel('Base URL').fill(upstream.base);
    await drawer.getByRole('combobox', { name: 'Models' }).fill('gpt-4o');
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Save and test' }).click();
    await drawer.getByText(/^Tested: gpt-4o answered in/).waitFor();

    await visitor.goto('/token/add');
    await page.locator('input[name=name]:focus').waitFor();
    await page.locator('input[name=name]').fill('mine');
    await page.getByRole('button', { name: 'Create token' }).click();
    const key = await page.getByRole('textbox', { name: 'Key' }).inputValue();
    expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    // The moment to see how it is used: the sample holds it whole.
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.getByRole('region', { name: 'curl' }).getByText(`Bearer ${key}`).waitFor();

    await visitor.goto('/token/chat');
    await page.getByRole('textbox', { name: 'Message' }).fill('How are you?');
    await page.keyboard.press('Enter');
    await page.getByRole('log', { name: 'Conversation' }).getByText('w0 w1 w2').waitFor();
    expect(upstream.chats.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(upstream.chats.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'How are you?' }]);

    // The call is charged behind its last word.
    const charged = page.getByRole('row').filter({ hasText: 'gpt-4o' }).first();
    do await visitor.goto('/log');
    while (!(await charged.isVisible()));
    expect(visitor.complaints).toEqual([]);
  },
  patience(120_000),
);
