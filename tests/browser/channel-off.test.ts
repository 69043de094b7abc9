/** Why a channel is off, or a key of it, stands where the operator looks for it. */
import { afterAll, beforeAll, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
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
