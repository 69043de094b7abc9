import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  root.headers['accept-language'] = 'en';
});
afterAll(() => api.close());

const put = (value: unknown, more: object = {}) =>
  root.put('/api/option/', {
    key: 'GroupRatio',
    value: value === null ? null : JSON.stringify(value),
    ...more,
  });
const groups = async () => (await root.get('/api/group/')).data;

test('a group that is still somebody’s goes only when that is confirmed', async () => {
  await put({ default: 1, vip: 0.5, gone: 2, unused: 3 });
  const user = await api.createUser({ group: 'gone' });
  await api.createUser({ group: 'gone' });
  await api.deps.db.query(
    `insert into tokens (user_id, name, key_lookup, key_hint, group_name) values (${user.id}, 't', 'l', 'h', 'vip')`,
  );
  await api.deps.db.query(`insert into channels (type, name, groups) values (1, 'c', '{default,gone}')`);

  const refused = await put({ default: 1 });
  expect(refused).toMatchObject({
    status: 200,
    success: false,
    code: 'OPTION_GROUPS_USED',
    data: {
      groups: [
        { group: 'gone', users: 2, tokens: 0, channels: 1 },
        { group: 'vip', users: 0, tokens: 1, channels: 0 },
      ],
    },
  });
  expect(refused.message).toContain(
    'gone (2 users, 0 tokens, 1 channels), vip (0 users, 1 tokens, 0 channels)',
  );
  // What is no table of groups ends none.
  const twice = await root.put('/api/option/', { key: 'GroupRatio', value: '{"default": 1, "default": 2}' });
  expect(twice.code).toBe('OPTION_INVALID');
  expect(await groups()).toEqual(['default', 'vip', 'gone', 'unused']);

  // Going back to the default takes groups away as well.
  expect((await put(null)).code).toBe('OPTION_GROUPS_USED');
  // Nobody has this one, and another ratio is no end of a group.
  expect((await put({ default: 1, vip: 9, gone: 2 })).success).toBe(true);
  expect((await put({ default: 3 }, { confirm: true })).success).toBe(true);
  expect(await groups()).toEqual(['default']);
  // What is refused for itself is told as that, confirmed or not.
  expect((await put({ other: 1 }, { confirm: true })).code).toBe('OPTION_INVALID');
});
