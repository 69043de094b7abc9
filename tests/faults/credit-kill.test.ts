/**
 * The process is killed at every step between the claim of what adds quota, its commit and its answer: a code at each in
 * every run, and a payment by whichever way it becomes known, a gift, a reward at one of them, or by a long run at more. Nobody hears that something is done before it is, it is done wholly
 * or not at all, and whoever comes again finds it done once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { MOVEMENT } from '../../src/billing/ledger.ts';
import { REWARD } from '../../src/billing/rewards.ts';
import { limits } from '../../src/core/limits.ts';
import type { Database } from '../../src/db/client.ts';
import { PASSWORD, passwordHash } from '../support/api.ts';
import { type Engine, engines, freshPostgresUrl, othersEnd } from '../support/database.ts';
import { type ApiAnswer, ConsoleClient, type Gateway, setUp, startGateway } from '../support/gateway.ts';
import { onEngine, usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { type EpayServer, epayOptions, startEpay } from '../support/payment/epay-server.ts';
import { type StripeServer, startStripe, stripeOptions } from '../support/payment/stripe-server.ts';

const DOLLAR = 500_000;
const GIFTS = { newUser: 700, inviter: 70, invitee: 30, fuelPack: 450, code: 900, activity: 600 } as const;
const AT_ONCE = 5;
const KILLED = 128 + 9;

let epay: EpayServer;
let stripe: StripeServer;
beforeAll(async () => {
  [epay, stripe] = await Promise.all([startEpay(), startStripe()]);
});
afterAll(() => Promise.all([epay.close(), stripe.close()]));

/** Where a process dies: at which point, of which movement, in which of the transactions that do it. */
interface Death {
  point: 'movement_claimed' | 'in_movement_commit' | 'movement_committed';
  nth: number;
  transaction: number;
}

const death = (point: Death['point'], nth = 1, transaction = 0): Death => ({ point, nth, transaction });
const CLAIMED = death('movement_claimed');
const IN_COMMIT = death('in_movement_commit');
const COMMITTED = death('movement_committed');

/** What an account gets or loses by it: the amounts of its rows of a kind are none, or this one. */
interface Gain {
  username: string;
  kind: `ledger ${number}` | `reward ${number}`;
  amount: number;
}

const moved = (username: string, kind: number, amount: number): Gain => ({
  username,
  kind: `ledger ${kind}`,
  amount,
});
const granted = (username: string, kind: number, amount: number): Gain => ({
  username,
  kind: `reward ${kind}`,
  amount,
});

/** Something that adds quota, ready to be done. */
interface Deed {
  /** Of each of its transactions, in their order. */
  gains: Gain[][];
  /** The order that it is about, and what that is called before and after it. */
  order?: { tradeNo: string; before: string; after: string };
  /** Done as often at once as callers may; how many of them, or of those who looked meanwhile, were told that it is done. */
  act(): Promise<number>;
  /** Done again where nobody dies; throws unless everybody is told what he must be. */
  again(wasDone: boolean): Promise<void>;
  /** The process that does it in the place of a server: its file beside this one, and arguments. */
  process?: string[];
}

interface Kind {
  name: string;
  /** Starts the names of its accounts. */
  short: string;
  deaths: Death[];
  make(place: Place, names: { own: string; many: string[] }): Promise<Deed>;
}

/** Where it is done: the server's clients stay signed in whichever process serves. */
interface Place {
  base: string;
  root: ConsoleClient;
  /** One of the accounts that were made before. */
  signIn(username: string): Promise<ConsoleClient>;
  idOf(username: string): number;
}

/** What those heard who were answered at all. */
async function atOnce<T>(work: () => Promise<T>): Promise<T[]> {
  const answers = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

const successes = (answers: ApiAnswer[]): number => answers.filter(({ success }) => success).length;

/** A call of which one succeeds, ever. */
const onlyOnce = (call: () => Promise<ApiAnswer>, refusal: string) => ({
  act: async () => successes(await atOnce(call)),
  async again(wasDone: boolean) {
    const answers = await atOnce(call);
    expect(successes(answers)).toBe(wasDone ? 0 : 1);
    const refused = answers.filter(({ success }) => !success);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([refusal]));
  },
});

/** An order of a dollar, which its payer has paid; nobody has told the site. */
async function paidOrder(payer: ConsoleClient, by: 'epay' | 'stripe') {
  const method = by === 'epay' ? 'alipay' : 'stripe';
  const { data, ...answer } = await payer.call('POST', '/api/user/pay', {
    amount: 1,
    payment_method: method,
  });
  if (!('trade_no' in answer)) throw new Error(answer.message);
  const tradeNo = String(answer.trade_no);
  if (by === 'epay') await epay.submit(`${epay.base}/submit.php`, data);
  await (by === 'epay' ? epay : stripe).pay(tradeNo);
  const { id } = await seenBy(payer, tradeNo);
  return { id, tradeNo };
}

const seenBy = async (payer: ConsoleClient, tradeNo: string) =>
  (await payer.get(`/api/user/topup/self?trade_no=${tradeNo}`)).items[0];

/** Does the work while the payer looks at his order again and again; how often both were told that it is paid. */
async function watched(payer: ConsoleClient, tradeNo: string, work: () => Promise<number>): Promise<number> {
  let told = 0;
  let ended = false;
  const watch = async () => {
    while (!ended) {
      if ((await seenBy(payer, tradeNo)).status === 'success') told++;
    }
  };
  // The server dies before it has answered him.
  const watching = watch().catch(() => undefined);
  const heard = await work();
  ended = true;
  await watching;
  return heard + told;
}

const pending = (tradeNo: string) => ({ tradeNo, before: 'pending', after: 'success' });

const KINDS: Kind[] = [
  {
    name: 'a code that is redeemed',
    short: 'code',
    deaths: [CLAIMED, IN_COMMIT, COMMITTED],
    async make({ root, signIn }, { own }) {
      const [key] = await root.post('/api/redemption/', { name: 'code', quota: GIFTS.code });
      const user = await signIn(own);
      return {
        gains: [[moved(own, MOVEMENT.redemption, GIFTS.code)]],
        ...onlyOnce(
          // Wrong tries of one network are limited.
          () => user.call('POST', '/api/user/topup', { key }, { 'x-forwarded-for': `10.1.${own.at(-1)}.1` }),
          'REDEMPTION_INVALID',
        ),
      };
    },
  },
  {
    name: 'a payment that epay calls back for',
    short: 'epay',
    deaths: usually([IN_COMMIT], CLAIMED, COMMITTED),
    async make({ signIn }, { own }) {
      const payer = await signIn(own);
      const { tradeNo } = await paidOrder(payer, 'epay');
      const tell = () => epay.tell(tradeNo, { times: AT_ONCE });
      return {
        gains: [[moved(own, MOVEMENT.topUp, DOLLAR)]],
        order: pending(tradeNo),
        act: () =>
          watched(payer, tradeNo, async () => (await tell()).filter(({ text }) => text === 'success').length),
        again: async () =>
          expect(new Set((await tell()).map(({ text }) => text))).toEqual(new Set(['success'])),
      };
    },
  },
  {
    name: 'a payment that Stripe calls back for',
    short: 'stripe',
    deaths: usually([COMMITTED], CLAIMED, IN_COMMIT),
    async make({ base, signIn }, { own }) {
      const payer = await signIn(own);
      const { tradeNo } = await paidOrder(payer, 'stripe');
      const to = `${base}/api/user/stripe/notify`;
      const tell = () => stripe.send(tradeNo, 'checkout.session.completed', to, { times: AT_ONCE });
      return {
        gains: [[moved(own, MOVEMENT.topUp, DOLLAR)]],
        order: pending(tradeNo),
        act: () =>
          watched(payer, tradeNo, async () => (await tell()).filter((status) => status === 200).length),
        again: async () => expect(new Set(await tell())).toEqual(new Set([200])),
      };
    },
  },
  {
    name: 'a payment that the site asks for by itself',
    short: 'job',
    deaths: usually([IN_COMMIT], CLAIMED, COMMITTED),
    async make({ root, signIn }, { own }) {
      const { id, tradeNo } = await paidOrder(await signIn(own), 'epay');
      return {
        gains: [[moved(own, MOVEMENT.topUp, DOLLAR)]],
        order: pending(tradeNo),
        process: ['payment-checks-process.ts', tradeNo],
        act: async () => 0,
        async again() {
          const asked = await atOnce(() => root.call('POST', `/api/topup/${id}/check`, {}));
          expect(asked.map(({ data }) => data?.status)).toEqual(Array(AT_ONCE).fill('success'));
          expect(await epay.tell(tradeNo)).toEqual([{ status: 200, text: 'success' }]);
        },
      };
    },
  },
  {
    name: 'a payment that an administrator completes',
    short: 'admin',
    deaths: usually([CLAIMED], IN_COMMIT, COMMITTED),
    async make({ root, signIn }, { own }) {
      const payer = await signIn(own);
      const { id, tradeNo } = await paidOrder(payer, 'epay');
      const { act, again } = onlyOnce(
        () => root.call('POST', `/api/topup/${id}/complete`, { reason: 'seen on the account' }),
        'TOPUP_DONE',
      );
      return {
        gains: [[moved(own, MOVEMENT.topUp, DOLLAR)]],
        order: pending(tradeNo),
        act: () => watched(payer, tradeNo, act),
        async again(wasDone) {
          await again(wasDone);
          expect(await epay.tell(tradeNo)).toEqual([{ status: 200, text: 'success' }]);
        },
      };
    },
  },
  {
    name: 'a payment that is taken back',
    short: 'back',
    deaths: [IN_COMMIT],
    async make({ root, signIn }, { own }) {
      const { id, tradeNo } = await paidOrder(await signIn(own), 'epay');
      await epay.tell(tradeNo);
      return {
        gains: [[moved(own, MOVEMENT.takenBack, -DOLLAR)]],
        order: { tradeNo, before: 'success', after: 'refunded' },
        ...onlyOnce(
          () => root.call('POST', `/api/topup/${id}/refund`, { reason: 'paid twice' }),
          'TOPUP_REFUNDED',
        ),
      };
    },
  },
  {
    name: 'an account with its gift',
    short: 'gift',
    deaths: [IN_COMMIT],
    make: async ({ base }, { own }) => ({
      gains: [[moved(`new${own}`, MOVEMENT.gift, GIFTS.newUser)]],
      ...onlyOnce(registration(base, `new${own}`, ''), 'USERNAME_TAKEN'),
    }),
  },
  {
    name: 'an account that was invited',
    short: 'aff',
    deaths: [death('movement_claimed', 3)],
    async make({ base, signIn }, { own }) {
      const code = await (await signIn(own)).get('/api/user/aff');
      return {
        gains: [
          [
            moved(`new${own}`, MOVEMENT.gift, GIFTS.newUser),
            moved(`new${own}`, MOVEMENT.invitation, GIFTS.invitee),
            granted(own, REWARD.invitation, GIFTS.inviter),
          ],
        ],
        ...onlyOnce(registration(base, `new${own}`, code), 'USERNAME_TAKEN'),
      };
    },
  },
  {
    name: 'an invitation that has waited for the first top-up',
    short: 'first',
    deaths: [IN_COMMIT],
    async make({ base, root, signIn }, { own }) {
      const code = await (await signIn(own)).get('/api/user/aff');
      await root.setOption('aff_quota.reward_trigger', 'first_topup');
      const registered = await registration(base, `new${own}`, code)();
      await root.setOption('aff_quota.reward_trigger', 'register');
      expect(registered.success).toBe(true);
      const { tradeNo } = await paidOrder(await signIn(`new${own}`), 'epay');
      return {
        gains: [
          [
            moved(`new${own}`, MOVEMENT.topUp, DOLLAR),
            moved(`new${own}`, MOVEMENT.invitation, GIFTS.invitee),
            granted(own, REWARD.invitation, GIFTS.inviter),
          ],
        ],
        // It is told as often as it is asked: what is there once shows that it was done once.
        act: async () =>
          (await epay.tell(tradeNo, { times: AT_ONCE })).filter(({ text }) => text === 'success').length,
        again: async () => expect(await epay.tell(tradeNo)).toMatchObject([{ text: 'success' }]),
      };
    },
  },
  {
    name: 'a fuel pack',
    short: 'fuel',
    deaths: [IN_COMMIT],
    async make({ signIn }, { own }) {
      const user = await signIn(own);
      return {
        gains: [[moved(own, MOVEMENT.fuelPack, GIFTS.fuelPack)]],
        ...onlyOnce(() => user.call('GET', '/api/user/fuel_pack'), 'FUEL_PACK_CLAIMED'),
      };
    },
  },
  {
    name: 'a reward for an activity',
    short: 'act',
    // Some are rewarded at a time: those of before stay so.
    deaths: usually([death('movement_claimed', limits.rewardBatch + 1, 1)], COMMITTED),
    async make({ root, idOf }, { many }) {
      const { id } = await root.post('/api/activity/', {
        name: 'spring',
        desc: 'd',
        quota: GIFTS.activity,
        status: true,
      });
      const some = (from: number, to?: number) =>
        many.slice(from, to).map((name) => granted(name, REWARD.activity, GIFTS.activity));
      const body = { activity_id: id, user_ids: many.map(idOf) };
      const reward = () => root.call('POST', '/api/activity/reward', body);
      return {
        gains: [some(0, limits.rewardBatch), some(limits.rewardBatch)],
        act: async () => ((await reward().catch(() => null)) ? 1 : 0),
        async again(wasDone) {
          expect((await reward()).success).toBe(!wasDone);
          expect(await reward()).toMatchObject({ success: false, code: 'ACTIVITY_NONE_REWARDED' });
        },
      };
    },
  },
  {
    name: 'rewards that are transferred',
    short: 'move',
    deaths: [IN_COMMIT],
    async make({ root, signIn, idOf }, { own }) {
      const activity = { name: 'summer', desc: 'd', quota: GIFTS.activity, status: true };
      const { id } = await root.post('/api/activity/', activity);
      await root.post('/api/activity/reward', { activity_id: id, user_ids: [idOf(own)] });
      const user = await signIn(own);
      return {
        gains: [[moved(own, MOVEMENT.transfer, GIFTS.activity)]],
        ...onlyOnce(
          () => user.call('POST', '/api/user/quota_transfer', { quota: GIFTS.activity }),
          'TRANSFER_SHORT',
        ),
      };
    },
  },
];

let networks = 0;

/** Everyone comes from a network of his own: one makes only so many accounts. */
const registration = (base: string, username: string, affCode: string) => () =>
  new ConsoleClient(base).call(
    'POST',
    '/api/user/register',
    { username, password: PASSWORD, password2: PASSWORD, aff_code: affCode },
    { 'x-forwarded-for': `10.2.${networks++}.1` },
  );

const CASES = KINDS.flatMap((kind) =>
  kind.deaths.map((at, n) => ({
    kind,
    at,
    names: {
      own: `${kind.short}${n}`,
      /** More than are rewarded at a time. */
      many:
        kind.short === 'act'
          ? Array.from({ length: limits.rewardBatch + 1 }, (_, m) => `${kind.short}${n}x${m}`)
          : [],
    },
    title: `${kind.name}, at ${at.point}:${at.nth}`,
  })),
);

/** The amounts of an account's rows of a kind. */
type Books = Map<string, number[]>;

interface State {
  books: Books;
  /** What orders are called, by their numbers. */
  orders: Map<string, string>;
}

async function stateOf(db: Database): Promise<State> {
  const rows = await db.query<{ username: string; kind: string; amount: number }>(
    `select username, 'ledger ' || kind as kind, delta as amount from ledger join users on users.id = user_id
     union all select username, 'reward ' || kind, amount from rewards join users on users.id = user_id`,
  );
  const books: Books = new Map();
  for (const { username, kind, amount } of rows) {
    const key = `${username} ${kind}`;
    books.set(key, [...(books.get(key) ?? []), amount]);
  }
  const orders = await db.query<{ trade_no: string; status: string }>('select trade_no, status from topups');
  return { books, orders: new Map(orders.map(({ trade_no, status }) => [trade_no, status])) };
}

/** Accounts without a balance, by their names. */
async function makeAccounts(db: Database, names: string[]): Promise<Map<string, number>> {
  const hash = await passwordHash();
  const rows = await db.query<{ id: number; username: string }>(
    `insert into users (username, display_name, password_hash, aff_code)
     select name, name, $2, left(md5(name), 8) from unnest(string_to_array($1, ',')) name returning id, username`,
    [names.join(), hash],
  );
  return new Map(rows.map(({ id, username }) => [username, id]));
}

async function makePlace(engine: Engine, cases: typeof CASES): Promise<Place & { gateway: Gateway }> {
  const databaseUrl = engine === 'postgres' ? await freshPostgresUrl() : '';
  let gateway = await startGateway({ databaseUrl, env: { STRIPE_API_BASE: stripe.base } });
  const root = await setUp(gateway);
  const options: Record<string, string | number | boolean> = {
    ...epayOptions(epay),
    ...stripeOptions,
    QuotaForNewUser: GIFTS.newUser,
    QuotaForInviter: GIFTS.inviter,
    QuotaForInvitee: GIFTS.invitee,
    FuelPackEnabled: true,
    FuelPackQuota: GIFTS.fuelPack,
    'fuel_pack.verified_only': false,
    'fuel_pack.accounts_per_network': 0,
  };
  for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
  const names = cases.flatMap(({ names: { own, many } }) => [own, ...many]);
  // An embedded database is open in one process at a time.
  if (engine === 'pglite') await gateway.stop();
  const ids = await gateway.withDatabase((db) => makeAccounts(db, names));
  if (engine === 'pglite') gateway = await gateway.restart();
  return {
    gateway,
    base: gateway.base,
    root,
    signIn: (username) => new ConsoleClient(gateway.base).login(username, PASSWORD),
    idOf: (username) => ids.get(username) ?? 0,
  };
}

/** On what a gateway has left, with nobody beside it; how it ended. */
async function runInstead({ options }: Gateway, [file = '', ...args]: string[], killAt: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), ...args], {
    env: {
      ...process.env,
      DATA_DIR: options.dataDir,
      DATABASE_URL: options.databaseUrl ?? '',
      TOLLGATE_KILL_AT: killAt,
    },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  return child.exited;
}

/** Whether the transaction was made; half of it never is. */
function isDone(books: Books, gains: Gain[]): boolean {
  const found = gains.map(({ username, kind }) => books.get(`${username} ${kind}`) ?? []);
  const done = gains.map(({ amount }) => [amount]);
  const isAny = found.some((amounts) => amounts.length > 0);
  expect(found).toEqual(isAny ? done : gains.map(() => []));
  return isAny;
}

for (const engine of engines) {
  describe(`what adds quota, killed on ${engine}`, () => {
    let gateway: Gateway;
    const deeds: { deed: Deed; heard: number; wasDone: boolean }[] = [];
    const deedOf = (n: number) => {
      const found = deeds[n];
      if (!found) throw new Error('it was not made');
      return found;
    };
    const proven = onEngine(engine, CASES, ({ kind, at }) => kind.short === 'code' && at === IN_COMMIT);
    const cases = proven.map(({ title, at }, n) => ({ title, at, n }));
    beforeAll(async () => {
      const place = await makePlace(engine, proven);
      for (const { kind, names } of proven) {
        deeds.push({ deed: await kind.make(place, names), heard: 0, wasDone: false });
      }
      await place.gateway.stop();
      gateway = place.gateway;
    }, patience(300_000));

    /** One process after another on the same database: each does one deed, and dies of it. */
    it.each(cases)(
      'dies of $title',
      async ({ at, n }) => {
        const one = deedOf(n);
        const killAt = `${at.point}:${at.nth}`;
        if (one.deed.process) {
          expect(await runInstead(gateway, one.deed.process, killAt)).toBe(KILLED);
          return;
        }
        gateway = await gateway.restart({ TOLLGATE_KILL_AT: killAt });
        one.heard = await one.deed.act();
        expect(await gateway.exited).toBe(KILLED);
      },
      patience(60_000),
    );

    describe('has left', () => {
      let left: State;
      beforeAll(async () => {
        left = await gateway.withDatabase(async (db) => {
          await othersEnd(db);
          return stateOf(db);
        });
      });

      it.each(cases)('all or nothing of $title', ({ at, n }) => {
        const one = deedOf(n);
        const { gains, order } = one.deed;
        const done = gains.map((some) => isDone(left.books, some));
        one.wasDone = done.every(Boolean);
        expect(done.slice(0, at.transaction)).toEqual(Array(at.transaction).fill(true));
        expect(done.slice(at.transaction + 1)).toEqual(Array(gains.length - at.transaction - 1).fill(false));
        if (at.point === 'movement_claimed') expect(done[at.transaction]).toBe(false);
        if (at.point === 'movement_committed') expect(done[at.transaction]).toBe(true);
        // Who was told that it is done was told the truth.
        if (one.heard > 0) expect(one.wasDone).toBe(true);
        if (order) expect(left.orders.get(order.tradeNo)).toBe(one.wasDone ? order.after : order.before);
      });
    });

    describe('started again', () => {
      beforeAll(async () => {
        gateway = await gateway.restart({ TOLLGATE_KILL_AT: '' });
      }, patience(120_000));

      it.each(cases)('answers $title', ({ n }) => deedOf(n).deed.again(deedOf(n).wasDone));
    });

    describe('stopped in the end', () => {
      let end: State;
      beforeAll(async () => {
        await gateway.stop();
        end = await gateway.withDatabase(stateOf);
      });

      it.each(cases)('has once $title', ({ n }) => {
        const { gains, order } = deedOf(n).deed;
        expect(gains.map((some) => isDone(end.books, some))).toEqual(gains.map(() => true));
        if (order) expect(end.orders.get(order.tradeNo)).toBe(order.after);
      });

      it('has clean books', async () => {
        expect((await gateway.audit()).findings).toEqual([]);
      });
    });
  });
}
