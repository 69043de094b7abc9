/** What the channel page does with many channels at once: tags, the bulk bar, and jobs in the background. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import type { TFunction } from '../../web/lib/i18n.ts';
import { translatorFor } from '../../web/lib/translator-for.ts';
import { figure, isPhone, viewsElsewhere, WHOLE } from '../points/point.ts';
import type { Client, TestUser } from '../support/api.ts';
import {
  DESK,
  type Language,
  openSite,
  PHONE,
  quietVisits,
  type Site,
  type VisitOptions,
  type Visitor,
} from '../support/browser.ts';
import { inLong, usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const PATIENCE_MS = patience(60_000);
/** One step of a flow; a control that never comes shall say so before the test ends. */
const STEP_MS = patience(20_000);

describe('many channels on their page', () => {
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
  /** The channels that every test begins with. */
  const stock = async () => {
    await site.api.deps.db.query('delete from channels');
    await site.api.deps.db.query('delete from jobs');
    await make('azure-east', { tag: 'azure', priority: 10, weight: 1, group: 'default,vip' });
    await make('azure-west', { tag: 'azure', priority: 5, weight: 1 });
    await make('claude', { type: 14, models: 'claude-sonnet-4-5', priority: 20 });
    await make('dead', { models: 'gpt-4o@401' });
  };
  afterEach(async () => {
    upstream.always = 'ok';
    upstream.release();
  });

  const make = async (name: string, over: object = {}): Promise<number> => {
    const body = { name, type: 1, key: `sk-${name}`, models: 'gpt-4o,o3', base_url: upstream.base, ...over };
    return (await root.post('/api/channel/', body)).data.ids[0];
  };
  /** As the gateway does by itself. */
  const switchOff = (name: string, reason: string) =>
    site.api.deps.db.query(
      `update channels set status = 3, other_info = jsonb_build_object('status_reason', $2::text, 'status_time', 1700000000) where name = $1`,
      [name, reason],
    );
  const visit = quietVisits(
    () => site,
    () => ({ user: rootUser }),
    STEP_MS,
  );
  const open = async (path: string): Promise<Page> => (await visit(path)).page;
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const menu = async (page: Page, button: string, action: string) => {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const choose = async (page: Page, ...names: string[]) => {
    for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check();
  };
  const stored = async (name: string) =>
    (await root.get('/api/channel/?page_size=100')).data.items.find(
      (channel: { name: string }) => channel.name === name,
    );
  const names = async () =>
    (await root.get('/api/channel/?page_size=100')).data.items
      .map(({ name }: { name: string }) => name)
      .sort();

  describe('as they are worked with', () => {
    beforeEach(stock);

    describe('the tag view', () => {
      it(
        'folds channels under their tag, whose priority and weight are blank if its children differ',
        async () => {
          const page = await open('/channel');
          await page.getByLabel('Tag view').click();
          await page.waitForURL('**/channel?view=tag');
          const fold = page.getByRole('button', { name: 'azure 2' });
          await fold.waitFor();
          expect(await row(page, 'azure-east').count()).toBe(0);
          const priority = page.getByLabel('Priority of Tag: azure');
          expect([await priority.inputValue(), await priority.getAttribute('placeholder')]).toEqual([
            '',
            'mixed',
          ]);
          expect(await page.getByLabel('Weight of Tag: azure').inputValue()).toBe('1');
          await fold.click();
          await row(page, 'azure-east').waitFor();
          expect(await fold.getAttribute('aria-expanded')).toBe('true');

          await priority.fill('7');
          await priority.press('Enter');
          await page.waitForFunction(
            () =>
              document.querySelector<HTMLInputElement>('[aria-label="Priority of azure-east"]')?.value ===
              '7',
          );
          expect([(await stored('azure-east')).priority, (await stored('azure-west')).priority]).toEqual([
            7, 7,
          ]);
        },
        PATIENCE_MS,
      );

      it(
        'offers all channels that match, beyond the tags of the page, and asks before they are switched',
        async () => {
          for (let n = 1; n <= 9; n++) await make(`spare-${n}`, { tag: `spare ${n}` });
          const page = await open('/channel?view=tag&size=10&q=a');
          await page.getByLabel('Select this page').check();
          // Ten tags and channels, one of which is a tag of two.
          await page.getByText('11 selected').waitFor();
          await page.getByRole('button', { name: 'Select all 13 that match' }).click();
          await page.getByText('13 selected').waitFor();
          await page.getByRole('button', { name: 'Disable', exact: true }).click();
          const question = page.getByRole('alertdialog', { name: 'Disable all 13 that are selected?' });
          await question.getByRole('button', { name: 'Disable' }).click();
          await page.getByText('Operation completed: disabled 13 channels').waitFor();
          expect((await root.get('/api/channel/?status=1&page_size=1')).data.total).toBe(0);
        },
        PATIENCE_MS,
      );

      inLong.it(
        'enables and disables all channels under a tag',
        async () => {
          const page = await open('/channel?view=tag');
          await menu(page, 'More actions: Tag: azure', 'Disable all');
          await page.getByText('Operation completed: disabled 2 channels').waitFor();
          expect([(await stored('azure-east')).status, (await stored('azure-west')).status]).toEqual([2, 2]);
          await menu(page, 'More actions: Tag: azure', 'Enable all');
          await page.getByText('Operation completed: enabled 2 channels').waitFor();
          expect([(await stored('azure-east')).status, (await stored('dead')).status]).toEqual([1, 1]);
        },
        PATIENCE_MS,
      );

      inLong.it(
        'chooses what stands under a tag with the tag, folded or not',
        async () => {
          const page = await open('/channel?view=tag');
          await choose(page, 'Tag: azure');
          await page.getByText('2 selected').waitFor();
          await page.getByRole('button', { name: 'azure 2' }).click();
          await page.getByLabel('Select azure-west').uncheck();
          await page.getByText('1 selected').waitFor();
          const box = page.getByLabel('Select Tag: azure');
          expect(await box.evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
        },
        PATIENCE_MS,
      );

      it(
        'tag edit: nothing changed gives no changes, model_mapping is valid JSON, and an empty value keeps the current one',
        async () => {
          const page = await open('/channel?view=tag');
          await menu(page, 'More actions: Tag: azure', 'Edit tag');
          const drawer = page.getByRole('dialog');
          await drawer.getByText('Changes the 2 channels under it; what is left empty stays.').waitFor();
          expect(new URL(page.url()).pathname).toBe('/channel/tag/azure');
          await drawer.getByRole('button', { name: 'Save' }).click();
          await page.getByText('No changes').waitFor();

          const mapping = drawer.getByLabel('Model mapping');
          await mapping.fill('{"a":');
          await mapping.blur();
          await drawer.getByText(/^Not a valid JSON string/).waitFor();
          await mapping.fill('');
          await drawer.getByLabel('Priority').fill('1.5');
          await drawer.getByRole('button', { name: 'Save' }).click();
          await drawer.getByText('Priority must be an integer').waitFor();
          await drawer.getByLabel('Priority').fill('3');
          await drawer.getByRole('combobox', { name: 'Models' }).fill('x,y');
          await page.keyboard.press('Enter');
          await drawer
            .getByText('Changes 2 channels: 2 models in place of the present ones, priority 3')
            .waitFor();
          await drawer.getByRole('button', { name: 'Save' }).click();
          await drawer.waitFor({ state: 'detached' });
          expect(await stored('azure-east')).toMatchObject({
            models: 'x,y',
            priority: 3,
            weight: 1,
            group: 'default,vip',
            tag: 'azure',
          });
        },
        PATIENCE_MS,
      );

      inLong.it(
        'setting a tag’s new tag empty dissolves the tag',
        async () => {
          const page = await open('/channel/tag/azure');
          const drawer = page.getByRole('dialog');
          await drawer.getByLabel('Tag', { exact: true }).fill('');
          await drawer.getByText('Changes 2 channels: the tag is dissolved').waitFor();
          await drawer.getByRole('button', { name: 'Save' }).click();
          await drawer.waitFor({ state: 'detached' });
          await row(page, 'azure-east').waitFor();
          expect([(await stored('azure-east')).tag, (await stored('azure-west')).tag]).toEqual(['', '']);
        },
        PATIENCE_MS,
      );
    });

    describe('the bulk bar', () => {
      it(
        'disables, enables and deletes those that are chosen',
        async () => {
          const page = await open('/channel');
          await choose(page, 'azure-east', 'claude');
          await page.getByRole('button', { name: 'Disable', exact: true }).click();
          await page.getByText('Operation completed: disabled 2 channels').waitFor();
          expect([(await stored('azure-east')).status, (await stored('azure-west')).status]).toEqual([2, 1]);
          await choose(page, 'azure-east', 'claude');
          await page.getByRole('button', { name: 'Enable', exact: true }).click();
          await page.getByText('Operation completed: enabled 2 channels').waitFor();
          await choose(page, 'dead', 'claude');
          await page.getByRole('button', { name: 'Delete', exact: true }).click();
          const question = page.getByRole('alertdialog');
          await question.getByText('Delete 2 channels?').waitFor();
          await question.getByRole('button', { name: 'Delete' }).click();
          await page.getByText('Deleted 2 channels').waitFor();
          expect(await names()).toEqual(['azure-east', 'azure-west']);
        },
        PATIENCE_MS,
      );

      inLong.it(
        'batch tagging of channels needs selected channels and a non-empty tag',
        async () => {
          const page = await open('/channel');
          await choose(page, 'dead', 'claude');
          await page.getByRole('button', { name: 'Tag', exact: true }).click();
          const dialog = page.getByRole('dialog');
          await dialog.getByRole('button', { name: 'Set the tag' }).click();
          await dialog.getByText('The tag cannot be empty').waitFor();
          await dialog.getByLabel('Tag', { exact: true }).fill('spare');
          await dialog.getByRole('button', { name: 'Set the tag' }).click();
          await page.getByText('Updated 2 channels: tagged spare').waitFor();
          expect([(await stored('dead')).tag, (await stored('claude')).tag]).toEqual(['spare', 'spare']);
        },
        PATIENCE_MS,
      );
    });

    it(
      'deletes all that are off only after the word was typed',
      async () => {
        await root.put('/api/channel/', { id: (await stored('claude')).id, status: 2 });
        await switchOff('dead', 'status 401');
        const page = await open('/channel?q=azure');
        await menu(page, 'More for all channels', 'Delete all that are off');
        const question = page.getByRole('alertdialog');
        await question.getByText('Delete all 2 channels that are off?').waitFor();
        expect(await question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
        await question.getByRole('textbox').fill('delete');
        await question.getByRole('button', { name: 'Delete' }).click();
        await page.getByText('Deleted 2 channels').waitFor();
        expect(await names()).toEqual(['azure-east', 'azure-west']);
      },
      PATIENCE_MS,
    );

    inLong.it(
      'repairs the index, and exports what the filters show',
      async () => {
        const page = await open('/channel?q=azure');
        await menu(page, 'More for all channels', 'Repair the index of models');
        await page.getByText('The index of models is in order: 8 rows').waitFor();
        const download = page.waitForEvent('download');
        await menu(page, 'More for all channels', 'Export as CSV');
        const text = await Bun.file(await (await download).path()).text();
        expect(text.trim().split('\r\n')).toHaveLength(3);
        expect(text).toContain('"gpt-4o,o3"');
        expect(text).not.toContain('sk-azure');
      },
      PATIENCE_MS,
    );

    describe('jobs', () => {
      /** How long it took, in milliseconds. */
      const cancelled: number[] = [];
      afterAll(() =>
        figure(52, `${cancelled.length} views, cancelled in at most ${Math.max(...cancelled).toFixed(0)} ms`),
      );
      const screens = viewsElsewhere({ width: DESK, locale: 'en', theme: 'light' });
      const testAll = async (page: Page, t: TFunction) => {
        await menu(page, t('channel.testMenu'), t('channel.scopeAll'));
        return page.getByRole('dialog', { name: t('job.test') });
      };
      /** How a job says that it is over: `4 of 4 · 2 failed · done`. */
      const over = (t: TFunction, done: number, failed: number) =>
        [t('job.of', { done, total: done }), t('job.failed', { n: failed }), t('job.state.done')].join(' · ');

      it.each(screens)(
        'tests all channels in the background, with progress, a result a row, and what failed again, at $width px, $locale, $theme',
        async (view) => {
          const t = translatorFor(view.locale);
          const { page } = await visit('/channel', view);
          const panel = await testAll(page, t);
          await panel
            .getByText(over(t, 4, 2), { exact: true })
            .first()
            .waitFor();
          expect(await panel.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('4');
          expect(await panel.getByRole('listitem').count()).toBe(4);
          await panel.getByLabel(t('job.filter')).selectOption('failed');
          const failed = await panel.getByRole('listitem').allInnerTexts();
          expect(failed.map((text) => text.split(' ')[0]).sort()).toEqual(['claude', 'dead']);
          // Each says why.
          const reasons = await panel.getByRole('listitem').locator('p').allInnerTexts();
          expect(reasons.map((reason) => reason.trim() !== '')).toEqual([true, true]);
          await root.put('/api/channel/', { id: (await stored('dead')).id, models: 'gpt-4o' });
          await panel.getByRole('button', { name: t('job.retry') }).click();
          await panel
            .getByText(over(t, 2, 1), { exact: true })
            .first()
            .waitFor();
          await panel.getByRole('button', { name: t('app.close') }).click();
          // The rows show the new times.
          expect(await row(page, 'azure-east').getByText(t('channel.untested')).count()).toBe(0);
          const drop = page.getByRole('button', { name: t('job.drop', { title: t('job.test') }) });
          await drop.click();
          expect(await drop.count()).toBe(0);
        },
        PATIENCE_MS,
      );

      it.each(screens)(
        'shows a job on other pages and after a reload, and stops it when asked, at $width px, $locale, $theme',
        async (view) => {
          const t = translatorFor(view.locale);
          upstream.always = 'held';
          await make('held', { key: Array.from({ length: 12 }, (_, n) => `sk-held-${n}`).join('\n') });
          const visitor = await visit('/channel', view);
          const { page } = visitor;
          const panel = await testAll(page, t);
          const pill = page.getByRole('button', { name: /\d+ \/ 16/ });
          await panel
            .getByText(/\b16\b/)
            .first()
            .waitFor();
          await page.reload();
          await pill.waitFor();
          await visitor.settled();
          if (isPhone(view)) await page.getByRole('button', { name: t('shell.openMenu') }).click();
          await page.getByRole('link', { name: t('nav.token'), exact: true }).click();
          await page.getByRole('heading', { name: t('token.title'), exact: true }).waitFor();
          await pill.click();
          // What is let go is done, and the bar says so.
          const done = async () =>
            Number(await panel.getByRole('progressbar').first().getAttribute('aria-valuenow'));
          const before = await done();
          upstream.release();
          await page.waitForFunction(
            (was) => Number(document.querySelector('[role=progressbar]')?.ariaValueNow) > was,
            before,
          );
          expect(await done()).toBeLessThan(16);
          const asked = performance.now();
          await panel.getByRole('button', { name: t('job.cancel'), exact: true }).click();
          await panel
            .getByText(new RegExp(`${t('job.state.cancelled')}$`))
            .first()
            .waitFor();
          cancelled.push(performance.now() - asked);
          expect(cancelled.at(-1)).toBeLessThanOrEqual(WHOLE ? 2_000 : patience(2_500));
        },
        PATIENCE_MS,
      );

      inLong.it(
        'asks for balances, one by a press and all as a job, and says where none is offered',
        async () => {
          const page = await open('/channel');
          await page.getByRole('button', { name: /^Balance of azure-east/ }).click();
          await page.getByText('azure-east has $89.00 left').waitFor();
          await row(page, 'azure-east').getByText('$89.00').waitFor();
          await menu(page, 'Balances of many', 'All channels');
          const panel = page.getByRole('dialog', { name: 'Balances' });
          await panel
            .getByText(/^4 of 4 · done$/)
            .first()
            .waitFor();
          expect(await panel.getByText('$89.00').count()).toBe(3);
          expect(await panel.getByText('not offered').count()).toBe(1);
        },
        PATIENCE_MS,
      );

      inLong.it(
        'tests the models of one channel one by one',
        async () => {
          await root.put('/api/channel/', { id: (await stored('dead')).id, models: 'gpt-4o,gpt-4o@401,o3' });
          const page = await open('/channel');
          await menu(page, 'More actions: dead', 'Test its models');
          const dialog = page.getByRole('dialog', { name: 'Test dead' });
          await dialog.getByRole('button', { name: 'Test 3 models' }).click();
          await dialog
            .getByRole('listitem')
            .filter({ hasText: 'gpt-4o@401' })
            .getByText(/401|invalid/i)
            .last()
            .waitFor();
          await dialog.getByRole('listitem').filter({ hasText: 'o3' }).getByText(/ s$/).waitFor();
          await dialog.getByLabel('Model', { exact: true }).fill('o3');
          expect(await dialog.getByRole('listitem').count()).toBe(1);
        },
        PATIENCE_MS,
      );
    });
  });

  const say = {
    en: {
      select: 'Select',
      selectTag: 'Select Tag: azure',
      test: 'Test many',
      all: 'All channels',
      done: /done$/,
      more: 'More for all channels',
      clear: 'Delete all that are off',
    },
    zh: {
      select: '选择',
      selectTag: '选择 标签：azure',
      test: '批量测试',
      all: '全部渠道',
      done: /已完成$/,
      more: '更多操作：全部渠道',
      clear: '删除全部禁用的渠道',
    },
  } as const;
  const states: Record<string, (page: Page, text: (typeof say)[Language]) => Promise<void>> = {
    tags: async () => {},
    chosen: async (page, text) => page.getByLabel(text.selectTag).check(),
    job: async (page, text) => {
      await menu(page, text.test, text.all);
      await page.getByRole('dialog').getByText(text.done).first().waitFor();
    },
    confirm: async (page, text) => {
      await menu(page, text.more, text.clear);
      await page.getByRole('alertdialog').waitFor();
    },
  };
  const inTags = async (options: VisitOptions): Promise<Visitor> => {
    await stock();
    await switchOff('dead', 'status 401: invalid key');
    const visitor = await site.visit({ user: rootUser, ...options });
    visitor.page.setDefaultTimeout(STEP_MS);
    await visitor.goto('/channel?view=tag');
    await visitor.page.getByRole('button', { name: 'azure 2' }).click();
    return visitor;
  };

  describe.each(Object.entries(states))('the state %s of the tag view', (name, reach) => {
    looksRight({
      name: `channel-${name}`,
      async open(locale) {
        const visitor = await inTags({ locale, stays: true });
        await reach(visitor.page, say[locale]);
        return visitor;
      },
    });
  });

  describe('the drawer of a tag', () => {
    looksRight({
      name: 'channel-tag',
      async open(locale) {
        await stock();
        const visitor = await site.visit({ user: rootUser, locale, stays: true });
        await visitor.goto('/channel/tag/azure');
        await visitor.page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });

  it.each(usually(['en'], 'zh'))(
    'what a phone chooses by its own button fits and has no serious finding, in %s',
    async (locale) => {
      const visitor = await inTags({ locale, width: PHONE });
      const { page } = visitor;
      await page.getByRole('button', { name: say[locale].select, exact: true }).click();
      await page.getByLabel(say[locale].selectTag).check();
      await visitor.shot(`channel-chosen-${locale}-phone-mode`);
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
      await visitor.darken();
      expect(await visitor.findings(['color-contrast'])).toEqual([]);
    },
    PATIENCE_MS,
  );
});
