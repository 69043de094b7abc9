import { describe, expect, it, test } from 'bun:test';
import fc from 'fast-check';
import { defaultPriceOf } from '../../options/default-ratios.ts';
import { type OptionKey, specOf } from '../../options/registry.ts';
import { type Options, parseOption, type Texts } from '../../options/store.ts';
import { editTables, type GivenPrice, type PRICE_TABLES, priceChange } from './price-edit.ts';
import { priceView } from './price-view.ts';

type Tables = Partial<Record<(typeof PRICE_TABLES)[number], Record<string, unknown>>>;

/** What is set to these texts, without a database. */
function optionsOf(texts: Texts): Options {
  const get = (key: OptionKey) => {
    const text = texts[key];
    return text === undefined ? specOf(key).default : parseOption(key, text, { written: true });
  };
  return { get, isSet: (key: OptionKey) => texts[key] !== undefined, version: 1 } as unknown as Options;
}

/** What is in force when prices were saved, one after the other. */
function saved(tables: Tables, ...entries: [name: string, given: GivenPrice][]): Options {
  let texts: Texts = Object.fromEntries(
    Object.entries(tables).map(([key, table]) => [key, JSON.stringify(table)]),
  );
  for (const [name, given] of entries) {
    const change = priceChange(name, given, priceView(optionsOf(texts), name));
    if (change) texts = { ...texts, ...editTables(texts, new Map([[name, change]])) };
  }
  return optionsOf(texts);
}

/** What the editor shows of a model, which is what a call of it costs. */
function sold(options: Options, name: string) {
  const view = priceView(options, name);
  if (!view) return null;
  const { mode, price, ratio, completionRatio, thinkingRatio, cacheRatio } = view;
  return {
    ...{ mode, price, ratio, completionRatio, cacheRatio },
    ...(thinkingRatio !== null && { thinkingRatio }),
  };
}

const tier = (up_to: number | null, output: number) => ({ up_to, input: 2.5, output, cache_read: 1.25 });
interface Ratios {
  ratio: number;
  completionRatio: number;
  cacheRatio: number;
}
const TOKENS = { mode: 'tokens', price: null } as const;

describe('what the editor of prices saves is what is sold', () => {
  it.each<[what: string, tables: Tables, name: string, given: GivenPrice, price: Ratios]>([
    [
      'tiers that give way to the same numbers as ratios',
      { ModelTieredPrice: { house: [tier(5, 10), tier(null, 20)] } },
      'house',
      { ratio: 1.25, completionRatio: 4 },
      { ratio: 1.25, completionRatio: 4, cacheRatio: 0.5 },
    ],
    [
      'one tier that gives way to a ratio',
      { ModelTieredPrice: { house: [tier(null, 10)] } },
      'house',
      { ratio: 2 },
      { ratio: 2, completionRatio: 4, cacheRatio: 0.5 },
    ],
    [
      'a ratio of a name that asks the model to think',
      {},
      'claude-sonnet-4-5-thinking',
      { ratio: 2 },
      { ratio: 2, completionRatio: 5, cacheRatio: 0.1 },
    ],
    [
      'a ratio of such a name, of a model with a tier',
      { ModelTieredPrice: { 'claude-sonnet-4-5': [tier(null, 10)] } },
      'claude-sonnet-4-5-thinking',
      { ratio: 2 },
      { ratio: 2, completionRatio: 4, cacheRatio: 0.5 },
    ],
    [
      'the ratio that the default table has, of a name whose model has another',
      { ModelRatio: { 'o4-mini': 10 } },
      'o4-mini-high',
      { ratio: 0.55 },
      { ratio: 0.55, completionRatio: 4, cacheRatio: 0.25 },
    ],
    [
      'the ratio that the default table has, of a name whose model is out of sale',
      { UnsoldModels: { 'o4-mini': true } },
      'o4-mini-high',
      { ratio: 0.55, completionRatio: 4, cacheRatio: null },
      { ratio: 0.55, completionRatio: 4, cacheRatio: 0.25 },
    ],
    [
      'the factor that the default table has, of a name whose model has another',
      { CompletionRatio: { 'o4-mini': 40 } },
      'o4-mini-high',
      { ratio: 9, completionRatio: 4 },
      { ratio: 9, completionRatio: 4, cacheRatio: 0.25 },
    ],
  ])('%s', (_, tables, name, given, price) => {
    const options = saved(tables, [name, { mode: 'tokens', ...given }]);
    expect(sold(options, name)).toEqual({ ...TOKENS, ...price });
  });

  it('of a name that asks the model to think, whatever becomes of the price of the model', () => {
    const name = 'house-claude-thinking';
    const options = saved(
      { ModelRatio: { 'house-claude': 1 }, CompletionRatio: { 'house-claude': 5 } },
      [name, { mode: 'tokens', ratio: 2 }],
      ['house-claude', { mode: 'call', price: 0.1 }],
    );
    expect(sold(options, name)).toEqual({ ...TOKENS, ratio: 2, completionRatio: 5, cacheRatio: 1 });
  });

  it('of such a name nothing, where its price is taken away', () => {
    const name = 'claude-sonnet-4-5-thinking';
    const options = saved({}, [name, { mode: 'none', price: null, ratio: null }]);
    expect(sold(options, name)).toBeNull();
    expect(sold(options, 'claude-sonnet-4-5')).toMatchObject({ ratio: 1.5 });
  });
});

describe('whatever the tables say', () => {
  const NAMES = [
    'house',
    'gpt-4o',
    'dall-e-3',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-thinking',
    'o4-mini',
    'o4-mini-high',
    'o4-mini-high-low',
    'gemini-2.5-pro',
    'gemini-2.5-pro-thinking',
    'qwen-plus',
    'qwen3-32b',
  ];
  const name = fc.constantFrom(...NAMES);
  /** Numbers of the default table are among them: those that it has of the name itself, and those of others. */
  const numberOf = (factor: 'model' | 'completion' | 'thinkingCompletion' | 'cacheRead') =>
    fc.constantFrom(1, 0.25, 6, ...new Set(NAMES.map((one) => defaultPriceOf(one)?.[factor] ?? 2)));
  const ratio = numberOf('model');
  const completionRatio = numberOf('completion');
  const thinkingRatio = numberOf('thinkingCompletion');
  const cacheRatio = numberOf('cacheRead');
  const tableOf = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { maxKeys: 3 });
  const tiers = fc.constantFrom([tier(null, 10)], [tier(9, 10), tier(null, 20)]);
  const tables: fc.Arbitrary<Tables> = fc.record(
    {
      ModelPrice: tableOf(fc.constant(0.5)),
      ModelRatio: tableOf(ratio),
      CompletionRatio: tableOf(completionRatio),
      ThinkingCompletionRatio: tableOf(thinkingRatio),
      CacheRatio: tableOf(cacheRatio),
      ModelTieredPrice: tableOf(tiers),
      UnsoldModels: tableOf(fc.constant(true)),
    },
    { requiredKeys: [] },
  );

  test('all numbers are sold as they are saved', () => {
    fc.assert(
      fc.property(
        tables,
        name,
        fc.record({ ratio, completionRatio, thinkingRatio, cacheRatio }),
        (before, model, { thinkingRatio: thought, ...numbers }) => {
          const given = { ...TOKENS, ...numbers };
          // What costs what other output does has no price of its own.
          const apart = thought === numbers.completionRatio ? {} : { thinkingRatio: thought };
          expect(sold(saved(before, [model, { ...given, thinkingRatio: thought }]), model)).toEqual({
            ...given,
            ...apart,
          });
        },
      ),
    );
  });

  test('a ratio that is saved alone leaves the factors as they were shown', () => {
    fc.assert(
      fc.property(tables, name, ratio, (before, model, next) => {
        const was = sold(saved(before), model);
        fc.pre(was !== null && was.mode !== 'call');
        const given = { ...TOKENS, ratio: next };
        expect(sold(saved(before, [model, given]), model)).toEqual({ ...was, ...given });
      }),
    );
  });
});
