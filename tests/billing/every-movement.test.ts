/** Whatever moves in whatever order: balances, sums and statements are those of a small reference ledger. */
import { afterAll, afterEach, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import fc from 'fast-check';
import { audit } from '../../src/billing/audit.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { engines } from '../support/database.ts';
import { keptStatements, OWN_TEXTS } from '../support/kept-statements.ts';
import { often } from '../support/long.ts';
import { expectBooks } from './expect-books.ts';
import { GIFTS, movements, World } from './movements.ts';

/** Of which the first six are examples. */
const RUNS = { postgres: often(12, 150), pglite: often(6, 150) };
const STEPS = { minLength: 15, maxLength: 40 };
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'] as const;

const step = fc.record({
  movement: fc.nat(movements.length - 1),
  /** The first of all accounts, or some of them would have a line or two. */
  who: fc.nat(2),
  amount: fc.integer({ min: 1, max: 1_000 }),
  /** Seconds until then: some days in all */
  after: fc.integer({ min: 1, max: 20_000 }),
});

/** Each movement, in the order of the list, by one account that has enough; the last of them ends it. */
const EACH = [...movements.slice(0, -1), ...movements.slice(0, -1), ...movements].map((movement) => ({
  movement: movements.indexOf(movement),
  who: 0,
  amount: 903,
  after: 20_000,
}));

const taking = (name: string, amount: number) => ({
  movement: movements.findIndex((movement) => movement.name === name),
  who: 0,
  amount,
  after: 3_600,
});

/** What a call under way holds is nobody else's to take, and comes back when it ends. */
const HELD = [
  taking('payment, told twice', 500),
  taking('administrator sets', 300),
  taking('call begins', 199),
  taking('administrator adds or takes', 101),
  taking('payment taken back, told twice', 1),
  taking('token deleted', 1),
  taking('task fails, and its charge is given back, tried twice', 1),
  taking('call ends that began before', 80),
  taking('task fails, and its charge is given back, tried twice', 1),
  taking('rewards transferred', 1),
];

describe.each(engines)('every movement, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    await api.deps.options.set({
      QuotaForInviter: String(GIFTS.inviter),
      QuotaForInvitee: String(GIFTS.invitee),
      'aff_quota.daily_limit': '0',
      FuelPackEnabled: 'true',
      FuelPackQuota: String(GIFTS.fuelPack),
      'fuel_pack.verified_only': 'false',
      'fuel_pack.accounts_per_network': '0',
    });
  });
  afterEach(() => {
    setSystemTime();
  });
  afterAll(() => api.close());

  const check = async ({ people }: World, zone: string): Promise<void> => {
    for (const person of people) await expectBooks(api, root, person, zone);
    expect((await audit(api.deps.db)).findings).toEqual([]);
  };

  it(
    'in any order keeps the books of the reference',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, STEPS), fc.constantFrom(...ZONES), async (steps, zone) => {
          setSystemTime();
          let clock = Date.now();
          const world = new World(api, root);
          const pass = (seconds: number) => {
            clock += seconds * 1000;
            setSystemTime(new Date(clock));
          };
          for (let n = 0; n < 2; n++) {
            await world.enter(700);
            pass(1);
          }
          for (const { movement, who, amount, after } of steps) {
            pass(after);
            const person = world.people[who % world.people.length];
            if (person) await movements[movement]?.run(world, person, amount);
          }
          await check(world, zone);
        }),
        {
          numRuns: RUNS[engine],
          endOnFailure: true,
          examples: ZONES.flatMap((zone): [typeof EACH, typeof zone][] => [
            [EACH, zone],
            [HELD, zone],
          ]),
        },
      );
    },
    often(120_000, 1_800_000),
  );

  if (engine === 'postgres') {
    it('leaves the server with few texts by a name, whatever moved', async () => {
      expect(new Set(await keptStatements(api.deps.db)).size).toBeLessThanOrEqual(OWN_TEXTS);
    });
  }
});
