/** The console under a finger: nothing that is pressed is smaller than one, on any page. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { logs } from '../../src/db/schema/index.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, PHONE, quietVisits, type Site, type VisitOptions } from '../support/browser.ts';
import { patience } from '../support/patience.ts';
import { routePaths } from '../support/route-paths.ts';
import { sticksOut, tooSmall } from '../support/touch.ts';

const PATIENCE_MS = patience(240_000);

let site: Site;
let root: TestUser;
const ids: Record<string, number> = {};
beforeAll(async () => {
  site = await openSite();
  const { db, options } = site.api.deps;
  await options.set({
    RegisterEnabled: 'true',
    ModelRatio: '{"gpt-4o":1.25,"o3":1}',
    CompletionRatio: '{"gpt-4o":4}',
    TopUpLink: 'https://shop.example',
  });
  root = await site.api.createUser({ username: 'root', role: 100, quota: 5_000_000 });
  const client = await site.api.as(root);
  const channel = { name: 'azure-east', type: 1, key: 'sk-x', models: 'gpt-4o,o3,other', tag: 'eu' };
  ids.channel = (await client.post('/api/channel/', channel)).data.ids[0];
  ids.token = (await client.post('/api/token/', { name: 'ci', unlimited_quota: true })).data.id;
  await client.post('/api/redemption/', { name: 'spring', quota: 500_000, count: 2 });
  ids.redemption = (await client.get('/api/redemption/?p=0')).data.items?.[0]?.id ?? 1;
  ids.user = (await site.api.createUser({ username: 'una', quota: 500 })).id;
  await db.orm.insert(logs).values({
    created_at: nowSec() - 60,
    user_id: root.id,
    username: 'root',
    type: 2,
    token_id: ids.token ?? 1,
    token_name: 'ci',
    model_name: 'gpt-4o',
    group_name: 'default',
    quota: 65,
    prompt_tokens: 320,
    completion_tokens: 40,
    use_time: 2,
    is_stream: true,
    request_id: Bun.randomUUIDv7(),
  });
}, patience(120_000));
afterAll(() => site.close());

const visit = quietVisits(
  () => site,
  () => ({ width: PHONE }),
  patience(20_000),
);

/** Every address that a route answers, with the records that are there. Some lead elsewhere at once, or need more. */
const LEFT_OUT = /^\/(setup|payment|approve|user\/reset|oauth\/|login|register|reset|personal$)|\$(?!id)/;
const DRAWER = /\/(add|edit|code|chat|reward)\b/;
function paths(): string[] {
  return routePaths()
    .filter((path) => !LEFT_OUT.test(path))
    .flatMap((path) => {
      const id = ids[path.split('/')[1] ?? ''];
      if (!path.includes('$id')) return path;
      return id === undefined ? [] : path.replace('$id', String(id));
    });
}

it('has a finger that the browser knows of', async () => {
  const { page } = await visit('/login');
  expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true);
});

/** What is smaller on these pages, or too narrow for its words, with where. */
async function smaller(all: readonly string[], options: VisitOptions): Promise<string[]> {
  const visitor = await visit('/', options);
  const found: string[] = [];
  for (const path of all) {
    await visitor.goto(path);
    if (DRAWER.test(path)) await visitor.page.getByRole('dialog').waitFor();
    // What comes late has its place, too.
    if (path.startsWith('/channel/edit/'))
      await visitor.page.getByRole('link', { name: '设置价格' }).waitFor();
    const seen = [...(await tooSmall(visitor.page)), ...(await sticksOut(visitor.page))];
    found.push(...seen.map((one) => `${path}: ${one}`));
  }
  return found;
}

it(
  'has nothing smaller than a finger, nor than its words, on any page of a guest',
  async () => {
    const all = ['/', '/login', '/register', '/reset', '/model-hub', '/terms/privacy-policy.html'];
    expect(await smaller(all, { locale: 'en' })).toEqual([]);
  },
  PATIENCE_MS,
);

// In Chinese, whose words are the shortest.
it(
  'has nothing smaller than a finger, nor than its words, on any page of the super admin',
  async () => {
    const all = [...paths(), '/detail?user=nobody-there'];
    expect(all.length).toBeGreaterThan(35);
    expect(await smaller(all, { locale: 'zh', user: root })).toEqual([]);
  },
  PATIENCE_MS,
);
