import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { PriceItem } from '../../../src/modules/model-hub/prices.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('/api/pricing on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    const channel = (name: string, models: string, group: string) =>
      root.post('/api/channel/', { name, type: 1, key: 'k', models, group });
    await channel('open', 'gpt-4o,gpt-4o-mini,house-model,call-model,tier-model,hidden-model', 'default');
    await channel('both', 'gpt-4o', 'vip');
    await channel('inner', 'inner-model', 'svip');
    const off = (await channel('off', 'off-model', 'default')).data.ids[0];
    await root.put('/api/channel/', { id: off, status: 2 });
    const set = (key: string, value: unknown) =>
      root.put('/api/option/', { key, value: JSON.stringify(value) });
    await set('ModelPrice', { 'call-model': 0.04 });
    await set('GroupRatio', { default: 1, vip: 0.8, svip: 0.5 });
    await set('GroupGroupRatio', { vip: { default: 0.9 } });
    await set('ModelTieredPrice', {
      'tier-model': [
        { up_to: 1000, input: 2, output: 4 },
        { up_to: null, input: 4, output: 8, cache_write: 6 },
      ],
    });
    await set('CacheRatio', { 'tier-model': 0.1 });
    await root.put('/api/model_hub/admin/', {
      update: [
        { name: 'gpt-4o', tags: 'Hot', max_token: 128_000, desc: 'Well known', sort: 0 },
        { name: 'hidden-model', hide: true },
        { name: 'gpt-4o-mini', tags: 'Faster,New', sort: 1 },
      ],
    });
  });
  afterAll(() => api.close());

  const list = async (client: Client) => {
    const answer = await client.get('/api/pricing');
    return { ...JSON.parse(answer.text), items: answer.data as PriceItem[] };
  };
  const namesOf = (items: PriceItem[]) => items.map((item) => item.model_name);
  const itemOf = (items: PriceItem[], name: string) => items.find((item) => item.model_name === name);

  it('lists for guests what the groups that anybody may use are served, without availability', async () => {
    const { items, group_ratio, usable_group } = await list(api.guest());
    expect(namesOf(items)).toEqual(['call-model', 'gpt-4o', 'house-model', 'tier-model', 'gpt-4o-mini']);
    expect(itemOf(items, 'gpt-4o')).toMatchObject({
      quota_type: 0,
      model_ratio: 1.25,
      completion_ratio: 4,
      model_price: 0,
      owner_by: 'OpenAI',
      enable_groups: ['default', 'vip'],
      available: null,
      price_source: 'default',
      max_token: 128_000,
      desc: 'Well known',
      tags: 'Hot',
    });
    expect(group_ratio).toEqual({ default: 1, vip: 0.8 });
    expect(Object.keys(usable_group)).toEqual(['default', 'vip']);
  });

  it('tells prices a call, tiers, and what a model without a price would cost', async () => {
    const { items } = await list(api.guest());
    expect(itemOf(items, 'call-model')).toMatchObject({ quota_type: 1, model_price: 0.04, model_ratio: 0 });
    expect(itemOf(items, 'tier-model')).toMatchObject({
      quota_type: 0,
      model_ratio: 1,
      completion_ratio: 2,
      tier_by: 'input',
      tiers: [{ up_to: 1000 }, { up_to: null }],
    });
    expect(itemOf(items, 'house-model')).toMatchObject({ model_ratio: 37.5, price_source: 'unset' });
  });

  it('tells of each tier what its caches cost, also where it leaves that to the model’s ratios', async () => {
    const { items } = await list(api.guest());
    expect(itemOf(items, 'tier-model')?.tiers).toEqual([
      { up_to: 1000, input: 2, output: 4, cache_read: 0.2, cache_write: 2 },
      { up_to: null, input: 4, output: 8, cache_read: 0.4, cache_write: 6 },
    ]);
  });

  it('tells what a call that thinks costs where that is another price, of tiers in each', async () => {
    const tiers = [
      { up_to: 1000, input: 2, output: 4, output_thinking: 8 },
      { up_to: null, input: 4, output: 8 },
    ];
    const before = (await root.get('/api/option/')).data.find(
      ({ key }: { key: string }) => key === 'ModelTieredPrice',
    ).value;
    const set = (key: string, value: object | string) =>
      root.put('/api/option/', { key, value: typeof value === 'string' ? value : JSON.stringify(value) });
    await set('ModelTieredPrice', { 'tier-model': tiers });
    await set('ThinkingCompletionRatio', { 'gpt-4o': 6, 'tier-model': 3 });
    const { items } = await list(api.guest());
    expect(itemOf(items, 'gpt-4o')).toMatchObject({ completion_ratio: 4, thinking_completion_ratio: 6 });
    expect(itemOf(items, 'gpt-4o-mini')).toMatchObject({ completion_ratio: 4, thinking_completion_ratio: 4 });
    expect(itemOf(items, 'tier-model')).toMatchObject({
      thinking_completion_ratio: 4,
      tiers: [{ output_thinking: 8 }, { output_thinking: 12 }],
    });
    await set('ModelTieredPrice', before);
    await set('ThinkingCompletionRatio', {});
  });

  it('tells what a second of film costs, and finds the models that are sold by it', async () => {
    const price = { per_second: 0.1, sizes: { '1280x720': 0.2 } };
    const value = JSON.stringify({ 'house-model': price, 'gpt-4o': { per_second: 1 } });
    await root.put('/api/option/', { key: 'VideoPrice', value });
    const { items } = await list(api.guest());
    expect(itemOf(items, 'house-model')).toMatchObject({ video: price, price_source: 'unset' });
    expect(itemOf(items, 'call-model')).toMatchObject({ video: null });
    const found = (await api.guest().get('/api/pricing/page?billing=video')).data;
    expect(namesOf(found.items)).toEqual(['house-model']);
    await root.put('/api/option/', { key: 'VideoPrice', value: null });
    expect(itemOf((await list(api.guest())).items, 'house-model')).toMatchObject({ video: null });
  });

  it('tells users what is available to them, at the ratios that they pay', async () => {
    const vip = await api.as(await api.createUser({ group: 'vip' }));
    const { items, group_ratio } = await list(vip);
    expect(itemOf(items, 'gpt-4o')).toMatchObject({ available: true });
    expect(itemOf(items, 'inner-model')).toMatchObject({ available: false, enable_groups: ['svip'] });
    expect(group_ratio).toEqual({ vip: 0.8, default: 0.9 });
    expect(namesOf(items)).not.toContain('hidden-model');
    expect(namesOf(items)).not.toContain('off-model');
  });

  it('calls nothing available whose call would be refused for want of a price', async () => {
    const [timid, bold] = [await api.as(await api.createUser()), await api.as(await api.createUser())];
    await bold.put('/api/user/setting', { accept_unset_model_ratio_model: true });
    const house = async (client: Client) => itemOf((await list(client)).items, 'house-model');
    expect(await house(api.guest())).toMatchObject({ available: null, sold: false });
    expect(await house(timid)).toMatchObject({ available: false, sold: false });
    expect(await house(bold)).toMatchObject({ available: true, sold: true });
    const sold = async (client: Client) => (await client.get('/api/user/models?sold=true')).data;
    expect(await sold(timid)).not.toContain('house-model');
    expect(await sold(timid)).toContain('gpt-4o');
    expect(await sold(bold)).toContain('house-model');
    expect((await timid.get('/api/user/models')).data).toContain('house-model');
    await root.put('/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    expect(await house(timid)).toMatchObject({ available: true });
    expect(await sold(timid)).toContain('house-model');
    await root.put('/api/option/', { key: 'SelfUseModeEnabled', value: null });
  });

  it('shows administrators hidden models too', async () => {
    expect(namesOf((await list(root)).items)).toContain('hidden-model');
  });

  describe('a page of it', () => {
    const page = async (query: string, client: Client = api.guest()) =>
      (await client.get(`/api/pricing/page?${query}`)).data;

    it('holds 20 unless asked for fewer, and says how many there are', async () => {
      const all = await page('');
      expect(all.total).toBe(5);
      const second = await page('p=2&page_size=2');
      expect(namesOf(second.items)).toEqual(['house-model', 'tier-model']);
      expect([second.tags, second.vendors]).toEqual([['Faster', 'Hot', 'New'], ['OpenAI']]);
    });

    it.each([
      ['keyword=GPT', ['gpt-4o', 'gpt-4o-mini']],
      ['keyword=well', ['gpt-4o']],
      ['billing=call', ['call-model']],
      ['billing=tiers', ['tier-model']],
      ['tag=New', ['gpt-4o-mini']],
      ['vendor=OpenAI', ['gpt-4o', 'gpt-4o-mini']],
      ['group=vip', ['gpt-4o']],
      ['sort=-input', ['call-model', 'house-model', 'gpt-4o', 'tier-model', 'gpt-4o-mini']],
      ['sort=-vendor', ['gpt-4o', 'gpt-4o-mini', 'call-model', 'house-model', 'tier-model']],
      ['sort=-model', ['tier-model', 'house-model', 'gpt-4o-mini', 'gpt-4o', 'call-model']],
    ])('finds by %s', async (query, names) => {
      expect(namesOf((await page(query)).items)).toEqual(names);
    });

    it('refuses an order that there is not', async () => {
      expect((await api.guest().get('/api/pricing/page?sort=height')).status).toBe(400);
    });
  });
});
