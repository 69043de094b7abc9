import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { fieldWords } from '../../../src/core/field-words.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const PIXEL = `data:image/png;base64,${Buffer.alloc(48, 7).toString('base64')}`;

describe.each(callEngines)('/api/model_hub on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    admin = await api.as(await api.createUser({ role: 10 }));
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    await api.deps.db.query('delete from hub_models');
    for (const key of [
      'ModelPrice',
      'ModelRatio',
      'CompletionRatio',
      'CacheRatio',
      'ModelTieredPrice',
      'UnsoldModels',
    ])
      await root.put('/api/option/', { key, value: null });
  });

  const save = (update: object[], removed: string[] = []) =>
    admin.put('/api/model_hub/admin/', { update, delete: removed });
  const entries = async () => (await admin.get('/api/model_hub/admin/')).data;
  const entryOf = async (name: string) =>
    (await entries()).find((one: { name: string }) => one.name === name);
  const option = async (key: string) => {
    const row = (await root.get('/api/option/')).data.find((one: { key: string }) => one.key === key);
    return row.is_set ? JSON.parse(row.value) : null;
  };

  it('lists models with prices of the default table, which nobody has set', async () => {
    expect(await entryOf('gpt-4o')).toMatchObject({
      price: null,
      ratio: 1.25,
      completionRatio: 4,
      mode: 'tokens',
      source: 'default',
      hide: false,
      enabled: false,
    });
    expect(await entryOf('dall-e-3')).toMatchObject({ mode: 'call', ratio: null, completionRatio: null });
  });

  it('lists models that a channel serves and nothing prices', async () => {
    await root.post('/api/channel/', {
      name: 'own',
      type: 1,
      key: 'k',
      models: 'house-model',
      group: 'default',
    });
    expect(await entryOf('house-model')).toMatchObject({ mode: 'none', source: 'unset', enabled: true });
  });

  it('tells which of some models would be refused for want of a price', async () => {
    const ask = async (models: unknown, who = admin) => who.post('/api/model_hub/unpriced', { models });
    await save([
      { name: 'by-call', mode: 'call', price: 0.5 },
      { name: 'gpt-4o-mini', mode: 'none', price: null, ratio: null },
    ]);
    await root.put('/api/option/', { key: 'VideoPrice', value: '{"film": {"per_second": 0.1}}' });
    const names = ['zzz', 'gpt-4o', 'by-call', 'film', 'gpt-4o-mini', 'claude-sonnet-4-thinking', 'aaa'];
    expect((await ask(names)).data).toEqual(['zzz', 'gpt-4o-mini', 'aaa']);
    await root.put('/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    expect((await ask(names)).data).toEqual(['gpt-4o-mini']);
    for (const key of ['SelfUseModeEnabled', 'VideoPrice'])
      await root.put('/api/option/', { key, value: null });
    expect((await ask('zzz')).status).toBe(400);
    expect((await ask(names, await api.as(await api.createUser()))).status).toBe(403);
  });

  it('saves what is said of a model and merges the ratios into the options', async () => {
    const given = {
      name: 'new-model',
      ratio: '1.5',
      completionRatio: 4,
      model_type: 'iti,tti',
      tags: 'Hot, New',
      multimodal: true,
      sort: 3,
      desc: 'Does much',
      max_token: 128_000,
      hide: false,
      icon: PIXEL,
    };
    const answer = await save([given]);
    expect(answer).toMatchObject({ success: true, data: { updated: 1, deleted: 0 } });
    expect(await entryOf('new-model')).toMatchObject({
      ...given,
      ratio: 1.5,
      tags: 'Hot,New',
      price: null,
      source: 'option',
    });
    expect(await option('ModelRatio')).toEqual({ 'new-model': 1.5 });
    expect(await option('CompletionRatio')).toEqual({ 'new-model': 4 });
    // Models that were not touched keep the default table's price.
    expect(await entryOf('gpt-4o')).toMatchObject({ source: 'default' });
  });

  it('setting a fixed price disables the ratios, and a ratio the fixed price', async () => {
    await save([{ name: 'm', ratio: 2, completionRatio: 3 }]);
    await save([{ name: 'm', price: 0.04, ratio: 2, completionRatio: 3 }]);
    expect(await entryOf('m')).toMatchObject({
      mode: 'call',
      price: 0.04,
      ratio: null,
      completionRatio: null,
    });
    expect([await option('ModelRatio'), await option('CompletionRatio')]).toEqual([{}, {}]);
    await save([{ name: 'm', price: 0.04, ratio: 5 }]);
    expect(await entryOf('m')).toMatchObject({ mode: 'tokens', price: null, ratio: 5 });
    expect(await option('ModelPrice')).toEqual({});
  });

  it('takes an entry back as it was read and changes no price by that', async () => {
    await save([{ ...(await entryOf('gpt-4o')), desc: 'The old one' }]);
    expect(await entryOf('gpt-4o')).toMatchObject({ desc: 'The old one', source: 'default' });
    for (const key of ['ModelRatio', 'CompletionRatio', 'CacheRatio', 'ModelPrice'])
      expect(await option(key)).toBeNull();
  });

  it('takes a model of the default table out of sale, and puts it back', async () => {
    await save([{ name: 'gpt-4o', mode: 'none', price: null, ratio: null }]);
    expect(await entryOf('gpt-4o')).toMatchObject({ mode: 'none', ratio: null, source: 'unset' });
    expect(await option('UnsoldModels')).toEqual({ 'gpt-4o': true });
    expect(await entryOf('gpt-4o-mini')).toMatchObject({ source: 'default' });
    await save([{ name: 'gpt-4o', mode: 'tokens', ratio: 2 }]);
    expect(await entryOf('gpt-4o')).toMatchObject({ ratio: 2, source: 'option' });
    expect(await option('UnsoldModels')).toEqual({});
    // Deleting forgets everything that was said: the default table has its say again.
    await save([{ name: 'gpt-4o', mode: 'none', price: null, ratio: null }]);
    await save([], ['gpt-4o']);
    expect(await entryOf('gpt-4o')).toMatchObject({ ratio: 1.25, source: 'default' });
  });

  it('leaves tiers when a model gets ratios', async () => {
    const tiers = [
      { up_to: 10, input: 2, output: 4 },
      { up_to: null, input: 4, output: 8 },
    ];
    await root.put('/api/option/', {
      key: 'ModelTieredPrice',
      value: JSON.stringify({ m: tiers, other: tiers }),
    });
    expect(await entryOf('m')).toMatchObject({
      mode: 'tiers',
      ratio: 1,
      completionRatio: 2,
      tiered: { tiers },
    });
    await save([{ name: 'm', ratio: 3, completionRatio: 1 }]);
    expect(await entryOf('m')).toMatchObject({ mode: 'tokens', ratio: 3 });
    expect(Object.keys(await option('ModelTieredPrice'))).toEqual(['other']);
  });

  it('saves tiers as short as they can be said, takes them back as they were read, and refuses what is none', async () => {
    const tiers = [
      { up_to: 10, input: 2, output: 4 },
      { up_to: null, input: 1, output: 2, cache_read: 0.5 },
    ];
    await save([{ name: 'm', mode: 'tiers', tiered: { by: 'input', tiers } }]);
    expect(await option('ModelTieredPrice')).toEqual({ m: tiers });
    await save([{ ...(await entryOf('m')), desc: 'By length' }]);
    expect(await option('ModelTieredPrice')).toEqual({ m: tiers });
    expect(await option('ModelRatio')).toBeNull();
    await save([{ name: 'm', tiered: { by: 'month', tiers } }]);
    expect(await option('ModelTieredPrice')).toEqual({ m: { by: 'month', tiers } });
    const refused = await save([{ name: 'm', tiered: { by: 'input', tiers: tiers.slice(0, 1) } }]);
    expect(refused).toMatchObject({ status: 400, code: 'BAD_PARAM' });
  });

  it('begins with the tiers of the default table, and saves what becomes of them', async () => {
    const { tiered } = await entryOf('gemini-2.5-pro');
    expect(await entryOf('gemini-2.5-pro')).toMatchObject({ mode: 'tiers', ratio: 0.625, source: 'default' });
    const dearer = tiered.tiers.map((tier: object) => ({ ...tier, output: 20 }));
    await save([{ name: 'gemini-2.5-pro', tiered: { ...tiered, tiers: dearer } }]);
    expect(await option('ModelTieredPrice')).toMatchObject({ 'gemini-2.5-pro': dearer });
    await save([
      { name: 'gemini-2.5-pro', mode: 'tokens', ratio: 0.625, completionRatio: 8, cacheRatio: 0.1 },
    ]);
    const flat = { mode: 'tokens', ratio: 0.625, completionRatio: 8, tiered: null, source: 'option' };
    expect(await entryOf('gemini-2.5-pro')).toMatchObject(flat);
    await save([], ['gemini-2.5-pro']);
    expect(await entryOf('gemini-2.5-pro')).toMatchObject({ tiered, source: 'default' });
  });

  it('deletes entries with their prices', async () => {
    await save([{ name: 'gone', ratio: 2, completionRatio: 3, desc: 'x' }]);
    expect((await save([], ['gone', 'never-there'])).data).toEqual({ updated: 0, deleted: 2 });
    expect(await entryOf('gone')).toBeUndefined();
    expect(await option('ModelRatio')).toEqual({});
  });

  it.each([
    ['price', { price: 'cheap' }],
    ['ratio', { ratio: -1 }],
    ['ratio', { ratio: '0.1234567890123' }],
    ['completionRatio', { completionRatio: 'NaN' }],
    ['max_token', { max_token: 1.5 }],
    ['sort', { sort: 'first' }],
  ])('asks for a number: %s = %p', async (field, given) => {
    const answer = await save([
      { name: 'fine', ratio: 1 },
      { name: 'm', ...given },
    ]);
    expect(answer).toMatchObject({ status: 200, success: false, code: 'HUB_NUMBER' });
    const words = fieldWords(field);
    expect('en' in words && answer.message).toContain('zh' in words && words.zh);
    // All or nothing.
    expect(await entryOf('fine')).toBeUndefined();
    expect(await option('ModelRatio')).toBeNull();
  });

  it('refuses a name that is given twice, and icons that are no small picture', async () => {
    expect(await save([{ name: 'a' }, { name: 'a' }])).toMatchObject({ code: 'HUB_NAME_TAKEN' });
    expect(await save([{ name: 'a', icon: 'https://a.example/x.png' }])).toMatchObject({ code: 'HUB_ICON' });
    expect(await save([{ name: 'a', icon: 'data:text/html;base64,PGI+' }])).toMatchObject({
      code: 'HUB_ICON',
    });
    expect((await save([{ name: 'a', icon: `${PIXEL}${'A'.repeat(90_000)}` }])).status).toBe(400);
  });

  it('keeps what two editors save at once', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `parallel-${i}`);
    const answers = await Promise.all(names.map((name, i) => save([{ name, ratio: i + 1 }])));
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(Object.keys(await option('ModelRatio')).sort()).toEqual(names.toSorted());
  });

  it('records who changed which price', async () => {
    await save([{ name: 'm', ratio: 2 }]);
    const [row] = await api.deps.db.query<{ actor_id: number; detail: unknown }>(
      "select actor_id, detail from admin_actions where action = 'model_hub.save' order by id desc limit 1",
    );
    expect(row).toMatchObject({
      actor_id: admin.userId,
      detail: { updated: ['m'], ModelRatio: { after: { m: 2 } } },
    });
  });

  it('shows guests everything that is not hidden, and of that the name', async () => {
    await save([
      { name: 'shown', sort: 2, desc: 'd', tags: 'Hot', model_type: 'tti', max_token: 8 },
      { name: 'first', sort: 1 },
      { name: 'secret', hide: true, desc: 'not for everyone' },
    ]);
    const { data } = await api.guest().get('/api/model_hub/');
    expect(data).toEqual([
      { name: 'secret', hide: true },
      {
        name: 'first',
        icon: '',
        desc: '',
        max_token: 0,
        hide: false,
        model_type: '',
        tags: '',
        multimodal: false,
        sort: 1,
      },
      {
        name: 'shown',
        icon: '',
        desc: 'd',
        max_token: 8,
        hide: false,
        model_type: 'tti',
        tags: 'Hot',
        multimodal: false,
        sort: 2,
      },
    ]);
  });
});
