/** Why a channel is off, or a key of it, stands where the operator looks for it. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { DESK, openSite, PHONE, quietVisits, type Site } from '../support/browser.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let rootUser: TestUser;
let root: Client;
beforeAll(async () => {
  site = await openSite();
  rootUser = await site.api.createUser({ username: 'root', role: 100 });
  root = await site.api.as(rootUser);
}, patience(120_000));
afterAll(() => site.close());

const visit = quietVisits(
  () => site,
  () => ({ user: rootUser }),
  patience(20_000),
);

const add = async (name: string, key: string): Promise<number> => {
  const more = key.includes('\n') ? { multi_key_mode: 'polling' } : {};
  const given = { name, type: 1, key, models: 'gpt-4o', group: 'default', ...more };
  return (await root.post('/api/channel/', given)).data.ids[0];
};

it('says in the drawer of a channel that the gateway has switched off why and when', async () => {
  const id = await add('over', 'k');
  await site.api.deps.db.query(
    `update channels set status = 3, other_info = '{"status_reason": "429 five times", "status_time": 1000000000}'
     where id = $1`,
    [id],
  );
  const { page } = await visit(`/channel/edit/${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Switched off by the gateway: 429 five times · 2001-09-09 09:46:40').waitFor();
});

it('marks a channel that goes on with fewer keys, in the list and on the overview', async () => {
  const id = await add('three', 'a\nb\nc');
  await site.api.deps.db.query(
    'update channel_keys set status = 3, disabled_at = 1000 where channel_id = $1 and position = 1',
    [id],
  );
  for (const width of [DESK, PHONE]) {
    const { page } = await visit('/channel', { width });
    await page.getByText('keys off: 1 of 3').waitFor();
  }
  const { page } = await visit('/');
  const look = page.getByRole('region', { name: 'Needs a look' });
  await look.getByText('keys that the gateway has switched off: 1 of 3').waitFor();
  expect(await look.getByRole('link', { name: 'three' }).count()).toBe(1);
});
