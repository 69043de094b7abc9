/** A newcomer's first minutes: from the printed link to an answer of a model, in no more than twelve interactions. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator } from 'playwright';
import { translatorFor } from '../../web/lib/translator-for.ts';
import { figure, viewsElsewhere, WHOLE } from '../points/point.ts';
import { PASSWORD } from '../support/api.ts';
import { DESK, openSite, PHONE, type Site, viewName } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const MOST = 12;
const MOST_SECONDS = 180;

const VIEWS = usually([PHONE], DESK).map((width) => ({ width, locale: 'en', theme: 'light' }) as const);

describe.each(viewsElsewhere(...VIEWS))('at $width px, $locale, $theme', (view) => {
  const t = translatorFor(view.locale);
  let site: Site;
  let upstream: Upstream;
  beforeAll(async () => {
    [site, upstream] = await Promise.all([
      openSite('pglite', { SETUP_TOKEN: 'let-me-in' }),
      startUpstream({ words: 3 }),
    ]);
  }, patience(120_000));
  afterAll(async () => {
    await site.close();
    await upstream.close();
  });

  it(
    'the first answered call takes twelve interactions',
    async () => {
      const visitor = await site.visit(view);
      const { page } = visitor;
      let interactions = 0;
      const began = performance.now();
      /** A link that is opened, a field that is filled in, a press of a control. */
      const open = async (path: string) => {
        interactions++;
        await visitor.goto(path);
      };
      const fill = async (field: Locator, text: string) => {
        interactions++;
        await field.fill(text);
      };
      const press = async (control: Locator) => {
        interactions++;
        await control.click();
      };

      await open('/setup?token=let-me-in');
      // He is called so unless he wants another name.
      expect(await page.getByRole('textbox', { name: t('setup.username') }).inputValue()).toBe('root');
      await fill(page.getByLabel(t('setup.password'), { exact: true }), PASSWORD);
      await fill(page.getByLabel(t('setup.confirm')), PASSWORD);
      await press(page.getByRole('button', { name: t('setup.continue') }));
      await press(page.getByRole('button', { name: t('setup.finish') }));

      await page.waitForURL((url) => url.pathname === '/');
      await visitor.settled();
      await press(page.getByRole('link', { name: t('overview.stepAction.channel') }));
      const drawer = page.getByRole('dialog');
      // It is called after its provider unless one wants another name.
      expect(await drawer.getByLabel(t('channel.name'), { exact: true }).inputValue()).toBe('OpenAI');
      await fill(drawer.getByLabel(t('channel.key'), { exact: true }), 'sk-of-the-provider');
      // Counted as well, though it is the mock's: a provider's own address is known, and he has one step less.
      await fill(drawer.getByLabel(t('channel.baseUrl')), upstream.base);
      await fill(drawer.getByRole('combobox', { name: t('channel.models'), exact: true }), 'gpt-4o');
      await press(drawer.getByRole('button', { name: t('channel.saveAndTest') }));
      const tested = t('channel.testOk', { model: 'gpt-4o', time: '…' });
      await drawer.getByText(tested.slice(0, tested.indexOf('…'))).waitFor();
      await press(drawer.getByRole('link', { name: t('channel.tryIt') }));
      await page.waitForURL('**/token/chat');
      await press(page.getByRole('button', { name: t('chat.sendSample', { text: t('chat.sample') }) }));
      await page
        .getByRole('log', { name: t('chat.conversation') })
        .getByText('w0 w1 w2')
        .waitFor();
      expect(interactions).toBeLessThanOrEqual(MOST);
      const seconds = (performance.now() - began) / 1_000;
      figure(57, `${viewName(view)}: ${interactions} interactions, ${seconds.toFixed(0)} s without a reader`);
      if (WHOLE) expect(seconds).toBeLessThanOrEqual(MOST_SECONDS);
      expect(visitor.complaints).toEqual([]);
    },
    patience(90_000),
  );
});
