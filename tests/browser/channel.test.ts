import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import AxeBuilder from '@axe-core/playwright';
import { type Browser, chromium, type Page } from 'playwright';
import { ConsoleClient, type Gateway, setUp, startGateway } from '../support/gateway.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const KEY = 'sk-upstream-0123456789abcdef';
const WIDTHS = [1280, 390] as const;

describe('the channel page', () => {
  let upstream: Upstream;
  let gateway: Gateway;
  let root: ConsoleClient;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    upstream = await startUpstream();
    gateway = await startGateway();
    root = await setUp(gateway);
    await root.setOption('GroupRatio', { default: 1, vip: 0.5 });
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await upstream?.close();
  });

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  /** A page of root's, ready to be used. Anything that its console complains about fails the test. */
  async function open(path: string, { width = 1280, theme = 'light' } = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      hasTouch: width < 768,
      timezoneId: 'Asia/Shanghai',
    });
    const [name = '', value = ''] = root.cookie.split('=');
    const cookies = { [name]: value, lang: 'en', 'theme-mode': theme };
    await context.addCookies(
      Object.entries(cookies).map(([name, value]) => ({ name, value, url: gateway.base })),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(gateway.base + path);
    await page.waitForFunction(() => !('$_TSR' in globalThis && globalThis.$_TSR));
    return page;
  }

  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `More actions: ${name}` }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const stored = async (name: string) =>
    (await root.get('/api/channel/?page_size=100')).items.find(
      (channel: { name: string }) => channel.name === name,
    );

  it('adds a channel, tests it, and never shows its key', async () => {
    const page = await open('/channel');
    await expectText(page, 'No channels yet');
    await page.getByRole('link', { name: 'Add channel' }).first().click();
    const drawer = page.getByRole('dialog');

    await drawer.getByRole('button', { name: 'Save and test' }).click();
    await expectText(page, 'Please fill in the channel name and key');
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

    await drawer.getByText(/^Tested: answered in/).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/channel/edit/${(await stored('main')).id}`);
    expect(upstream.chats.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(await stored('main')).toMatchObject({ models: 'gpt-4o,gpt-4o-mini,o3', group: 'default' });

    await page.reload();
    await drawer.getByText(/^Last test: answered in/).waitFor();
    for (const html of [await page.content(), await (await fetchPage('/channel')).text()]) {
      expect(html).toContain('main');
      expect(html).not.toContain(KEY);
    }
  }, 30_000);

  const fetchPage = (path: string) => fetch(gateway.base + path, { headers: { cookie: root.cookie } });

  it('shows a failed test in place, with everything that was typed still there', async () => {
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
  }, 30_000);

  it('edits without asking for the key again, and asks for it when the address changes', async () => {
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
  }, 30_000);

  it('asks before typed text is thrown away', async () => {
    const page = await open('/channel');
    await page.getByRole('link', { name: 'Add channel' }).click();
    await page.getByLabel('Name', { exact: true }).fill('half');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('half');
  }, 30_000);

  it('saves numbers in place: Enter saves, Escape restores, a refusal puts the old one back and says why', async () => {
    const page = await open('/channel');
    const priority = page.getByLabel('Priority of main');
    await priority.fill('7');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await priority.press('Enter');
    await saved;
    await page.waitForFunction(() => document.querySelector('[aria-label="Priority of main"].text-ok'));
    expect(await stored('main')).toMatchObject({ priority: 7, weight: 0 });

    await priority.fill('99');
    await priority.press('Escape');
    expect(await priority.inputValue()).toBe('7');

    const weight = page.getByLabel('Weight of main');
    await weight.fill('-1');
    await weight.blur();
    await expectText(page, 'Weight of main: The weight must be a non-negative integer');
    expect(await weight.inputValue()).toBe('0');
    expect(await stored('main')).toMatchObject({ priority: 7, weight: 0 });
  }, 30_000);

  it('puts the old number back when the server refuses the new one', async () => {
    const page = await open('/channel');
    await page.route('**/api/channel/', (call) =>
      call.fulfill({ json: { success: false, message: 'no more', code: 'X' } }),
    );
    const weight = page.getByLabel('Weight of main');
    await weight.fill('5');
    await weight.blur();
    await expectText(page, 'Weight of main: no more');
    expect(await weight.inputValue()).toBe('0');
  }, 30_000);

  it('tests, disables and enables from the row', async () => {
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
  }, 30_000);

  it('says why the gateway switched a channel off', async () => {
    await root.setOption('AutomaticDisableChannelEnabled', true);
    await root.setOption('ModelRatio', { 'gpt-4o@401': 1 });
    await gateway.chat(await root.addToken(), { model: 'gpt-4o@401' });
    const page = await open('/channel?status=3');
    await page.getByRole('button', { name: 'Why refused is off' }).click();
    const popover = page.getByRole('dialog', { name: 'Why refused is off' });
    await popover.getByText(/401/).waitFor();
    await popover.getByRole('button', { name: 'Enable' }).click();
    await expectText(page, 'No channel matches');
    expect(await stored('refused')).toMatchObject({ status: 1 });
  }, 30_000);

  it('keeps its filters in the address', async () => {
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
  }, 30_000);

  it('copies a channel without its key', async () => {
    const page = await open('/channel');
    await act(page, 'main', 'Copy');
    const drawer = page.getByRole('dialog');
    expect(await drawer.getByLabel('Name').inputValue()).toBe('main copy');
    expect(await drawer.getByLabel('Key', { exact: true }).inputValue()).toBe('');
    await drawer.getByRole('button', { name: 'Save', exact: true }).click();
    await expectText(page, 'Please fill in the channel name and key');
    await drawer.getByLabel('Key', { exact: true }).fill(KEY);
    await drawer.getByRole('button', { name: 'Save', exact: true }).click();
    await row(page, 'main copy').waitFor();
    const { models, model_mapping, tag } = await stored('main');
    expect(await stored('main copy')).toMatchObject({ models, model_mapping, tag });
  }, 30_000);

  it('deletes after a question that names the channel', async () => {
    const { id } = await stored('main copy');
    const page = await open('/channel');
    await act(page, 'main copy', 'Delete');
    const question = page.getByRole('alertdialog');
    await question.getByText(`Delete the channel “main copy” (id ${id})?`).waitFor();
    await question.getByText('Requests to 3 models lose this channel.').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await row(page, 'main copy').waitFor({ state: 'detached' });
    expect(await stored('main copy')).toBeUndefined();
  }, 30_000);

  it('is refused to a user', async () => {
    await root.post('/api/user/', { username: 'plain', password: 'Passw0rd1' });
    const user = await new ConsoleClient(gateway.base).login('plain', 'Passw0rd1');
    const answer = await fetch(`${gateway.base}/channel`, { headers: { cookie: user.cookie } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain(upstream.base);
  });

  describe.each(WIDTHS)('at %d pixels', (width) => {
    describe.each(['light', 'dark'])('in %s', (theme) => {
      it.each(['/channel', '/channel/add', '/channel/edit'])(
        '%s has no serious finding and no scroll sideways',
        async (path) => {
          const page = await open(path.endsWith('edit') ? `${path}/${(await stored('main')).id}` : path, {
            width,
            theme,
          });
          const { violations } = await new AxeBuilder({ page }).analyze();
          const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
          expect(serious.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))])).toEqual(
            [],
          );
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        },
        60_000,
      );
    });
  });
});

const expectText = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
