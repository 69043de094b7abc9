/** `/`: what a guest finds before he signs in, and how things stand for who has. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { keepAudit } from '../../src/modules/audit/service.ts';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { startUpstream } from '../support/upstream.ts';

let site: Site;
let root: Client;
let user: TestUser;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.root();
  const models = 'gpt-4o,dall-e-3,nobody-priced,claude-sonnet-4-20250514';
  await root.post('/api/channel/', { name: 'one', type: 1, key: 'k', models, group: 'default' });
  user = await site.api.createUser({ username: 'una', quota: 5_000_000 });
}, patience(120_000));
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

  it('leads to registration by its menu on the phone, in Chinese too', async () => {
    const visitor = await site.visit({ locale: 'zh', width: 390 });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('button', { name: '打开菜单' }).click();
    await page.getByRole('dialog').getByRole('link', { name: '注册' }).click();
    await page.waitForURL('**/register');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(visitor.complaints).toEqual([]);
  });

  it('leads nobody to registration where the site is somebody’s own', async () => {
    await tell({ SelfUseModeEnabled: 'true' });
    const { page } = await site.visit({ locale: 'en' });
    await page.goto(`${site.base}/`);
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Create account' }).count()).toBe(0);
    await site.api.deps.options.reset(['SelfUseModeEnabled']);
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

/** Thirty days of calls of a user by several models, and a day of three channels, one of which is off by itself. */
async function fillIn(): Promise<void> {
  const { db } = site.api.deps;
  const now = nowSec();
  const { userId } = root;
  for (const name of ['azure-east', 'a channel with a rather long name, in the west']) {
    const models = 'gpt-4o,claude-sonnet-4-20250514';
    await root.post('/api/channel/', { name, type: 1, key: 'k', models, group: 'default' });
  }
  const reason = { status_reason: { code: 'slow', values: { seconds: '12.4' } }, status_time: now - 4_000 };
  await db.query('update channels set status = 3, other_info = $1::text::jsonb where id = 3', [
    JSON.stringify(reason),
  ]);
  await db.query(
    `insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
       completion_tokens, quota)
     select ($1::bigint / 3600 - i * 5) * 3600, case when i % 2 = 0 then $2::bigint else $3::bigint end, 1, 1,
       (array['gpt-4o', 'claude-sonnet-4-20250514', 'gpt-4o-mini', 'o3', 'gemini-2.5-pro', 'dall-e-3', 'tts-1'])[1 + (i * i) % 7],
       'default', 3 + i % 5, 10, 10, 40000 + (i * 7919) % 90000 from generate_series(1, 140) i`,
    [now, userId, user.id],
  );
  await db.query(
    `insert into failures_hourly (hour, user_id, token_id, channel_id, model_name, group_name, code, calls)
     values (($1::bigint / 3600 - 1) * 3600, $2, 1, 1, 'gpt-4o', 'default', 'UPSTREAM', 7)`,
    [now, user.id],
  );
  await db.query(
    `insert into channel_quarters (quarter, channel_id, ok, slow, failed, answer_ms)
     select ($1::bigint / 900 - i) * 900, 1 + i % 3, 20, i % 4, case when i between 20 and 30 then 15 else 0 end,
       (20 + i % 4) * 900 * (1 + i % 3) from generate_series(0, 94) i`,
    [now],
  );
  const audit = { checked_at: now - 700, seconds: 3, checks: 22, unfinished: [], found: 0, findings: [] };
  await keepAudit(db, audit);
}

describe('the overview', () => {
  it('leads a user from one step to the next, and goes when all are done', async () => {
    const visitor = await site.visit({ locale: 'en', user });
    const { page } = visitor;
    await visitor.goto('/token');
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Overview' }).click();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('1 of 3 done').waitFor();
    expect(await page.getByRole('region', { name: 'The site' }).count()).toBe(0);
    await steps.getByRole('link', { name: 'Create a token' }).click();
    await page.waitForURL('**/token/add');
    await (await site.api.as(user)).post('/api/token/', { name: 'mine' });
    await visitor.goto('/');
    await steps.getByText('2 of 3 done').waitFor();
    const { db } = site.api.deps;
    await db.query('update users set request_count = 1 where id = $1', [user.id]);
    // Ten rows a minute apart: calls, one that was refused, and what is no call.
    await db.query(
      `insert into logs (created_at, user_id, type, quota, model_name, use_time)
       select $1::bigint - i * 60, $2, case i when 1 then 6 when 2 then 3 else 2 end, i * 500000, 'model-' || i, i
       from generate_series(0, 9) i`,
      [nowSec() - 60, user.id],
    );
    await visitor.goto('/');
    const recent = page.getByRole('region', { name: 'Recent requests' });
    await recent.waitFor();
    expect(await steps.count()).toBe(0);
    const lines = await recent.locator('tbody tr').allTextContents();
    expect(lines.map((line) => /model-\d/.exec(line)?.[0])).toEqual(
      [0, 1, 3, 4, 5, 6, 7, 8].map((n) => `model-${n}`),
    );
    expect([lines[1], lines[2]]).toEqual([
      expect.stringContaining('Failed'),
      expect.stringContaining('$3.00'),
    ]);
    await recent.getByRole('link', { name: 'model-3' }).click();
    await page.waitForURL(/\/log\?id=\d+/);
    await page.getByText('model-3').first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('tests a channel in place, and lets go of the steps until they are wanted again', async () => {
    const upstream = await startUpstream({ words: 3 });
    const quick = {
      name: 'quick',
      type: 1,
      key: 'k',
      base_url: upstream.base,
      models: 'gpt-4o',
      group: 'default',
    };
    await root.post('/api/channel/', quick);
    const admin = await site.api.createUser({ role: 10 });
    const visitor = await site.visit({ locale: 'en', user: admin });
    const { page } = visitor;
    await visitor.goto('/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Test quick now' }).click();
    await steps.getByText(/^Tested: gpt-4o answered in/).waitFor();
    await steps.getByText('3 of 5 done').waitFor();
    expect(await steps.getByRole('button', { name: 'Test quick now' }).count()).toBe(0);
    await steps.getByRole('button', { name: 'Hide' }).click();
    await visitor.goto('/');
    expect(await steps.count()).toBe(0);
    await page.getByRole('button', { name: 'Show the first steps (3 of 5 done)' }).click();
    await steps.getByRole('button', { name: 'Hide' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('link', { name: 'Show them' }).click();
    await steps.waitFor();
    await visitor.goto('/');
    await steps.waitFor();
    await site.api.deps.db.query(`delete from channels where name = 'quick'`);
    await upstream.close();
    expect(visitor.complaints).toEqual([]);
  });

  it('tells root of the site what is off and why, what has no price, and how channels did', async () => {
    const visitor = await site.visit({
      locale: 'en',
      user: { id: root.userId ?? 0, username: 'root', role: 100 },
    });
    const { page } = visitor;
    const look = page.getByRole('region', { name: 'Needs a look' });
    // Where nothing can be called not all is well.
    await root.put('/api/channel/', { id: 1, status: 2 });
    await visitor.goto('/');
    await look.getByText('No channel is in service: nothing can be called').waitFor();
    await page.getByText('1 switched off by hand').waitFor();
    await root.put('/api/channel/', { id: 1, status: 1 });
    await fillIn();
    await visitor.goto('/');
    await look.getByText('too slow: 12.4 s').waitFor();
    await look.getByText('nobody-priced').waitFor();
    await page.getByText('The books balance: 22 sums were proven').waitFor();
    const strip = page.getByRole('img', { name: /^azure-east: \d+ answered, \d+ slowly, \d+ failed$/ });
    await strip.waitFor();
    await page.getByRole('region', { name: 'Slowest channels' }).getByText('2.7 s').waitFor();
    // Prices are root's: an administrator is told, and led nowhere that he may not go.
    const admin = await site.visit({ locale: 'en', user: await site.api.createUser({ role: 10 }) });
    await admin.goto('/');
    await admin.page.getByRole('region', { name: 'Needs a look' }).getByText('nobody-priced').waitFor();
    expect(await admin.page.getByRole('link', { name: 'Set prices' }).count()).toBe(0);
    await look.getByRole('link', { name: 'Set prices' }).first().click();
    await page.waitForURL(/\/setting\?.*sub=unpriced/);
    expect(visitor.complaints).toEqual([]);
  });
});

looksRight({
  name: 'overview-user',
  async open(locale) {
    const visitor = await site.visit({ locale, user, stays: true });
    await visitor.goto('/');
    await visitor.page.getByText('model-3').first().waitFor();
    return visitor;
  },
});

looksRight({
  name: 'overview-root',
  async open(locale) {
    const user = { id: root.userId ?? 0, username: 'root', role: 100 };
    const visitor = await site.visit({ locale, user, stays: true });
    await visitor.goto('/');
    await visitor.page.getByText('azure-east').first().waitFor();
    return visitor;
  },
});
