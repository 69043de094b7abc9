/** Applications call models for their users, with the access tokens that these let them have. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Client } from '../support/api.ts';
import { refresh, registerApp, signInAt, type TestApp } from '../support/oauth-app.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let app: TestApp;
let user: Client;
beforeAll(async () => {
  relay = await openTestRelay();
  app = await registerApp(relay.root);
  user = await relay.api.as(relay.user);
});
afterAll(() => relay.close());

const status = async (key: string): Promise<number> => (await relay.chat({}, { key })).status;

it('are charged to their user under the application’s name', async () => {
  const before = await relay.account();
  const { access } = await signInAt(relay.api, app, user, 'relay');
  expect(await status(access)).toBe(200);
  await relay.settled(1);
  const [row] = await relay.api.deps.db.query<{ token_name: string; user_id: number; quota: number }>(
    'select token_name, user_id, quota from logs where type = 2 order by id desc limit 1',
  );
  expect(row).toMatchObject({ token_name: 'Notebook', user_id: relay.user.id });
  const after = await relay.account();
  expect(before.quota - after.quota).toBe(row?.quota ?? -1);
  expect(row?.quota).toBeGreaterThan(0);
});

it('are refused without the scope, and once what they were let do has ended', async () => {
  const without = await signInAt(relay.api, app, user, 'profile balance');
  expect(await status(without.access)).toBe(401);
  const { access, refresh: token } = await signInAt(relay.api, app, user, 'relay');
  expect(await status(access)).toBe(200);
  // The second use of a refresh token ends all, also what the relay keeps of it.
  await refresh(relay.api, app, token);
  await refresh(relay.api, app, token);
  expect(await status(access)).toBe(401);
});

it('have no rights of an administrator, though their user is one', async () => {
  const admin = await relay.api.createUser({ role: 10, quota: 1_000_000 });
  const { access } = await signInAt(relay.api, app, await relay.api.as(admin), 'relay');
  expect(await status(access)).toBe(200);
  expect(await status(`${access}-${relay.channelId}`)).toBe(403);
});
