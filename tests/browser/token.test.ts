/** What people do on the token page, as they do it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, type Site, type Visitor } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let site: Site;
let upstream: Upstream;
let user: TestUser;
let client: Client;

beforeAll(async () => {
  [site, upstream] = await Promise.all([openSite(), startUpstream({ words: 6 })]);
  const root = await site.api.root();
  await site.api.deps.options.set({ ModelRatio: '{"gpt-4o":1}', CompletionRatio: '{"gpt-4o":1}' });
  const channel = {
    name: 'mock',
    type: 1,
    key: 'sk-up',
    base_url: upstream.base,
    models: 'gpt-4o',
    group: 'default',
  };
  expect((await root.post('/api/channel/', channel)).message).toBe('');
  user = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  client = await site.api.as(user);
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await upstream.close();
});

const make = (name: string, more: object = {}): Promise<{ id: number; key: string }> =>
  client.made('/api/token/', { name, ...more });
const tokenOf = async (name: string) =>
  (await client.get(`/api/token/page?keyword=${name}`)).data.items.find(
    (token: { name: string }) => token.name === name,
  );
/** Tests share the account, not their tokens. */
afterEach(async () => {
  const { items } = (await client.get('/api/token/page?size=100')).data;
  await client.post('/api/token/batch', { ids: items.map(({ id }: { id: number }) => id) });
});

const arrive = async (path: string, options: Parameters<Site['visit']>[0] = {}): Promise<Visitor> => {
  const visitor = await site.visit({ user, locale: 'en', ...options });
  await visitor.goto(path);
  return visitor;
};
const name = (visitor: Visitor) => visitor.page.getByRole('textbox', { name: 'Name' });
const dialog = (visitor: Visitor) => visitor.page.getByRole('dialog');

describe('a drawer', () => {
  inLong.it(
    'opens over its list, closes with the back button, and opens again with its address',
    async () => {
      for (let n = 1; n <= 12; n++) await make(`row-${n}`);
      const visitor = await arrive('/token?p=2');
      const { page } = visitor;
      await page.getByRole('link', { name: 'Use row-2 in code' }).click();
      await dialog(visitor).waitFor();
      expect(page.url()).toMatch(/\/token\/code\/\d+\?p=2$/);
      await page.goBack();
      await dialog(visitor).waitFor({ state: 'detached' });
      expect(page.url()).toEndWith('/token?p=2');
      await page.goForward();
      await dialog(visitor).waitFor();
      await page.reload();
      await dialog(visitor).waitFor();
      await page.keyboard.press('Escape');
      await page.waitForURL('**/token?p=2');
      expect(await page.getByRole('row').count()).toBe(3);
      expect(visitor.complaints).toEqual([]);
    },
  );

  inLong.it('goes back instead of on when it was opened from the list', async () => {
    const visitor = await arrive('/token');
    const { page } = visitor;
    const before = await page.evaluate(() => history.length);
    await page.getByRole('link', { name: 'Create token' }).first().click();
    await dialog(visitor).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog(visitor).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => history.length)).toBe(before + 1);
    await page.goForward();
    await dialog(visitor).waitFor();
  });

  it('asks before it loses what was typed', async () => {
    const visitor = await arrive('/token/add');
    const { page } = visitor;
    await name(visitor).fill('half');
    await page.mouse.click(20, 400);
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Keep editing');
    await page.keyboard.press('Enter');
    expect(await name(visitor).inputValue()).toBe('half');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL('**/token');
  });
});

describe('the drawer of another token', () => {
  it('edits that one, whatever was typed for the last', async () => {
    const [first, second] = [await make('first'), await make('second')];
    const visitor = await arrive(`/token/edit/${first.id}`);
    await name(visitor).fill('draft');
    await visitor.leap(`/token/edit/${second.id}`);
    await dialog(visitor)
      .getByText(/^second · sk-/)
      .waitFor();
    expect(await name(visitor).inputValue()).toBe('second');
    await name(visitor).fill('renamed');
    await visitor.page.getByRole('button', { name: 'Save', exact: true }).click();
    await visitor.page.getByText('Updated', { exact: true }).waitFor();
    expect([(await tokenOf('first'))?.id, (await tokenOf('renamed'))?.id]).toEqual([first.id, second.id]);
  });

  inLong.it('shows that one in code, and no key of the last', async () => {
    const [first, second] = [await make('first'), await make('second')];
    const visitor = await arrive(`/token/code/${first.id}`);
    const { page } = visitor;
    const sample = page.getByRole('tabpanel');
    await page.getByRole('button', { name: 'Insert my key into the sample' }).click();
    await page.getByText(first.key).waitFor();
    await visitor.leap(`/token/code/${second.id}`);
    await dialog(visitor)
      .getByText(/^Token second/)
      .waitFor();
    expect(await sample.textContent()).not.toContain(first.key);
  });

  inLong.it('is not called while that one is off, and says so', async () => {
    const { id } = await make('resting');
    await client.put('/api/token/?status_only=true', { id, status: 2 });
    const { page } = await arrive(`/token/code/${id}`);
    await page.getByText('Calls with this token are refused: Off').waitFor();
    expect(await page.getByRole('button', { name: 'Try it' }).isDisabled()).toBe(true);
  });
});

describe('making a token', () => {
  it('judges the form, sends it once, and shows the key', async () => {
    const visitor = await arrive('/token/add');
    const { page } = visitor;
    await page.locator('input[name=name]:focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Token name cannot be empty').waitFor();
    await page.getByText('1 field needs attention').waitFor();
    expect(await name(visitor).evaluate((field) => field === document.activeElement)).toBe(true);

    await name(visitor).fill('ci');
    await page.getByRole('textbox', { name: 'Expires' }).fill('2026-13-40');
    const amounts = page.getByRole('group', { name: 'Usual amounts' }).getByRole('button');
    expect(await amounts.allTextContents()).toEqual([
      '$1.00',
      '$10.00',
      '$50.00',
      '$100.00',
      '$500.00',
      '$1,000.00',
    ]);
    await page.getByRole('button', { name: '$10.00' }).click();
    expect(await page.getByText('Expiry time format error').isVisible()).toBe(true);
    await page.getByRole('button', { name: '1 day' }).click();
    await page.getByRole('button', { name: 'Create token' }).dblclick();

    const key = page.getByRole('textbox', { name: 'Key' });
    await key.waitFor();
    expect(await key.inputValue()).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    const { items } = (await client.get('/api/token/page')).data;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ name: 'ci', remain_quota: 5_000_000, group: '' });
    expect(items[0].expired_time - Date.now() / 1000).toBeCloseTo(86_400, -3);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByRole('row', { name: /^Select ci ci/ }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  inLong.it('keeps everything when the server refuses', async () => {
    const visitor = await arrive('/token/add');
    const { page } = visitor;
    await name(visitor).fill('walled');
    await page.getByRole('button', { name: 'More limits' }).click();
    await page.getByRole('textbox', { name: 'Allowed source addresses' }).fill('not an address');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Not a valid address or network: not an address').waitFor();
    expect(await name(visitor).inputValue()).toBe('walled');
    // What was refused is mended, and the token keeps off its owner's own keys.
    await page.getByRole('textbox', { name: 'Allowed source addresses' }).fill('');
    const ownKeys = page.getByRole('switch', { name: 'May use my own keys at suppliers' });
    expect(await ownKeys.isChecked()).toBe(true);
    await ownKeys.uncheck({ force: true });
    await page.getByText('1 differs from the default').waitFor();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog').getByText('walled').first().waitFor();
    const made = await site.api.deps.db.query(`select own_keys from tokens where name = 'walled'`);
    expect(made).toEqual([{ own_keys: false }]);
  });

  it('makes many, each with its own name, and hands their keys over as a file', async () => {
    const visitor = await arrive('/token/add');
    const { page } = visitor;
    await name(visitor).fill('worker');
    await page.getByRole('button', { name: '10', exact: true }).click();
    await page.getByText(/like worker-[a-z0-9]{6}/).waitFor();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Added 10 tokens').waitFor();
    const palette = async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('Wallet');
      await page.getByRole('option', { name: /^Wallet/ }).click();
    };
    for (const leave of [() => page.getByRole('button', { name: 'Back to the list' }).click(), palette]) {
      await leave();
      await page.getByRole('button', { name: 'Go back and save' }).click();
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    }
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).dismiss();
    expect(page.url()).toEndWith('/token/add');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download text file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('worker.txt');
    const lines = (await Bun.file(await download.path()).text()).trimEnd().split('\n');
    const { items } = (await client.get('/api/token/page?size=100')).data;
    const stored = items.map((token: { name: string; key: string }) => `${token.name}\tsk-${token.key}`);
    expect(lines.sort()).toEqual(stored.sort());
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.waitForURL('**/token');
  });
});

describe('leaving while many are made', () => {
  it('asks first, and then makes no more', async () => {
    const visitor = await arrive('/token');
    const { page } = visitor;
    let asked = 0;
    const third = Promise.withResolvers<void>();
    await page.route('**/api/token/', async (route) => {
      if (route.request().method() === 'POST' && ++asked === 3) await third.promise;
      return route.continue();
    });
    await page.getByRole('link', { name: 'Create token' }).first().click();
    await name(visitor).fill('half');
    await page.getByRole('button', { name: '10', exact: true }).click();
    await dialog(visitor).getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Created 2 of 10').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.goBack();
    const question = page.getByRole('alertdialog', { name: 'Stop making tokens?' });
    await question.getByRole('button', { name: 'Close anyway' }).click();
    await page.waitForURL('**/token');
    await dialog(visitor).waitFor({ state: 'detached' });
    third.resolve();
    await page.getByRole('row', { name: /half/ }).nth(2).waitFor();
    expect(asked).toBe(3);
    await page.unrouteAll();
  });
});

describe('changing tokens', () => {
  it('edits one, sending only what was meant', async () => {
    const { id } = await make('old', {
      remain_quota: 700,
      model_limits_enabled: true,
      model_limits: 'gpt-4o',
    });
    const visitor = await arrive(`/token/edit/${id}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Remove gpt-4o' }).waitFor();
    await name(visitor).fill('new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/token');
    await page.getByText('Updated').waitFor();
    expect(await tokenOf('new')).toMatchObject({
      id,
      remain_quota: 700,
      model_limits: 'gpt-4o',
      expired_time: -1,
    });
  });

  inLong.it('disables and takes it back', async () => {
    await make('lamp');
    const visitor = await arrive('/token');
    const { page } = visitor;
    await page.getByRole('button', { name: 'More actions: lamp' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Operation completed: disabled lamp').waitFor();
    await page.getByRole('cell', { name: 'Off', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('cell', { name: 'On', exact: true }).waitFor();
    expect((await tokenOf('lamp')).status).toBe(1);
  });

  inLong.it('says why an expired one cannot be enabled', async () => {
    const { id } = await make('gone', { expired_time: 2_000_000_000 });
    await site.api.deps.db.query(`update tokens set expired_time = 1 where id = ${id}`);
    const { page } = await arrive('/token?status=3');
    await page.getByRole('button', { name: 'More actions: gone' }).click();
    const item = page.getByRole('menuitem', { name: /Enable/ });
    expect(await item.textContent()).toContain('Expired: change its expiry first');
    expect(await item.getAttribute('aria-disabled')).toBe('true');
  });

  it('deletes after a question whose safe answer has the focus', async () => {
    await make('doomed');
    const { page } = await arrive('/token');
    await page.getByRole('button', { name: 'More actions: doomed' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the token “doomed”?' });
    await question.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No tokens yet').waitFor();
    expect(await tokenOf('doomed')).toBeUndefined();
  });

  inLong.it('does the same to several', async () => {
    for (const one of ['one', 'two', 'three']) await make(one);
    const { page } = await arrive('/token');
    await page.getByRole('checkbox', { name: 'Select one' }).check();
    await page.getByRole('checkbox', { name: 'Select two' }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Operation completed: 2 tokens').waitFor();
    expect([
      (await tokenOf('one')).status,
      (await tokenOf('two')).status,
      (await tokenOf('three')).status,
    ]).toEqual([2, 2, 1]);
  });
});

describe('choosing tokens', () => {
  inLong.it('ends with the page', async () => {
    for (let n = 1; n <= 12; n++) await make(`row-${n}`);
    const { page } = await arrive('/token');
    const all = page.getByRole('checkbox', { name: 'Select this page' });
    await all.check();
    await page.getByText('10 selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select row-12' }).uncheck();
    await page.getByText('9 selected').waitFor();
    expect(await all.evaluate((box) => box instanceof HTMLInputElement && box.indeterminate)).toBe(true);
    await page.getByRole('link', { name: 'Page 2' }).click();
    await page.getByRole('row', { name: /row-1 / }).waitFor();
    expect(await page.getByText('selected').count()).toBe(0);
    await page.getByRole('link', { name: 'Page 1', exact: true }).click();
    await page.getByRole('row', { name: /row-12/ }).waitFor();
    expect(await all.isChecked()).toBe(false);
    expect(await page.getByText('selected').count()).toBe(0);
  });
});

describe('finding tokens', () => {
  it('searches, filters and sorts by the address, and says when nothing matches', async () => {
    for (const one of ['alpha', 'beta', '123']) await make(one);
    const visitor = await arrive('/token');
    const { page } = visitor;
    const rows = () => page.locator('tbody tr').count();
    await page.getByRole('searchbox').fill('123');
    await page.waitForURL('**/token?q=123');
    await page.getByText('1 token', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.waitForURL('**/token');
    await page.getByRole('link', { name: 'Name' }).click();
    await page.waitForURL('**/token?sort=-name');
    await page.locator('th[aria-sort=descending]', { hasText: 'Name' }).waitFor();
    await page.getByRole('combobox', { name: 'All statuses' }).selectOption('2');
    await page.getByText('No token matches').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.waitForURL('**/token?sort=-name');
    await page.getByText('alpha').waitFor();
    expect(await rows()).toBe(3);
  });

  it('finds the token of a key, of which no address holds more than is shown anyway', async () => {
    const { key } = await make('sought');
    await make('other');
    const { page } = await arrive('/token');
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    const found = async (typed: string) => {
      await page.getByRole('searchbox').fill(typed);
      await page.getByRole('row', { name: /other/ }).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: /sought/ }).waitFor();
      // What was typed stands as it was typed.
      expect(await page.getByRole('searchbox').inputValue()).toBe(typed);
      await page.getByRole('searchbox').fill('');
      await page.getByRole('row', { name: /other/ }).waitFor();
    };
    await found(`sk-${key}`);
    await found(`sk-${key.slice(0, 30)}`);
    const shown = `${key.slice(0, 4)}…${key.slice(-3)}`;
    expect(addresses).toContain(`${site.base}/token?q=sk-${encodeURIComponent(shown)}`);
    expect(addresses.filter((address) => address.includes(key.slice(4, 12)))).toEqual([]);
  });

  inLong.it('shows the last page for one beyond it, and remembers page size and hidden columns', async () => {
    for (let n = 1; n <= 12; n++) await make(`row-${n}`);
    const visitor = await arrive('/token?p=99');
    const { page } = visitor;
    expect(await page.getByText('11–12 of 12').isVisible()).toBe(true);
    await page.getByRole('combobox', { name: 'Per page' }).selectOption('20');
    await page.getByText('1–12 of 12', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Group' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Group' }).waitFor({ state: 'detached' });
    const html = await visitor.html('/token');
    expect(html).toContain('>1–12 of 12<');
    expect(html).not.toContain('>Group</th>');
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a list that cannot be loaded', () => {
  inLong.it('says why, with the id of the request, and tries again', async () => {
    await make('ci');
    const visitor = await arrive('/token');
    const { page } = visitor;
    const envelope = { success: false, code: 'INTERNAL', message: 'Internal server error' };
    await page.route('**/api/token/page*', (route) =>
      route.fulfill({ status: 500, json: envelope, headers: { 'x-request-id': 'req-77' } }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    const panel = page.getByRole('alert').filter({ hasText: 'Refresh failed' });
    await panel.waitFor();
    expect(await panel.textContent()).toContain('Internal server error req-77');
    await page.unroute('**/api/token/page*');
    await page.getByRole('row', { name: /ci/ }).waitFor();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /ci/ }).waitFor();
  });

  inLong.it('says that the network is away', async () => {
    const { page } = await arrive('/token');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Unable to connect to server. Check your connection and try again').waitFor();
  });
});

describe('a key', () => {
  it('is copied whole, without being shown', async () => {
    const { key } = await make('ci');
    const visitor = await arrive('/token');
    const { page } = visitor;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the key of ci' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`sk-${key}`);
    expect(await page.content()).not.toContain(key);
  });

  it('is copied by the older command where the clipboard is closed, and by hand where both are', async () => {
    const { key } = await make('ci');
    const visitor = await arrive('/token');
    const { page } = visitor;
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.execCommand = () => false;
    });
    await page.getByRole('button', { name: 'Copy the key of ci' }).click();
    const byHand = page.getByRole('dialog', { name: 'Could not copy to the clipboard, please copy by hand' });
    await byHand.waitFor();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(`sk-${key}`);
    expect(await page.getByText('Copied', { exact: true }).count()).toBe(0);
    await byHand.getByRole('button', { name: 'Close' }).click();
    await byHand.waitFor({ state: 'detached' });
  });

  it('stands in a sample only when it was put there', async () => {
    const { id, key } = await make('ci');
    const visitor = await arrive(`/token/code/${id}`);
    const { page } = visitor;
    const sample = page.getByRole('region', { name: 'OpenAI SDK' });
    await sample.waitFor();
    expect(await sample.textContent()).toContain(`base_url="${site.base}/v1"`);
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Insert my key into the sample' }).click();
    await page.getByText('The sample now holds your key').waitFor();
    expect(await sample.textContent()).toContain(`api_key="sk-${key}"`);
    await page.getByRole('button', { name: 'Take the key out of the sample' }).click();
    expect(await sample.textContent()).not.toContain(key);
  });

  it('is shown for other clients and apps, each in its own words', async () => {
    const { id } = await make('ci');
    const visitor = await arrive(`/token/code/${id}`);
    const { page } = visitor;
    await page.getByRole('tab', { name: 'Anthropic SDK' }).click();
    await page.getByRole('region', { name: 'Anthropic SDK' }).getByText(`base_url="${site.base}"`).waitFor();
    await page.getByRole('tab', { name: 'Apps' }).click();
    await page.getByRole('combobox', { name: 'Apps' }).selectOption('Codex');
    await page.getByRole('region', { name: 'Codex' }).getByText('wire_api = "responses"').waitFor();
    await visitor.shot('token-apps-desk');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await visitor.overflow()).toBe(0);
    expect(await visitor.findings()).toEqual([]);
    await visitor.shot('token-apps-phone');
    expect(visitor.complaints).toEqual([]);
  });
});

describe('where keys are shown once', () => {
  inLong.it('says so with the new key, and offers nowhere to copy it later', async () => {
    await site.api.deps.options.set({ TokenKeyReveal: 'once' });
    const visitor = await arrive('/token/add');
    const { page } = visitor;
    await name(visitor).fill('once');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Keep it now: it is not shown again.').waitFor();
    await page.getByRole('link', { name: 'Use in code' }).click();
    await page.getByText('This site shows a key only when it is made').waitFor();
    expect(await page.getByRole('button', { name: 'Insert my key into the sample' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('once', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy the key of once' }).count()).toBe(0);
    await site.api.deps.options.reset(['TokenKeyReveal']);
  });
});

describe('trying a token', () => {
  it('makes one call and shows its answer, its time, its tokens and its cost', async () => {
    const { id } = await make('ci');
    const visitor = await arrive(`/token/code/${id}`);
    const { page } = visitor;
    for (const way of ['Streamed', 'At once']) {
      const before = upstream.chats.length;
      await page.getByRole('button', { name: way }).click();
      await page.getByRole('button', { name: 'Try it' }).click();
      const facts = page.getByText(/17 in \/ 6 out/);
      await facts.waitFor();
      // 17 and 6 tokens at a ratio of 1, which is 2 dollars a million.
      expect(await page.getByText('$0.000046').isVisible()).toBe(true);
      expect(await page.getByRole('region', { name: 'The model’s answer' }).textContent()).toContain(
        'w0 w1 w2 w3 w4 w5',
      );
      expect(upstream.chats.length).toBe(before + 1);
      expect(upstream.chats.at(-1)?.body.stream ?? false).toBe(way === 'Streamed');
    }
    expect(visitor.complaints).toEqual([]);
  });

  inLong.it('says in the relay’s words why a call was refused', async () => {
    const { id } = await make('ci');
    upstream.always = '500';
    const { page } = await arrive(`/token/code/${id}`);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText(/The call failed: /).waitFor();
    upstream.always = 'ok';
  });
});

describe('the log of a call', () => {
  it('opens under its row, several at once, and stays open while fresh calls come in', async () => {
    for (let n = 0; n < 2; n++) {
      const { key } = await make(`caller-${n}`);
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
      expect(
        (await fetch(`${site.base}/v1/chat/completions`, { method: 'POST', headers, body })).status,
      ).toBe(200);
    }
    const { page } = await arrive('/log');
    const opener = (token: string) =>
      page.getByRole('row', { name: new RegExp(token) }).getByRole('button', { name: 'Details of gpt-4o' });
    for (const token of ['caller-0', 'caller-1']) {
      await opener(token).click();
      expect(await opener(token).getAttribute('aria-expanded')).toBe('true');
    }
    expect(await page.locator('tr[data-detail]').count()).toBe(2);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('section[aria-busy=false]').first().waitFor();
    expect(await page.locator('tr[data-detail]').count()).toBe(2);
    await opener('caller-0').click();
    expect(await page.locator('tr[data-detail]').count()).toBe(1);

    // Half of a name filters nothing; all of it does when Enter is pressed, and an end of the time when it is left.
    const token = page.locator('input[name=token]');
    await token.fill('caller-0');
    expect(page.url()).toEndWith('/log');
    await token.press('Enter');
    await page.waitForURL('**/log?token=caller-0');
    await page.getByRole('row', { name: /caller-1/ }).waitFor({ state: 'detached' });
    await page.locator('select[name=range]').selectOption('fixed');
    await page.locator('input[name=from]').fill('2026-01-01T00:00');
    await page.locator('input[name=to]').focus();
    await page.waitForURL(/[?&]from=1767(196|225)\d{3}\b/);
  });
});

describe('the shell', () => {
  it('has the skip link first, and moves focus and says so when the page changes', async () => {
    const visitor = await arrive('/token');
    const { page } = visitor;
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.getByRole('link', { name: 'Usage log' }).click();
    await page.waitForURL('**/log');
    await page.getByText(/^Opened: /).waitFor({ state: 'attached' });
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('keeps theme, menu width and language, and the server draws them from the first byte', async () => {
    const visitor = await arrive('/token');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Switch to dark' }).click();
    expect(await page.getAttribute('html', 'class')).toBe('dark');
    expect(await page.evaluate(() => localStorage.getItem('theme-mode'))).toBe('dark');
    await page.getByRole('button', { name: 'Collapse' }).click();
    const html = await visitor.html('/token');
    expect(html).toMatch(/<html[^>]*class="dark"/);
    expect(html).toContain('[--side:60px]');
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('heading', { name: '令牌', level: 1 }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('zh-CN');
  });

  it('shows only the pages of one’s role', async () => {
    const links = async (who: TestUser) => {
      const { page } = await arrive('/token', { user: who, javaScript: true });
      return page.getByRole('navigation', { name: 'Main menu' }).getByRole('link').allTextContents();
    };
    const admin = await site.api.createUser({ username: 'ada', role: 10 });
    expect(await links(user)).not.toContain('Channels');
    expect(await links(admin)).not.toContain('Channels');
    await site.api.deps.options.set({ AdminChannelMenuEnabled: 'true' });
    expect(await links(admin)).toContain('Channels');
    await site.api.deps.options.reset(['AdminChannelMenuEnabled']);
  });
});
