import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const KEY = 'sk-upstream-0123456789abcdef';
const PATIENCE_MS = patience(60_000);

describe('the channel page', () => {
  let upstream: Upstream;
  let site: Site;
  let rootUser: TestUser;
  let root: Client;

  beforeAll(async () => {
    [upstream, site] = await Promise.all([startUpstream(), openSite()]);
    rootUser = await site.api.createUser({ username: 'root', role: 100 });
    root = await site.api.as(rootUser);
    await root.put('/api/option/', { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' });
  }, patience(120_000));
  afterAll(async () => {
    await site.close();
    await upstream.close();
  });

  const visit = quietVisits(
    () => site,
    () => ({ user: rootUser }),
  );
  const open = async (path: string): Promise<Page> => (await visit(path)).page;

  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `More actions: ${name}` }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const stored = async (name: string) =>
    (await root.get('/api/channel/?page_size=100')).data.items.find(
      (channel: { name: string }) => channel.name === name,
    );

  it(
    'adds a channel, tests it, and never shows its key',
    async () => {
      const visitor = await visit('/channel');
      const { page } = visitor;
      await expectText(page, 'No channels yet');
      await page.getByRole('link', { name: 'Anthropic' }).click();
      expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('14');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('link', { name: 'Add channel' }).first().click();
      const drawer = page.getByRole('dialog');

      await drawer.getByRole('button', { name: 'Save and test' }).click();
      await expectText(page, 'Please fill channel name and key');
      await expectText(page, 'Select at least one model');

      await drawer.getByLabel('Name').fill('main');
      await drawer.getByLabel('Key', { exact: true }).fill(KEY);
      await drawer.getByLabel('Base URL').fill(`${upstream.base}/v1/`);
      await drawer.getByRole('button', { name: 'Remove it' }).click();
      expect(await drawer.getByLabel('Base URL').inputValue()).toBe(upstream.base);
      await drawer.getByRole('combobox', { name: 'Models' }).fill('gpt-4o,gpt-4o-mini');
      await page.keyboard.press('Enter');
      await drawer.getByRole('combobox', { name: 'Models' }).fill('gpt-4o,o3');
      await page.keyboard.press('Enter');
      await expectText(page, 'Some models already exist: gpt-4o');
      await drawer.getByRole('button', { name: 'Save and test' }).click();

      await drawer.getByText(/^Tested: \S+ answered in/).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/channel/edit/${(await stored('main')).id}`);
      expect(upstream.chats.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect(await stored('main')).toMatchObject({ models: 'gpt-4o,gpt-4o-mini,o3', group: 'default' });

      await page.reload();
      await drawer.getByText(/^Last test: answered in/).waitFor();
      const path = new URL(page.url()).pathname;
      for (const html of [await page.content(), await visitor.html('/channel'), await visitor.html(path)]) {
        expect(html).toContain('main');
        expect(html).not.toContain(KEY);
      }
    },
    PATIENCE_MS,
  );

  it(
    'offers the models that the upstream lists to be chosen, and asks for the key that this needs',
    async () => {
      const page = await open('/channel/add');
      const drawer = page.getByRole('dialog');
      await drawer.getByLabel('Base URL').fill(upstream.base);
      await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
      await expectText(page, 'Please fill key');
      await drawer.getByLabel('Key', { exact: true }).fill(KEY);
      await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
      const choice = page.getByRole('dialog', { name: 'Choose models' });
      await choice.getByText('The upstream lists 2, 2 of them new here.').waitFor();
      // Neither has a price, so that nothing is left out.
      await choice.getByText('2 models chosen').waitFor();
      expect(await choice.getByRole('listitem').allTextContents()).toEqual([
        'mock-anewno price',
        'mock-bnewno price',
      ]);
      await choice.getByRole('searchbox').fill('-b');
      await choice.getByRole('button', { name: 'None' }).click();
      await choice.getByRole('searchbox').fill('none such');
      await choice.getByText('No model matches.').waitFor();
      await choice.getByRole('button', { name: 'Use 1 model', exact: true }).click();
      await expectText(page, 'The upstream has 2 models, 1 of them new here');
      await drawer.getByText('No price: mock-a.').waitFor();
      // What is there is ticked the next time, and taken away when it is not.
      await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
      expect(await choice.getByRole('checkbox', { name: 'mock-a' }).isChecked()).toBe(true);
      await choice.getByRole('checkbox', { name: 'mock-a' }).uncheck();
      await choice.getByRole('checkbox', { name: 'mock-b' }).check();
      await choice.getByRole('button', { name: 'Use 1 model', exact: true }).click();
      await drawer.getByRole('button', { name: 'Remove mock-b' }).waitFor();
      expect(await drawer.getByRole('button', { name: 'Remove mock-a' }).count()).toBe(0);
      await drawer.getByRole('button', { name: 'Fill the type’s defaults' }).click();
      await drawer.getByRole('button', { name: 'Remove gpt-4o', exact: true }).waitFor();
      await drawer.getByRole('button', { name: 'Clear' }).click();
      expect(await drawer.getByRole('button', { name: 'Remove mock-b' }).count()).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    'warns of models without a price, saves them all the same, and leads to where they are priced',
    async () => {
      const page = await open('/channel/add');
      const drawer = page.getByRole('dialog');
      await drawer.getByLabel('Name').fill('dear');
      await drawer.getByLabel('Key', { exact: true }).fill(KEY);
      await drawer.getByLabel('Base URL').fill(upstream.base);
      await drawer.getByRole('combobox', { name: 'Models' }).fill('gpt-4o,dear-a,dear-b,');
      await page.keyboard.press('Enter');
      await drawer.getByText('No price: dear-a, dear-b.').waitFor();
      await drawer.getByText('Prices can be set once the channel is saved.').waitFor();
      await drawer.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('2 models of this channel have no price').waitFor();
      const { id } = await stored('dear');
      await page.getByRole('button', { name: 'Set prices' }).click();
      await page.getByText('Models of the channel “dear”').waitFor();
      expect(new URL(page.url()).search).toBe(`?sub=unpriced&channel=${id}`);
      await page.getByLabel('Input price').fill('2');
      await page.getByLabel('Output price').fill('6');
      await page.getByRole('button', { name: 'Set 2 models' }).click();
      await page.getByText('Every model of this channel has a price.').waitFor();

      const again = await open(`/channel/edit/${id}`);
      const form = again.getByRole('dialog');
      await form.getByRole('combobox', { name: 'Models' }).fill('dear-c,');
      await again.keyboard.press('Enter');
      await form.getByText('No price: dear-c.').waitFor();
      await form.getByRole('button', { name: 'Save and test' }).click();
      await form.getByText(/^Tested: gpt-4o answered in/).waitFor();
      await form.getByRole('link', { name: 'Set prices' }).click();
      await again.getByText('Models of the channel “dear”').waitFor();
      expect(await again.getByLabel('Select dear-c').isChecked()).toBe(true);
      expect(await again.getByLabel('Select dear-a').count()).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    'shows a failed test in place, with everything that was typed still there',
    async () => {
      const page = await open('/channel/add');
      const drawer = page.getByRole('dialog');
      await drawer.getByLabel('Name').fill('refused');
      await drawer.getByLabel('Key', { exact: true }).fill(KEY);
      await drawer.getByLabel('Base URL').fill(upstream.base);
      await drawer.getByRole('combobox', { name: 'Models' }).fill('gpt-4o@401,');
      await page.keyboard.press('Enter');
      await drawer.getByRole('button', { name: 'Save and test' }).click();
      await drawer.getByText(/^Saved, but the test failed: /).waitFor();
      expect(await drawer.getByLabel('Name').inputValue()).toBe('refused');
    },
    PATIENCE_MS,
  );

  it(
    'edits without asking for the key again, and asks for it when the address changes',
    async () => {
      const { id } = await stored('main');
      const page = await open(`/channel/edit/${id}`);
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('button', { name: 'Save', exact: true }).click();
      await expectText(page, 'You seem to have changed nothing');

      await drawer.getByLabel('Base URL').fill('https://elsewhere.example');
      await drawer.getByRole('button', { name: 'Save', exact: true }).click();
      await expectText(page, 'A new address needs the key again');
      await drawer.getByLabel('Base URL').fill(upstream.base);

      await drawer.getByRole('button', { name: 'Edit as JSON' }).click();
      const mapping = drawer.getByLabel('Model mapping');
      await mapping.fill('{"o3":');
      await mapping.blur();
      await drawer.getByText(/^Not a valid JSON string/).waitFor();
      await mapping.fill('{"o3":"o3-upstream"}');
      await drawer.getByRole('button', { name: 'Edit as rows' }).click();
      await drawer.getByLabel('Upstream model').fill('o3-prod');

      await drawer.getByRole('combobox', { name: 'Groups' }).fill('vip');
      await page.keyboard.press('Enter');
      await drawer.getByRole('button', { name: 'Advanced' }).click();
      await drawer.getByLabel('Tag').fill('eu');
      await drawer.getByRole('button', { name: 'Save', exact: true }).click();
      await drawer.waitFor({ state: 'detached' });
      expect(await stored('main')).toMatchObject({
        group: 'default,vip',
        tag: 'eu',
        model_mapping: '{\n  "o3": "o3-prod"\n}',
        key_count: 1,
      });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'asks before typed text is thrown away',
    async () => {
      const page = await open('/channel');
      await page.getByRole('link', { name: 'Add channel' }).click();
      await page.getByLabel('Name', { exact: true }).fill('half');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keep editing' }).click();
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('half');
    },
    PATIENCE_MS,
  );

  it(
    'saves numbers in place: Enter saves, Escape restores, a refusal puts the old one back and says why',
    async () => {
      const page = await open('/channel');
      const priority = page.getByLabel('Priority of main');
      await priority.fill('7');
      const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
      // It is shown for two seconds, which may be over before the answer is heard of here.
      const shown = page.waitForFunction(() =>
        document.querySelector('[aria-label="Priority of main"].text-ok'),
      );
      await priority.press('Enter');
      await Promise.all([saved, shown]);
      expect(await stored('main')).toMatchObject({ priority: 7, weight: 0 });

      await priority.fill('99');
      await priority.press('Escape');
      expect(await priority.inputValue()).toBe('7');

      const weight = page.getByLabel('Weight of main');
      await weight.fill('-1');
      await weight.blur();
      await expectText(page, 'Weight of main: Weight must be a non-negative integer');
      expect(await weight.inputValue()).toBe('0');
      expect(await stored('main')).toMatchObject({ priority: 7, weight: 0 });
    },
    PATIENCE_MS,
  );

  it(
    'keeps a number that is being typed, and the focus, when its row comes anew',
    async () => {
      const page = await open('/channel');
      const [weight, priority] = [page.getByLabel('Weight of main'), page.getByLabel('Priority of main')];
      const { id } = await stored('main');
      await priority.fill('55');
      await root.put('/api/channel/', { id, priority: 8, weight: 3 });
      // A click would leave the field, which saves it.
      await page.getByRole('button', { name: 'Refresh' }).dispatchEvent('click');
      await page.waitForFunction(
        () => document.querySelector<HTMLInputElement>('[aria-label="Weight of main"]')?.value === '3',
      );
      expect([await weight.inputValue(), await priority.inputValue()]).toEqual(['3', '55']);
      expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Priority of main');
      await page.keyboard.press('Escape');
      expect(await priority.inputValue()).toBe('8');
      await root.put('/api/channel/', { id, priority: 7, weight: 0 });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'puts the old number back when the server refuses the new one',
    async () => {
      const page = await open('/channel');
      await page.route('**/api/channel/', (call) =>
        call.fulfill({ json: { success: false, message: 'no more', code: 'X' } }),
      );
      const weight = page.getByLabel('Weight of main');
      await weight.fill('5');
      await weight.blur();
      await expectText(page, 'Weight of main: no more');
      expect(await weight.inputValue()).toBe('0');
    },
    PATIENCE_MS,
  );

  it(
    'tests, disables and enables from the row',
    async () => {
      const page = await open('/channel');
      await act(page, 'main', 'Test');
      await page.getByText(/^main answered in/).waitFor();
      await act(page, 'refused', 'Test');
      await page.getByText(/^refused failed its test: /).waitFor();
      await act(page, 'main', 'Disable');
      await row(page, 'main').getByText('Off', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row(page, 'main').getByText('On', { exact: true }).waitFor();
      expect(await stored('main')).toMatchObject({ status: 1 });
    },
    PATIENCE_MS,
  );

  it(
    'says why the gateway switched a channel off',
    async () => {
      await site.api.deps.db.query(
        `update channels set status = 3, other_info = '{"status_reason":"401 five times","status_time":1700000000}' where name = 'refused'`,
      );
      const page = await open('/channel?status=3');
      await page.getByRole('button', { name: 'Why refused is off' }).click();
      const popover = page.getByRole('dialog', { name: 'Why refused is off' });
      await popover.getByText('401 five times').waitFor();
      await popover.getByText('Not by itself').waitFor();
      await popover.getByRole('button', { name: 'Enable' }).click();
      await expectText(page, 'No channel matches');
      expect(await stored('refused')).toMatchObject({ status: 1 });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'says when a channel that it switched off is tested again, and keeps a long reason on its card',
    async () => {
      const at = Math.floor(Date.now() / 1000) - 30;
      const reason =
        'You exceeded your current quota, please check your plan and your billing details. '.repeat(3);
      const info = { status_reason: reason, status_time: at };
      await site.api.deps.db.query(
        `update channels set status = 3, other_info = $1::text::jsonb where name = 'refused'`,
        [JSON.stringify(info)],
      );
      await root.put('/api/option/', { key: 'AutomaticEnableChannelEnabled', value: true });
      const page = await open('/channel?status=3');
      await page.getByRole('button', { name: 'Why refused is off' }).click();
      const popover = page.getByRole('dialog', { name: 'Why refused is off' });
      await popover.getByText('in 4 min').waitFor();
      const phone = await visit('/channel?status=3', { width: 390 });
      await phone.page.getByText('You exceeded your current quota').first().waitFor();
      expect(await phone.overflow()).toBe(0);
      await root.put('/api/option/', { key: 'AutomaticEnableChannelEnabled', value: null });
      await site.api.deps.db.query(
        `update channels set status = 1, other_info = '{}' where name = 'refused'`,
      );
    },
    PATIENCE_MS,
  );

  inLong.it(
    'keeps its filters in the address',
    async () => {
      const page = await open('/channel');
      await page.getByRole('searchbox', { name: 'Name, id or address' }).fill('refus');
      await page.waitForURL('**/channel?q=refus');
      await page.getByLabel('All groups').selectOption('vip');
      await expectText(page, 'No channel matches');
      await page.reload();
      expect(await page.getByLabel('All groups').inputValue()).toBe('vip');
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await row(page, 'main').waitFor();
      expect(new URL(page.url()).search).toBe('');
    },
    PATIENCE_MS,
  );

  inLong.it(
    'finds a channel by its key, and keeps the key out of the address',
    async () => {
      const page = await open('/channel?group=vip');
      await page.getByRole('button', { name: 'Find by key' }).click();
      const key = page.getByRole('dialog').getByLabel('Key');
      await key.fill('sk-nobody-uses-this');
      await page.keyboard.press('Enter');
      await expectText(page, 'No channel uses this key.');
      await key.fill(KEY);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/channel?q=main');
      await row(page, 'main').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'copies a channel with its key, which never leaves the server',
    async () => {
      const visitor = await visit('/channel');
      const { page } = visitor;
      await act(page, 'main', 'Copy');
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('heading', { name: 'main copy' }).waitFor();
      expect(await drawer.getByLabel('Key', { exact: true }).inputValue()).toBe('');
      expect(await page.content()).not.toContain(KEY);
      const { id, models, model_mapping, tag } = await stored('main');
      const copy = await stored('main copy');
      expect(copy).toMatchObject({ models, model_mapping, tag, key_count: 1 });
      expect(copy.id).not.toBe(id);
      await page.goBack();
      await row(page, 'main copy').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'deletes after a question that names the channel',
    async () => {
      const { id } = await stored('main copy');
      const page = await open('/channel');
      await act(page, 'main copy', 'Delete');
      const question = page.getByRole('alertdialog');
      await question.getByText(`Delete the channel “main copy” (id ${id})?`).waitFor();
      await question.getByText('Requests to 3 models lose this channel.').waitFor();
      await question.getByRole('button', { name: 'Delete' }).click();
      await expectText(page, 'Deleted main copy');
      await row(page, 'main copy').waitFor({ state: 'detached' });
      expect(await stored('main copy')).toBeUndefined();
    },
    PATIENCE_MS,
  );

  inLong.it('is refused to a user', async () => {
    const visitor = await site.visit({ user: await site.api.createUser(), locale: 'en' });
    const answer = await visitor.page.goto('/channel');
    expect(answer?.status()).toBe(403);
    await expectText(visitor.page, 'No permission');
    expect(await visitor.page.content()).not.toContain(upstream.base);
  });

  describe.each(['list', 'add', 'edit'])('the %s', (what) => {
    looksRight({
      name: `channel-${what}`,
      async open(locale) {
        const paths: Record<string, string> = {
          list: '/channel',
          add: '/channel/add',
          edit: `/channel/edit/${(await stored('main')).id}`,
        };
        const visitor = await site.visit({ user: rootUser, locale, stays: true });
        await visitor.goto(paths[what] ?? '');
        if (what !== 'list') await visitor.page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });
});

const expectText = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
