import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../../src/core/time.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('filters and orders of GET /api/token/page, on %s', (engine) => {
  let api: TestApi;
  let mine: Client;

  const names = async (query: string): Promise<string[]> => {
    const answer = await mine.get(`/api/token/page?size=100&${query}`);
    expect(answer.success).toBe(true);
    expect(answer.data.total).toBe(answer.data.items.length);
    return answer.data.items.map((token: { name: string }) => token.name);
  };

  beforeAll(async () => {
    api = await openApi(engine);
    mine = await api.as(await api.createUser({ username: 'una' }));
    await api.deps.options.set({ UserUsableGroups: '{"default":"Default","vip":"VIP"}' });
    const soon = nowSec() + 3600;
    for (const token of [
      { name: 'd-plain', remain_quota: 400 },
      { name: 'c-expired', remain_quota: 300, expired_time: soon },
      { name: 'b-spent', remain_quota: 0, group: 'vip' },
      { name: 'a-off', remain_quota: 100, group: 'vip' },
      { name: 'e-free', remain_quota: 0, unlimited_quota: true },
    ]) {
      const made = await mine.post('/api/token/', token);
      expect(made.message).toBe('');
      if (token.name === 'a-off')
        await mine.put('/api/token/?status_only=true', { id: made.data.id, status: 2 });
    }
    await api.deps.db.query(`update tokens set expired_time = 1 where name = 'c-expired'`);
    await api.deps.db.query(`update tokens set used_quota = id`);
  });
  afterAll(() => api.close());

  it('answers a search as a bare list, as GET /api/token/ does', async () => {
    const found = async (query: string) => (await mine.get(`/api/token/search?${query}`)).data;
    const [one, ...others] = await found('keyword=PLAIN');
    expect([one.name, others]).toEqual(['d-plain', []]);
    expect(await found(`token=sk-${one.key}`)).toEqual([one]);
    expect(await found(`keyword=expired&token=${one.key}`)).toEqual([]);
    // Of another user's nothing is found, whatever is asked.
    const other = await api.as(await api.createUser());
    expect((await other.get(`/api/token/search?token=${one.key}`)).data).toEqual([]);
    // Counted from 0, and masked where that is asked for.
    expect((await found('size=2&p=1')).map(({ name }: { name: string }) => name)).toEqual([
      'b-spent',
      'c-expired',
    ]);
    expect((await found('keyword=plain&mask=true'))[0].key).toContain('…');
    expect(await api.guest().get('/api/token/search')).toMatchObject({ status: 401 });
  });

  it('finds tokens by the state that the list shows', async () => {
    expect(await names('status=1')).toEqual(['e-free', 'd-plain']);
    expect(await names('status=2')).toEqual(['a-off']);
    expect(await names('status=3')).toEqual(['c-expired']);
    expect(await names('status=4')).toEqual(['b-spent']);
  });

  it('finds tokens by their group', async () => {
    expect(await names('group=vip')).toEqual(['a-off', 'b-spent']);
    expect(await names('group=vip&status=2')).toEqual(['a-off']);
  });

  it('orders by name, use, rest and age, both ways', async () => {
    expect(await names('sort=name')).toEqual(['a-off', 'b-spent', 'c-expired', 'd-plain', 'e-free']);
    expect(await names('sort=-left')).toEqual(['d-plain', 'c-expired', 'a-off', 'b-spent', 'e-free']);
    expect(await names('sort=used')).toEqual(['d-plain', 'c-expired', 'b-spent', 'a-off', 'e-free']);
    expect(await names('sort=created')).toEqual(['d-plain', 'c-expired', 'b-spent', 'a-off', 'e-free']);
  });

  it('orders by what some have not, which stand last both ways', async () => {
    await api.deps.db.query(`update tokens set expired_time = 4000000000 where name = 'a-off'`);
    expect(await names('sort=expires')).toEqual(['c-expired', 'a-off', 'd-plain', 'b-spent', 'e-free']);
    expect(await names('sort=-expires')).toEqual(['a-off', 'c-expired', 'e-free', 'b-spent', 'd-plain']);
    // What is without limit has no rest.
    expect((await names('sort=left')).at(-1)).toBe('e-free');
  });

  it('takes a filter that does not exist for none', async () => {
    expect(await names('status=9')).toHaveLength(5);
  });
});
