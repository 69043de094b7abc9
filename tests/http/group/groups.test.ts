import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('groups on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  it('are listed to who may use them, his own and the public ones, with what they cost him', async () => {
    const client = await api.as(await api.createUser({ group: 'svip' }));
    await api.deps.options.set({
      GroupRatio: '{"default":1,"vip":0.8,"svip":0.5,"hidden":2}',
      UserUsableGroups: '{"default":"Everyone","vip":"VIP","gone":"no such group"}',
      GroupGroupRatio: '{"svip":{"vip":0.7}}',
    });
    const guest = (await api.guest().get('/api/user/groups')).data;
    expect(guest).toEqual({ default: { ratio: 1, desc: 'Everyone' }, vip: { ratio: 0.8, desc: 'VIP' } });
    expect((await client.get('/api/user/groups/')).data).toEqual(
      (await client.get('/api/user/self/groups')).data,
    );
    expect((await client.get('/api/user/self/groups')).data).toEqual({
      svip: { ratio: 0.5, desc: 'svip' },
      default: { ratio: 1, desc: 'Everyone' },
      vip: { ratio: 0.7, desc: 'VIP' },
    });
    expect((await client.get('/api/group/')).data).toEqual(['default', 'vip', 'svip', 'hidden']);
  });
});
