/** The drawer of a channel: its fields as each type wants them, and its rules as the specification words them. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const PATIENCE_MS = patience(60_000);
const STEP_MS = patience(20_000);

describe('the form of a channel', () => {
  let upstream: Upstream;
  let site: Site;
  let rootUser: TestUser;
  let root: Client;

  beforeAll(async () => {
    [upstream, site] = await Promise.all([startUpstream(), openSite()]);
    rootUser = await site.api.createUser({ username: 'root', role: 100 });
    root = await site.api.as(rootUser);
  }, patience(120_000));
  afterAll(async () => {
    await site.close();
    await upstream.close();
  });

  const visit = quietVisits(
    () => site,
    () => ({ user: rootUser }),
    STEP_MS,
  );
  const open = async (path = '/channel/add'): Promise<[Page, Locator]> => {
    const { page } = await visit(path);
    return [page, page.getByRole('dialog')];
  };
  const fill = async (
    page: Page,
    drawer: Locator,
    over: { name?: string; key?: string; models?: string } = {},
  ) => {
    const { name = 'made', key = 'sk-1', models = 'gpt-4o' } = over;
    await drawer.getByLabel('Name').fill(name);
    await drawer.getByLabel('Key', { exact: true }).fill(key);
    await drawer.getByRole('combobox', { name: 'Models' }).fill(models);
    await page.keyboard.press('Enter');
    // Closes the list of models and nothing else.
    await page.keyboard.press('Escape');
  };
  const save = (drawer: Locator) => drawer.getByRole('button', { name: 'Save', exact: true }).click();
  const items = async () => (await root.get('/api/channel/?page_size=100&id_sort=true')).data.items;

  interface Special {
    type: number;
    keyHint: string | RegExp;
    address: 'optional' | 'required' | 'hidden';
    /** Label of the field that only this type has, and what stands in it at first. */
    other?: [label: string, value: string];
    notice?: RegExp;
    multiline?: true;
  }
  const special: Special[] = [
    {
      type: 3,
      keyHint: /./,
      address: 'required',
      other: ['Default API version', ''],
      notice: /name of a deployment must equal/,
    },
    { type: 8, keyHint: /./, address: 'required', notice: /Give the complete address/ },
    { type: 15, keyHint: 'APIKey|SecretKey', address: 'optional' },
    { type: 18, keyHint: 'APPID|APISecret|APIKey', address: 'hidden', other: ['Model version', 'v2.1'] },
    { type: 21, keyHint: /./, address: 'optional', other: ['Knowledge base id', ''] },
    { type: 22, keyHint: /^APIKey-AppId/, address: 'required' },
    { type: 23, keyHint: 'AppId|SecretId|SecretKey', address: 'optional' },
    { type: 33, keyHint: 'AccessKey|SecretKey|Region', address: 'hidden' },
    { type: 37, keyHint: /^app-/, address: 'optional', notice: /chatflow and agent/ },
    { type: 39, keyHint: 'API token', address: 'optional', other: ['Account id', ''] },
    { type: 40, keyHint: /./, address: 'optional' },
    { type: 41, keyHint: /service_account/, address: 'hidden', other: ['Region', ''], multiline: true },
  ];

  it(
    'draws the special form of each type from its provider’s record',
    async () => {
      const [, drawer] = await open();
      for (const { type, keyHint, address, other, notice, multiline } of special) {
        await drawer.getByLabel('Type', { exact: true }).selectOption(String(type));
        const key = drawer.getByLabel('Key', { exact: true });
        expect(await key.getAttribute('placeholder')).toEqual(
          typeof keyHint === 'string' ? keyHint : expect.stringMatching(keyHint),
        );
        expect(await key.evaluate((node) => node.tagName)).toBe(multiline ? 'TEXTAREA' : 'INPUT');
        const base = drawer.getByLabel('Base URL');
        expect(await base.count()).toBe(address === 'hidden' ? 0 : 1);
        if (address === 'required') {
          await base.focus();
          await base.blur();
          await drawer.getByText('This type needs an address').waitFor();
        }
        if (other) expect(await drawer.getByLabel(other[0], { exact: true }).inputValue()).toBe(other[1]);
        if (notice) await drawer.getByText(notice).waitFor();
      }
      // What one type means by an empty field does not stay for the next one.
      await drawer.getByLabel('Type', { exact: true }).selectOption('18');
      await drawer.getByLabel('Type', { exact: true }).selectOption('39');
      expect(await drawer.getByLabel('Account id').inputValue()).toBe('');
    },
    PATIENCE_MS,
  );

  it(
    'a base_url ending in /v1 prompts a confirmation warning; a trailing / is stripped on submit',
    async () => {
      const [page, drawer] = await open();
      await fill(page, drawer, { name: 'v1' });
      await drawer.getByLabel('Base URL').fill(`${upstream.base}/v1/`);
      await save(drawer);
      const question = page.getByRole('alertdialog');
      await question.getByText('The address ends with /v1').waitFor();
      await question.getByRole('button', { name: 'Back to the form' }).click();
      expect(await items()).toEqual([]);
      await save(drawer);
      await question.getByRole('button', { name: 'Save all the same' }).click();
      await drawer.waitFor({ state: 'detached' });
      expect((await items())[0]).toMatchObject({ name: 'v1', base_url: `${upstream.base}/v1` });
    },
    PATIENCE_MS,
  );

  it(
    'priority is an integer with minimum -999; weight is a non-negative integer',
    async () => {
      const [page, drawer] = await open();
      await fill(page, drawer);
      await drawer.getByRole('button', { name: 'Advanced' }).click();
      await drawer.getByLabel('Tag', { exact: true }).fill('eu');
      await drawer.getByLabel('Priority').fill('-1000');
      await drawer.getByLabel('Weight').fill('-1');
      const before = (await items()).length;
      await save(drawer);
      await drawer.getByText('Priority must be an integer of at least -999').waitFor();
      await drawer.getByText('Weight must be a non-negative integer').waitFor();
      await drawer.getByText('2 fields need attention').waitFor();
      expect(await items()).toHaveLength(before);
    },
    PATIENCE_MS,
  );

  it(
    'several keys become several channels, or one channel with all of them',
    async () => {
      const [page, drawer] = await open();
      await drawer.getByRole('button', { name: 'Several keys' }).click();
      await fill(page, drawer, { name: 'split', key: 'sk-a\nsk-b\nsk-c' });
      await drawer.getByRole('button', { name: '3 channels' }).waitFor();
      await save(drawer);
      await page.getByText('Added 3 channels').waitFor();
      // For clients that look for them there, as they are answered.
      const kept = await page.evaluate(() => localStorage.getItem('channel_models'));
      expect(JSON.parse(kept ?? '')).toEqual((await root.get('/api/models')).data);
      expect((await items()).filter(({ name }: { name: string }) => name === 'split')).toHaveLength(3);

      const [other, form] = await open();
      await form.getByRole('button', { name: 'Several keys' }).click();
      await fill(other, form, { name: 'pool', key: 'sk-a\nsk-b' });
      await form.getByRole('button', { name: 'One channel with 2 keys' }).click();
      await save(form);
      await form.waitFor({ state: 'detached' });
      const pool = (await items()).find(({ name }: { name: string }) => name === 'pool');
      expect(pool).toMatchObject({ key_count: 2 });
      await site.api.deps.db.query(
        `update channel_keys set status = 3 where channel_id = ${pool.id} and position = 0`,
      );
      const [, edit] = await open(`/channel/edit/${pool.id}`);
      await edit.getByText('Leave empty to keep the present 2 keys. 1 of them is off.').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'chooses models by the keyboard alone, and many by one paste',
    async () => {
      const [page, drawer] = await open();
      const field = drawer.getByRole('combobox', { name: 'Models' });
      const list = drawer.getByRole('listbox', { name: 'Models' });
      const highlighted = async () => (await list.locator('[aria-selected=true]').textContent()) ?? '';
      const remove = field.locator('..').getByRole('button', { name: /^Remove/ });
      const chosen = async (...names: string[]) => {
        await remove.nth(names.length - 1).waitFor();
        await remove.nth(names.length).waitFor({ state: 'detached' });
        const labels = await remove.evaluateAll((chips) =>
          chips.map((chip) => chip.getAttribute('aria-label')),
        );
        expect(labels).toEqual(names.map((name) => `Remove ${name}`));
      };
      await drawer.getByLabel('Name').fill('by-keyboard');
      await drawer.getByLabel('Key', { exact: true }).fill('sk-1');
      await field.fill('gpt-4o');
      await list.waitFor();
      const first = await highlighted();
      expect(await field.getAttribute('aria-activedescendant')).toBe(
        await list.locator('[aria-selected=true]').getAttribute('id'),
      );
      await page.keyboard.press('ArrowDown');
      const second = await highlighted();
      expect(second).not.toBe(first);
      await page.keyboard.press('Enter');
      await chosen(second);
      // The list stays for the next one, and offers no one twice.
      expect([await field.getAttribute('aria-expanded'), await field.inputValue()]).toEqual(['true', '']);
      expect(await list.getByRole('option', { name: second, exact: true }).count()).toBe(0);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowDown');
      await field.fill('half');
      await page.keyboard.press('Escape');
      expect([await field.getAttribute('aria-expanded'), await field.inputValue()]).toEqual([
        'false',
        'half',
      ]);
      await page.keyboard.press('Enter');
      await chosen(second, 'half');
      await field.evaluate((input) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text', 'one, two，half');
        input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
      await chosen(second, 'half', 'one', 'two');
      await page.keyboard.press('Backspace');
      await chosen(second, 'half', 'one');
      // What is only highlighted when one leaves was not chosen.
      await field.fill('o');
      await page.keyboard.press('Tab');
      await chosen(second, 'half', 'one');
      await field.focus();
      await page.keyboard.press('Control+Enter');
      await drawer.getByRole('heading', { name: /^by-keyboard/ }).waitFor();
      const made = (await items()).find(({ name }: { name: string }) => name === 'by-keyboard');
      expect(made.models).toBe([second, 'half', 'one'].join(','));
    },
    PATIENCE_MS,
  );

  inLong.it(
    'is another one for another channel, whatever was typed for the last',
    async () => {
      const make = async (name: string): Promise<number> => {
        const body = { name, type: 1, key: 'sk-1', models: 'gpt-4o', base_url: upstream.base, tag: name };
        return (await root.post('/api/channel/', body)).data.ids[0];
      };
      const [first, second] = [await make('first'), await make('second')];
      const visitor = await visit(`/channel/edit/${first}`);
      const drawer = visitor.page.getByRole('dialog');
      await drawer.getByLabel('Name').fill('draft');
      await visitor.leap(`/channel/edit/${second}`);
      await drawer.getByRole('heading', { name: /^second/ }).waitFor();
      expect(await drawer.getByLabel('Name').inputValue()).toBe('second');
      await visitor.leap('/channel/tag/first');
      await drawer.getByRole('heading', { name: /first/ }).waitFor();
      await drawer.getByRole('textbox', { name: 'Tag' }).fill('draft');
      await visitor.leap('/channel/tag/second');
      await drawer.getByRole('heading', { name: /second/ }).waitFor();
      expect(await drawer.getByRole('textbox', { name: 'Tag' }).inputValue()).toBe('second');
    },
    PATIENCE_MS,
  );

  it(
    'tells which key is off, since when and why, and puts it back in use',
    async () => {
      const { data } = await root.post('/api/channel/', {
        name: 'rested',
        multi_key_mode: 'random',
        type: 1,
        key: 'sk-first-0123456789\nsk-second-0123456789\nsk-third-0123456789',
        models: 'gpt-4o',
        base_url: upstream.base,
      });
      const [id] = data.ids;
      await site.api.deps.db.query(
        `update channel_keys set status = 3, reason = 'Incorrect API key', disabled_at = 1795000000
         where channel_id = ${id} and position = 1`,
      );
      const [, drawer] = await open(`/channel/edit/${id}`);
      await drawer.getByText('1 of them is off.').waitFor();
      await drawer.getByRole('button', { name: 'Show the keys and their states' }).click();
      const rows = drawer.getByRole('list').filter({ hasText: 'Incorrect API key' }).getByRole('listitem');
      // What needs a hand comes first.
      expect(await rows.first().textContent()).toBe(
        '2sk-s…789Auto-disabledEnableIncorrect API key · 2026-11-18 19:06:40',
      );
      expect(await rows.nth(1).textContent()).toBe('1sk-f…789On');
      await rows.first().getByRole('button', { name: 'Enable' }).click();
      await drawer.getByText('Leave empty to keep the present 3 keys.', { exact: true }).waitFor();
      expect(await drawer.getByRole('listitem').getByText('On', { exact: true }).count()).toBe(3);
    },
    PATIENCE_MS,
  );

  it(
    'warns of an override that was stored before its names were refused, and takes them out',
    async () => {
      const { data } = await root.post('/api/channel/', {
        name: 'overriding',
        type: 1,
        key: 'sk-1',
        models: 'gpt-4o',
        base_url: upstream.base,
        expired_time: 1_900_000_000,
      });
      const [id] = data.ids;
      await site.api.deps.db.query(
        `update channels set param_override = '{"temperature": 0.2, "stream": true, "maxTokens": 5}' where id = ${id}`,
      );
      const [page, drawer] = await open(`/channel/edit/${id}`);
      const warning = drawer.getByRole('status').filter({ hasText: 'never sent: stream, maxTokens.' });
      await warning.getByRole('button', { name: 'Remove' }).click();
      await warning.waitFor({ state: 'detached' });
      expect(JSON.parse(await drawer.getByLabel('Parameter override').inputValue())).toEqual({
        temperature: 0.2,
      });
      // Read and written in the viewer's zone, though the server did not know it yet.
      expect(await drawer.getByLabel('Expires').inputValue()).toBe('2030-03-18 01:46:40');
      await drawer.getByLabel('Expires').fill('2030-01-01 08:00:00');
      await save(drawer);
      await page.getByText('Updated', { exact: true }).waitFor();
      const stored = (await root.get(`/api/channel/${id}`)).data;
      expect(stored).toMatchObject({ override_ignored: [], expired_time: 1_893_456_000 });
    },
    PATIENCE_MS,
  );

  it(
    'says what a key of its type looks like when it is refused',
    async () => {
      const [page, drawer] = await open('/channel/add?kind=15');
      await fill(page, drawer, { name: 'baidu', key: 'only-one-part', models: 'ernie' });
      await save(drawer);
      await drawer.getByRole('alert').getByText('APIKey|SecretKey').waitFor();
      expect(await drawer.getByLabel('Key', { exact: true }).inputValue()).toBe('only-one-part');
    },
    PATIENCE_MS,
  );

  it(
    'asks an admin for the key where his change would open more with it',
    async () => {
      const body = { name: 'opened', type: 1, key: 'sk-of-root-0123456789', models: 'gpt-4o' };
      const { ids } = (await root.post('/api/channel/', body)).data;
      const admin = await site.api.createUser({ role: 10 });
      const { page } = await visit(`/channel/edit/${ids[0]}`, { user: admin });
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('button', { name: 'Advanced' }).click();
      await drawer.getByLabel('Channel setting').fill('{"shared_context": true}');
      await save(drawer);
      const key = drawer.getByLabel('Key', { exact: true });
      await drawer
        .getByText('Changing the sharing of the account (shared_context) needs the key again')
        .waitFor();
      expect(await key.evaluate((input) => [input === document.activeElement, input.ariaInvalid])).toEqual([
        true,
        'true',
      ]);
      await key.fill(body.key);
      await save(drawer);
      await drawer.waitFor({ state: 'detached' });
      expect((await root.get(`/api/channel/${ids[0]}`)).data.setting).toContain('shared_context');
    },
    PATIENCE_MS,
  );

  it(
    'shows whether calls may go into the private network, where root alone says so',
    async () => {
      const body = { name: 'inside', type: 1, key: 'sk-1', models: 'gpt-4o', base_url: upstream.base };
      const [id] = (await root.post('/api/channel/', body)).data.ids;
      const [outside] = (await root.post('/api/channel/', { ...body, base_url: '' })).data.ids;
      const allowed = async () => (await root.get(`/api/channel/${id}`)).data.private_allowed;
      const admin = await site.api.createUser({ role: 10 });
      const boxOf = async (channel: number, user: TestUser) => {
        const { page } = await visit(`/channel/edit/${channel}`, { user });
        const drawer = page.getByRole('dialog');
        await drawer.getByLabel('Base URL').waitFor();
        return { drawer, box: drawer.getByLabel('Calls may go into the private network') };
      };
      expect(await (await boxOf(outside, admin)).box.count()).toBe(0);
      const { box: seen } = await boxOf(id, admin);
      expect([await seen.isChecked(), await seen.isDisabled()]).toEqual([true, true]);
      for (const isAllowed of [false, true]) {
        const { drawer, box } = await boxOf(id, rootUser);
        expect(await box.isChecked()).toBe(!isAllowed);
        await box.setChecked(isAllowed);
        await save(drawer);
        await drawer.waitFor({ state: 'detached' });
        expect(await allowed()).toBe(isAllowed);
      }
    },
    PATIENCE_MS,
  );

  describe.each([8, 18, 41])('of type %i', (type) => {
    looksRight({
      name: `channel-form-${type}`,
      async open(locale) {
        const visitor = await site.visit({ user: rootUser, locale, stays: true });
        await visitor.goto(`/channel/add?kind=${type}`);
        await visitor.page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });
});
