/** `/`: what a guest finds before he signs in. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Client } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';

let site: Site;
let root: Client;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.root();
  const models = 'gpt-4o,dall-e-3,nobody-priced,claude-sonnet-4-20250514';
  await root.post('/api/channel/', { name: 'one', type: 1, key: 'k', models, group: 'default' });
}, 120_000);
afterAll(() => site.close());

const tell = (options: Record<string, string>) => site.api.deps.options.set(options);

describe('the home page of a guest', () => {
  it('says what this is, how it is called and what there is, and leads on', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/');
    expect(await page.getByLabel('The address to call').inputValue()).toBe(`${site.base}/v1`);
    await page.getByText(`curl ${site.base}/v1/chat/completions`).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'gpt-4o' }).textContent()).toContain('$2.50');
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'Models and prices' }).waitFor();
    await main.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/login');
    expect(visitor.complaints).toEqual([]);
  });

  it('is there without JavaScript', async () => {
    const visitor = await site.visit({ locale: 'en', javaScript: false });
    expect((await visitor.page.goto('/'))?.status()).toBe(200);
    await visitor.page.getByText('Many AI models, one address, one key.').waitFor();
    expect(await visitor.page.title()).toBe('Home · Tollgate');
  });

  it('shows a page of the operator’s choice where it can touch nothing here', async () => {
    const hosted = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          `<p id=said>loading</p><script>
             let told = 'apart';
             try { told = top.document.title } catch {}
             try { top.location = '/login'; } catch {}
             document.getElementById('said').textContent = told + ' ' + origin;
           </script>`,
          { headers: { 'content-type': 'text/html' } },
        ),
    });
    await tell({ HomePageContent: `http://127.0.0.1:${hosted.port}/`, About: '' });
    const visitor = await site.visit({ locale: 'en' });
    await visitor.goto('/');
    await visitor.page.frameLocator('iframe[title="Home"]').getByText('apart null').waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe('/');
    await site.api.deps.options.reset(['HomePageContent', 'About']);
    await hosted.stop(true);
  });
});

looksRight({
  name: 'home-guest',
  async open(locale) {
    await tell({
      Notice: 'Maintenance on **Sunday**, 02:00 to 03:00 UTC.',
      About: '# Who we are\n\nA gateway of *two* people.\n\n- quick\n- exact',
    });
    const visitor = await site.visit({ locale, stays: true });
    await visitor.goto('/');
    await visitor.page.getByRole('heading', { name: 'Who we are' }).waitFor();
    return visitor;
  },
});
