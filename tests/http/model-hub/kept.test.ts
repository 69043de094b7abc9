/** The lists of prices and models are made once for many who ask, and anew before a change of theirs is answered. */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import type { PriceItem } from '../../../src/modules/model-hub/prices.ts';
import { type Answer, type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('lists that are kept on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let channel: number;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    const made = await root.post('/api/channel/', {
      name: 'one',
      type: 1,
      key: 'k',
      models: 'gpt-4o,gpt-4o-mini',
      group: 'default',
    });
    channel = made.data.ids[0];
  });
  afterAll(() => api.close());

  const guest = () => api.guest({ locale: 'en' });
  const good = (answer: Answer) => expect([answer.success, answer.message]).toEqual([true, '']);
  const names = ({ data }: Answer) => (data as PriceItem[]).map(({ model_name }) => model_name);
  const prices = () => guest().get('/api/pricing');
  const page = () => guest().get('/api/pricing/page?keyword=gpt-4o-mini');
  const hub = () => guest().get('/api/model_hub/');

  it('are made once for a hundred who ask, at once and after one another, for each group', async () => {
    await root.put('/api/option/', { key: 'Notice', value: 'dropped' });
    const asked = spyOn(api.deps.db, 'query');
    const made = () => asked.mock.calls.filter(([text]) => String(text).includes('from abilities')).length;
    try {
      const first = await Promise.all(Array.from({ length: 50 }, prices));
      for (let n = 0; n < 50; n++) expect((await prices()).text).toBe(first[0]?.text ?? '');
      expect(made()).toBe(1);
      await Promise.all(Array.from({ length: 20 }, page));
      // Calls of a page have theirs, which is the same for all of its forms.
      expect(made()).toBeLessThanOrEqual(2);
      const user = await api.as(await api.createUser({ group: 'vip' }));
      const before = made();
      for (let n = 0; n < 10; n++) await user.get('/api/pricing');
      expect(made() - before).toBe(1);
    } finally {
      asked.mockRestore();
    }
  });

  const setJson = (key: string, value: unknown) => () =>
    root.put('/api/option/', { key, value: JSON.stringify(value) });
  const saveHub = (entry: Record<string, unknown>) => () =>
    root.put('/api/model_hub/admin/', { update: [entry] });
  const putChannel = (fields: Record<string, unknown>) => () =>
    root.put('/api/channel/', { id: channel, ...fields });

  it.each<[string, () => Promise<Answer>, () => Promise<Answer>, (answer: Answer) => unknown, unknown]>([
    ['a price', setJson('ModelRatio', { 'gpt-4o': 7 }), prices, ({ data }) => data[0].model_ratio, 7],
    [
      'a group’s ratio',
      setJson('GroupRatio', { default: 3, vip: 2 }),
      prices,
      ({ text }) => JSON.parse(text).group_ratio,
      { default: 3, vip: 2 },
    ],
    [
      'words of a model',
      saveHub({ name: 'gpt-4o-mini', desc: 'Small' }),
      page,
      ({ data }) => data.items[0].desc,
      'Small',
    ],
    [
      'words in the catalogue',
      saveHub({ name: 'gpt-4o', desc: 'Big' }),
      hub,
      ({ data }) => data.find(({ name }: { name: string }) => name === 'gpt-4o')?.desc,
      'Big',
    ],
    ['what is hidden', saveHub({ name: 'gpt-4o-mini', hide: true }), prices, names, ['gpt-4o']],
    ['a channel’s models', putChannel({ models: 'gpt-4o,gpt-4.1' }), prices, names, ['gpt-4.1', 'gpt-4o']],
    ['a channel that is off', putChannel({ status: 2 }), prices, names, []],
    ['a channel that is on', putChannel({ status: 1 }), prices, names, ['gpt-4.1', 'gpt-4o']],
  ])('tell %s as soon as its change is answered', async (_what, change, ask, read, expected) => {
    // Whatever is asked for meanwhile, it is not kept.
    const before = read(await ask());
    expect(before).not.toEqual(expected);
    const asking = Array.from({ length: 5 }, ask);
    good(await change());
    expect(read(await ask())).toEqual(expected);
    await Promise.all(asking);
    expect(read(await ask())).toEqual(expected);
  });
});
