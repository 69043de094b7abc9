/** An administrator keeps what companion clients are served, tab by tab. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { readerOf, sentPage } from '../support/pages.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let amy: TestUser;
let una: TestUser;
let client: Client;
beforeAll(async () => {
  site = await openSite();
  amy = await site.api.createUser({ username: 'amy', role: 10 });
  una = await site.api.createUser({ username: 'una' });
  client = await site.api.as(amy);
}, patience(120_000));
afterAll(() => site.close());
const visit = quietVisits(() => site);

it('opens at its first tab, and for administrators alone', async () => {
  expect((await sentPage(site, '/aipy-conf', await readerOf(site.api, amy))).location).toBe(
    '/aipy-conf/suppliers',
  );
  const sent = await sentPage(site, '/aipy-conf/prompts', await readerOf(site.api, amy, 'zh'));
  expect(sent).toMatchObject({ status: 200 });
  expect(sent.words).toContain('推荐提示词');
  expect((await sentPage(site, '/aipy-conf/prompts', await readerOf(site.api, una))).status).toBe(403);
});

/** What a switch shows from a click on until it rests, as `01`. */
const statesOnceClicked = (toggle: Locator): Promise<string> =>
  toggle.evaluate(
    (element: HTMLInputElement) =>
      new Promise<string>((resolve) => {
        let shown = '';
        let frames = 0;
        const look = () => {
          const now = element.checked ? '1' : '0';
          if (!shown.endsWith(now)) shown += now;
          frames = element.ariaBusy === 'true' ? 0 : frames + 1;
          if (frames > 20) resolve(shown);
          else requestAnimationFrame(look);
        };
        look();
        element.click();
      }),
  );

describe('recommended prompts', () => {
  const released = async () => (await site.api.guest().get('/api/prompt/suggest')).data;

  it(
    'are written, sorted and released where they stand, and deleted',
    async () => {
      const { page } = await visit('/token', { user: amy });
      await page.getByRole('link', { name: 'AiPy config' }).click();
      await page.getByRole('link', { name: 'Recommended prompts' }).click();
      await page.getByText('No recommended prompts yet').waitFor();
      await page.getByRole('link', { name: 'Add prompt' }).first().click();
      const drawer = page.getByRole('dialog');
      const field = (name: string) => drawer.getByRole('textbox', { name, exact: true });
      const save = () => drawer.getByRole('button', { name: 'Save' }).click();
      await field('Client version').fill('newest');
      await drawer.getByRole('button', { name: 'Add path' }).click();
      await field('Demo path 1').fill('../secret');
      await save();
      await drawer.getByText('The instruction needs 1 to 10,000 characters').waitFor();
      await drawer.getByText('The client version is not valid; 1.2.0 is one').waitFor();
      await drawer.getByText('The demo path is not valid; demo/report.xlsx is one').waitFor();
      await field('Title').fill('Trip to Lisbon');
      await drawer.getByRole('checkbox', { name: 'Mac' }).check();
      await field('Client version').fill('1.2.0');
      await drawer.getByRole('checkbox', { name: 'Web search' }).check();
      await field('Demo path 1').fill('demo/trip.md');
      await field('Instruction').fill('Plan three days in Lisbon.');
      await drawer.getByRole('combobox', { name: 'Tags' }).fill('travel');
      await page.keyboard.press('Enter');
      await field('Result link').fill('https://example.com/trip');
      await save();
      await drawer.waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'Trip to Lisbon' });
      await row.getByText('Web search').waitFor();
      const sort = row.getByRole('textbox', { name: 'Sort of Trip to Lisbon' });
      await sort.fill('7');
      // Leaving it saves nothing; its check does, and goes.
      await sort.blur();
      const check = row.getByRole('button', { name: 'Save the sort of Trip to Lisbon' });
      await check.click();
      await check.waitFor({ state: 'detached' });
      // It goes as the number is sent, which is stored when it may be changed again.
      await row.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      expect(await statesOnceClicked(row.getByRole('switch', { name: 'Release Trip to Lisbon' }))).toBe('01');
      await page.getByText('Updated').first().waitFor();
      expect(await released()).toEqual([
        {
          id: expect.any(Number),
          title: 'Trip to Lisbon',
          mcp: ['tollgate-search'],
          instruction: 'Plan three days in Lisbon.',
          version: '1.2.0',
          sort: 7,
          platform: ['darwin'],
          release: true,
          facets: [{ type: 'demo-file', path: 'demo/trip.md' }],
          tags: ['travel'],
          result_link: 'https://example.com/trip',
        },
      ]);
      await row.getByRole('link', { name: 'Trip to Lisbon' }).click();
      await field('Title').fill('Trip to Porto');
      await save();
      await drawer.waitFor({ state: 'detached' });
      const renamed = page.getByRole('row').filter({ hasText: 'Trip to Porto' });
      await page.getByRole('checkbox', { name: 'Select Trip to Porto' }).check();
      await page.getByRole('button', { name: 'Withdraw' }).click();
      await page.getByText('Operation completed: 1 row').waitFor();
      expect(await released()).toEqual([]);

      // More than a page of them, though this list has no pages: asked first, and those to be deleted are named.
      for (let n = 1; n <= 10; n++)
        await client.made('/api/prompt/suggest', {
          title: `Letter ${n}`,
          instruction: 'Write.',
          release: true,
        });
      const wholePage = page.getByRole('checkbox', { name: 'Select this page' });
      const question = page.getByRole('alertdialog');
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('11 prompts').waitFor();
      await wholePage.check();
      await page.getByRole('button', { name: 'Withdraw' }).click();
      expect(await question.textContent()).toMatch(/^Withdraw all 11 that are selected\?.*Letter 3/);
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect(await released()).toHaveLength(10);
      await page.getByRole('button', { name: 'Withdraw' }).click();
      await question.getByRole('button', { name: 'Withdraw' }).click();
      await page.getByText('Operation completed: 11 rows').waitFor();
      expect(await released()).toEqual([]);
      await renamed.getByRole('button', { name: 'More actions: Trip to Porto' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await question.getByRole('button', { name: 'Delete' }).click();
      await renamed.waitFor({ state: 'detached' });
      await wholePage.check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      expect(await question.textContent()).toContain('Letter 10');
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No recommended prompts yet').waitFor();
    },
    PATIENCE_MS,
  );
});

describe('roles', () => {
  const stored = async () => (await client.get('/api/ai-role/')).data;

  it(
    'are written in TOML and sent as JSON, and nothing is sent of what does not parse',
    async () => {
      const { page } = await visit('/aipy-conf/prompts', { user: amy, locale: 'zh' });
      await page.getByRole('link', { name: '角色', exact: true }).click();
      await page.getByText('还没有角色').waitFor();
      await page.getByRole('link', { name: '新增角色' }).first().click();
      const drawer = page.getByRole('dialog');
      const role = drawer.getByRole('textbox', { name: '角色', exact: true });
      await drawer.getByRole('textbox', { name: '角色名称' }).fill('笔者');
      await role.fill('name = 笔者');
      await drawer.getByText('角色格式不正确').waitFor();
      let sent = 0;
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent++;
      });
      await drawer.getByRole('button', { name: '保存' }).click();
      await drawer.getByText('1 个字段需要修改').waitFor();
      expect(sent).toBe(0);
      await role.fill('name = "笔者"\n[tools]\nsearch = true');
      await drawer.getByText('角色格式不正确').waitFor({ state: 'detached' });
      await drawer.getByRole('button', { name: '保存' }).click();
      await drawer.waitFor({ state: 'detached' });
      await page.getByText('添加成功').waitFor();
      const json = JSON.stringify({ name: '笔者', tools: { search: true } }, null, 4);
      expect(await stored()).toEqual([
        { id: expect.any(Number), role_name: '笔者', role: json, type: 0, quota: 0 },
      ]);
      page.removeAllListeners('request');
    },
    PATIENCE_MS,
  );

  it(
    'that TOML cannot hold are edited as JSON, and what nobody touched goes back as it came',
    async () => {
      const role = '{"seed": 12345678901234567890, "stop": null}';
      const { data } = await client.post('/api/ai-role/admin/', {
        role_name: 'Odd',
        role,
        type: 'own',
        quota: 9,
      });
      const { page } = await visit(`/aipy-conf/roles?edit=${data.id}`, { user: amy });
      const drawer = page.getByRole('dialog');
      await drawer.getByText('TOML cannot hold the JSON of this role').waitFor();
      const save = async () => {
        await drawer.getByRole('button', { name: 'Save' }).click();
        await drawer.waitFor({ state: 'detached' });
      };
      const one = async () => (await stored()).find(({ id }: { id: number }) => id === data.id);
      await drawer.getByRole('textbox', { name: 'Role name' }).fill('Still odd');
      await save();
      expect(await one()).toEqual({ id: data.id, role_name: 'Still odd', role, type: 'own', quota: 9 });
      await page.getByRole('link', { name: 'Still odd' }).click();
      const text = drawer.getByRole('textbox', { name: 'Role', exact: true });
      await text.fill((await text.inputValue()).replace('null', '"END"'));
      await save();
      expect((await one()).role).toBe('{\n    "seed": 12345678901234567890,\n    "stop": "END"\n}');
      await page.getByRole('button', { name: 'More actions: Still odd' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Deleted', { exact: true }).waitFor();
      expect(await one()).toBeUndefined();
    },
    PATIENCE_MS,
  );
});

describe('the marketplace', () => {
  const application = (n: number) => ({
    name: `app-${String(n).padStart(2, '0')}`,
    display_name: `Application ${n}`,
    version: '1.0.0',
    dxt_url: 'https://files.example/app.dxt',
    description: 'Shows where things are, how to get there, and what is open on the way.',
    homepage: 'https://maps.example/about',
    app_groups: n % 2 ? ['default', 'vip'] : [],
    rank: -n,
  });
  const stored = async () => (await client.get('/api/application/admin/')).data;

  it(
    'takes applications, with the default address of their package once name and version are good',
    async () => {
      const { page } = await visit('/aipy-conf/prompts', { user: amy, locale: 'zh' });
      await page.getByRole('link', { name: '智能体市场' }).click();
      await page.getByText('还没有应用').waitFor();
      await page.getByRole('button', { name: '批量删除' }).click();
      await page.getByText('请选择要删除的应用').waitFor();
      await page.getByRole('link', { name: '新增应用' }).first().click();
      const drawer = page.getByRole('dialog');
      const field = (name: string) => drawer.getByRole('textbox', { name, exact: true });
      await drawer.getByRole('button', { name: '保存' }).click();
      for (const what of ['应用名称', '显示名称', '版本', 'DXT地址'])
        await drawer.getByText(`${what}不能为空`).waitFor();
      const generate = () => drawer.getByRole('button', { name: '生成默认地址' }).click();
      await field('应用名称').fill('Maps');
      await field('版本').fill('1.2.3');
      await generate();
      await drawer.getByText('应用名称只能包含小写字母').waitFor();
      expect(await field('DXT 地址').inputValue()).toBe('');
      await field('应用名称').fill('maps');
      await generate();
      await page.waitForFunction(() =>
        [...document.querySelectorAll('input')].some(({ value }) => value.endsWith('.dxt')),
      );
      const address = await field('DXT 地址').inputValue();
      expect(address).toMatch(/\/dxt\/maps-1\.2\.3-[0-9a-f]{12}\.dxt$/);
      await field('显示名称').fill('地图');
      await drawer.getByRole('combobox', { name: '类型' }).selectOption('内嵌网页');
      await field('排序值').fill('high');
      await drawer.getByRole('checkbox', { name: 'default' }).check();
      await drawer.getByRole('button', { name: '保存' }).click();
      await drawer.waitFor({ state: 'detached' });
      await page.getByText('应用创建成功').waitFor();
      const [made] = await stored();
      expect(made).toMatchObject({
        name: 'maps',
        dxt_url: address,
        type: 'webview',
        rank: 0,
        app_groups: ['default'],
      });
      await page.getByRole('link', { name: 'maps', exact: true }).click();
      await field('版本').fill('1.2.4');
      await drawer.getByRole('button', { name: '保存' }).click();
      await page.getByText('应用更新成功').waitFor();
      await drawer.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '更多操作：maps' }).click();
      await page.getByRole('menuitem', { name: '删除' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: '删除' }).click();
      await page.getByText('应用删除成功').waitFor();
      expect(await stored()).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'is paged and jumped through, and several are deleted at once',
    async () => {
      for (let n = 1; n <= 23; n++) await client.post('/api/application/admin/', application(n));
      const { page } = await visit('/aipy-conf/marketplace?size=10', { user: amy });
      await page.getByText('1–10 of 23').waitFor();
      await page.getByRole('textbox', { name: 'Page to go to' }).fill('99');
      await page.keyboard.press('Enter');
      await page.getByText('21–23 of 23').waitFor();
      await page.getByRole('checkbox', { name: /app-22/ }).check();
      await page.getByRole('checkbox', { name: /app-23/ }).check();
      await page.getByRole('button', { name: 'Delete chosen' }).click();
      const question = page.getByRole('alertdialog');
      await question.getByText('Delete the 2 chosen applications?').waitFor();
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Applications deleted').waitFor();
      await page.getByText('21–21 of 21').waitFor();
      expect((await stored()).map(({ name }: { name: string }) => name)).not.toContain('app-22');
      // What is edited by its address may stand on another page.
      const first = (await stored())[0];
      await page.goto(`${site.base}/aipy-conf/marketplace?size=10&p=3&edit=${first.id}`);
      await page.getByRole('dialog').getByText('app-01').first().waitFor();
    },
    PATIENCE_MS,
  );

  looksRight({
    name: 'aipy-conf-marketplace',
    open: async (locale) => {
      const visitor = await site.visit({ user: amy, locale, stays: true });
      await visitor.goto('/aipy-conf/marketplace?size=10');
      return visitor;
    },
  });
});

describe('its list of prompts', () => {
  beforeAll(async () => {
    for (const [n, title] of ['A letter to the bank', 'Trip to Lisbon', ''].entries()) {
      await client.made('/api/prompt/suggest', {
        title,
        instruction: 'Read what is there, say what is missing, and write the rest as I would.',
        mcp: ['tollgate-search', 'tollgate-map'].slice(n),
        platform: n === 1 ? ['win32', 'darwin'] : [],
        version: n === 0 ? '1.2.0' : '',
        facets: [{ path: 'demo/letter.docx' }],
        tags: ['travel', '出行'],
        sort: n,
        release: n < 2,
      });
    }
  });

  looksRight({
    name: 'aipy-conf-prompts',
    open: async (locale) => {
      const visitor = await site.visit({ user: amy, locale, stays: true });
      await visitor.goto('/aipy-conf/prompts');
      return visitor;
    },
  });

  describe('with its drawer', () => {
    looksRight({
      name: 'aipy-conf-prompt',
      open: async (locale) => {
        const [first] = (await client.get('/api/prompt/suggest/admin')).data;
        const visitor = await site.visit({ user: amy, locale, stays: true });
        await visitor.goto(`/aipy-conf/prompts?edit=${first.id}`);
        await visitor.page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });
});
