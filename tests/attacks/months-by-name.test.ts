/** Names that ask a model to think are a million, and of what is sold there is one month. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import fc from 'fast-check';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

/** Models, and what makes other names of them. */
const ENDINGS = {
  'gemini-2.5-flash': ['', '-thinking', '-nothinking', '-thinking-1', '-thinking-01', '-thinking-999999'],
  'gpt-5': ['', '-minimal', '-low', '-medium', '-high', '-xhigh'],
  'claude-sonnet-4-5': ['', '-thinking'],
} as const;
const models = ['gemini-2.5-flash', 'gpt-5', 'claude-sonnet-4-5'] as const;

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay('postgres');
  await relay.addChannel({ models: models.join() });
});
afterAll(() => relay.close());

/** What a new user pays for calls by these names, one after the other. */
async function paidFor(names: readonly string[]): Promise<number[]> {
  const user = await relay.api.createUser({ quota: 100_000_000 });
  const key = await relay.addToken({}, user);
  for (const model of names) {
    const answer = await relay.chat({ model, max_tokens: 30 }, { key });
    expect([answer.status, model]).toEqual([200, model]);
    await answer.text();
  }
  const rows = await relay.api.deps.db.query<{ quota: number }>(
    'select quota from logs where user_id = $1 order by id',
    [user.id],
  );
  return rows.map(({ quota }) => quota);
}

it(
  'costs by any names of a model what it costs by one',
  async () => {
    const tier = fc.integer({ min: 1, max: 200 });
    const price = fc.nat(9);
    const mix = fc.constantFrom(...models).chain((model) =>
      fc.array(fc.constantFrom<string>(...ENDINGS[model]), { minLength: 2, maxLength: 8 }).map((endings) => ({
        model,
        names: endings.map((ending) => `${model}${ending}`),
      })),
    );
    await fc.assert(
      fc.asyncProperty(mix, tier, price, price, async ({ model, names }, up_to, first, then) => {
        const tiers = [first, then].map((usd, n) => ({
          up_to: n === 0 ? up_to : null,
          input: 2 * usd,
          output: 2 * usd,
        }));
        await relay.set({ ModelTieredPrice: { [model]: { by: 'month', tiers } } });
        expect(await paidFor(names)).toEqual(await paidFor(names.map(() => model)));
      }),
      { numRuns: 12 },
    );
  },
  patience(120_000),
);

it('has a month of its own by a name that has a price of its own', async () => {
  const price = (up_to: number) => ({
    by: 'month',
    tiers: [
      { up_to, input: 2, output: 2 },
      { up_to: null, input: 4, output: 4 },
    ],
  });
  await relay.set({ ModelTieredPrice: { 'gpt-5': price(36), 'gpt-5-high': price(37) } });
  const names = ['gpt-5', 'gpt-5-high', 'gpt-5-high', 'gpt-5-low'];
  expect(await paidFor(names)).toEqual([37, 37, 37, 74]);
});
