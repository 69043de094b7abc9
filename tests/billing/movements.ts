/**
 * Every way in which a balance moves, each as the product does it and as the reference says it: one entry a movement. The
 * product's answer must be the reference's, also where it refuses.
 */
import { expect } from 'bun:test';
import { releaseAll } from '../../src/billing/statements.ts';
import { AppError } from '../../src/core/errors.ts';
import { nowSec } from '../../src/core/time.ts';
import { recordInvitation } from '../../src/modules/invitation/service.ts';
import { createOrder, creditOrder } from '../../src/modules/payment/orders.ts';
import { reverseOrder, winDispute } from '../../src/modules/payment/reversals.ts';
import { refundTask } from '../../src/modules/task/refunds.ts';
import { openTask } from '../../src/modules/task/service.ts';
import { holdOf, makeToken, settlementOf } from '../support/accounts.ts';
import { type Answer, type Client, PASSWORD, type TestApi, type TestUser } from '../support/api.ts';
import { Account } from './books.ts';

/** Quota units of what the options give. */
export const GIFTS = { inviter: 70, invitee: 30, fuelPack: 45 } as const;

export interface Person {
  user: TestUser;
  client: Client;
  tokenId: number;
  /** Ids of orders that are paid and not taken back. */
  orders: number[];
  /** Orders whose payment is disputed, and what that took. */
  disputes: { id: number; cause: string; taken: number; writtenOff: number }[];
  account: Account;
}

let networks = 0;

/** Everyone comes from a network of his own, so that no limit answers for the books. */
function newNetwork(): string {
  networks++;
  return `${1 + (networks % 100)}.${networks >> 8}.${networks & 255}.1`;
}

export class World {
  readonly people: Person[] = [];
  constructor(
    readonly api: TestApi,
    readonly root: Client,
  ) {}

  /** A new account with a first balance. */
  async enter(gift: number): Promise<Person> {
    const user = await this.api.createUser({ quota: gift });
    const person: Person = {
      user,
      client: await this.api.as(user, { ip: newNetwork() }),
      tokenId: await makeToken(this.api.deps.db, user.id),
      orders: [],
      disputes: [],
      account: new Account(),
    };
    if (gift > 0) person.account.move('gift', gift, nowSec());
    this.people.push(person);
    return person;
  }
}

interface Movement {
  name: string;
  /** `amount`: from 1 to 1,000. */
  run(world: World, person: Person, amount: number): Promise<void>;
}

const isOk = ({ success }: Answer): boolean => success === true;

/** Runs; null when it is refused with an error of ours. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Whether the call was let in, as the reference says it must be. */
async function begin(
  { api }: World,
  { user, tokenId, account }: Person,
  given: number,
): Promise<string | null> {
  // Calls are small beside what there is, or most would be refused.
  const amount = 1 + (given % 200);
  const hold = holdOf(user.id, tokenId, amount);
  // By its process, which knows then that a call stands behind it: a round of recovery frees what no call stands behind.
  const answer = await api.deps.billing.reserve(hold);
  const isLetIn = !account.isGone && account.free >= account.covering(amount);
  expect(answer).toBe(isLetIn ? 'granted' : 'refused');
  if (!isLetIn) return null;
  account.hold(hold.id, amount);
  return hold.id;
}

async function end({ api }: World, { account }: Person, id: string, charge: number): Promise<void> {
  expect(await api.deps.billing.settle(settlementOf(id, charge))).toMatchObject({ committed: true });
  account.settle(id, charge, nowSec());
}

/** The task of a call, as the engine has it once it has failed; its id. */
async function failedTask({ api }: World, { user, tokenId }: Person, requestId: string): Promise<number> {
  const { db } = api.deps;
  const publicId = requestId.replaceAll('-', '');
  const find = async () =>
    (await db.query<{ id: number }>('select id from tasks where public_id = $1', [publicId]))[0]?.id;
  const known = await find();
  if (known !== undefined) return known;
  const what = { publicId, platform: 'suno', action: 'MUSIC', modelName: 'suno_music' } as const;
  await openTask(db, {
    ...what,
    ...{ userId: user.id, tokenId, appId: null, requestId, quota: 1, input: {}, hook: '' },
  });
  await db.query(`update tasks set status = 'FAILURE', refund = 1 where public_id = $1`, [publicId]);
  return (await find()) ?? Number.NaN;
}

export const movements: readonly Movement[] = [
  {
    name: 'first gift',
    run: async (world, _person, amount) => void (await world.enter(amount)),
  },
  {
    name: 'code redeemed, once',
    async run({ root, people }, { client, account }, amount) {
      const [key] = (await root.post('/api/redemption/', { name: 'code', quota: amount })).data;
      expect(isOk(await client.post('/api/user/topup', { key }))).toBe(!account.isGone);
      if (!account.isGone) account.move('redemption', amount, nowSec());
      else return;
      for (const other of people.slice(0, 2))
        expect(isOk(await other.client.post('/api/user/topup', { key }))).toBe(false);
    },
  },
  {
    name: 'administrator adds or takes',
    async run({ root }, { user, account }, amount) {
      const delta = amount % 2 === 0 ? amount : -amount;
      const isDone = !account.isGone && account.free + delta >= 0;
      expect(isOk(await root.put('/api/user/', { id: user.id, add_quota: delta, reason: 'r' }))).toBe(isDone);
      if (isDone) account.move('adminEdit', delta, nowSec());
    },
  },
  {
    name: 'administrator sets',
    async run({ root }, { user, account }, amount) {
      const delta = amount - account.balance;
      const isDone = !account.isGone && amount >= account.reserved;
      expect(isOk(await root.put('/api/user/', { id: user.id, quota: amount }))).toBe(isDone);
      if (isDone && delta !== 0) account.move('adminEdit', delta, nowSec());
    },
  },
  {
    name: 'call, charged more or less than it held',
    async run(world, person, amount) {
      const id = await begin(world, person, amount);
      // From nothing to half as much again, and now and then more than there is.
      const held = person.account.holds.get(id ?? '') ?? 0;
      if (id) await end(world, person, id, amount % 9 === 0 ? 5_000 : Math.floor((held * (amount % 4)) / 2));
    },
  },
  {
    name: 'call begins',
    run: async (world, person, amount) => void (await begin(world, person, amount)),
  },
  {
    name: 'call ends that began before',
    async run(world, person, amount) {
      const [id] = person.account.holds.keys();
      if (id) await end(world, person, id, Math.floor(amount / 4));
    },
  },
  {
    name: 'call fails, and what it held is given back',
    async run({ api }, { account }) {
      const [id] = account.holds.keys();
      if (!id) return;
      await releaseAll(api.deps.db, [id]);
      account.holds.delete(id);
    },
  },
  {
    // Of itself one comes every half a minute, whatever is under way then.
    name: 'round of recovery, in which nothing of the living moves',
    run: ({ api }) => api.deps.recover(),
  },
  {
    name: 'task fails, and its charge is given back, tried twice',
    async run(world, person) {
      const { account } = person;
      const [open] = account.holds.keys();
      const [ended] = account.paid.keys();
      const { db } = world.api.deps;
      // What it will be charged is not known yet: a later round may give it back.
      if (open) expect(await refundTask(db, await failedTask(world, person, open))).toBe(0);
      if (!ended) return;
      const task = await failedTask(world, person, ended);
      expect(await refundTask(db, task)).toBe(account.refund(ended, nowSec()));
      expect(await refundTask(db, task)).toBe(0);
    },
  },
  {
    name: 'invitation',
    async run(world, { user, account }) {
      const { deps } = world.api;
      const invited = await world.enter(0);
      await deps.db.orm.transaction((tx) =>
        recordInvitation(tx, deps, { id: user.id, code: '' }, { id: invited.user.id, isVerified: true }),
      );
      invited.account.move('invitation', GIFTS.invitee, nowSec());
      if (!account.isGone) account.rewards += GIFTS.inviter;
    },
  },
  {
    name: 'activity',
    async run({ root }, { user, account }, amount) {
      const made = await root.post('/api/activity/', { name: 'a', desc: 'd', quota: amount, status: true });
      const reward = () =>
        root.post('/api/activity/reward', { activity_id: made.data.id, user_ids: [user.id] });
      expect(isOk(await reward())).toBe(!account.isGone);
      expect(isOk(await reward())).toBe(false);
      if (!account.isGone) account.rewards += amount;
    },
  },
  {
    name: 'rewards transferred',
    async run(_world, { client, account }, amount) {
      const isDone = !account.isGone && account.rewards >= amount;
      expect(isOk(await client.post('/api/user/quota_transfer', { quota: amount }))).toBe(isDone);
      if (!isDone) return;
      account.rewards -= amount;
      account.move('transfer', amount, nowSec());
    },
  },
  {
    name: 'fuel pack, once',
    async run({ api }, { user, client, account }) {
      await api.deps.db.query('update fuel_packs set claimed_at = 0 where user_id = $1', [user.id]);
      expect(isOk(await client.get('/api/user/fuel_pack'))).toBe(!account.isGone);
      expect(isOk(await client.get('/api/user/fuel_pack'))).toBe(false);
      if (!account.isGone) account.move('fuelPack', GIFTS.fuelPack, nowSec());
    },
  },
  {
    name: 'payment, told twice',
    async run({ api }, { user, orders, account }, amount) {
      const { deps } = api;
      const money = { money: 100n, fullMoney: 100n, currency: 'CNY', places: 2 };
      const quote = { quota: amount, ...money, code: '', codeLimit: null };
      const order = { userId: user.id, provider: 'epay', method: 'alipay', quote };
      const { id } = await createOrder(deps, order);
      const credit = () => unlessRefused(() => creditOrder(deps, id, { providerRef: '' }));
      expect([(await credit()) !== null, (await credit()) !== null]).toEqual([true, false]);
      orders.push(id);
      account.move('topUp', amount, nowSec());
    },
  },
  {
    name: 'payment taken back, told twice',
    async run({ api }, { orders, account }) {
      const id = orders.pop();
      if (id === undefined) return;
      const reverse = () => reverseOrder(api.deps, id, { kind: 'refund', cause: '', money: 100n });
      const [order] = await api.deps.db.query<{ quota: number }>('select quota from topups where id = $1', [
        id,
      ]);
      const quota = order?.quota ?? 0;
      expect(await reverse()).toEqual(account.takeBack(quota, nowSec()));
      expect(await reverse()).toBeNull();
    },
  },
  {
    name: 'payment disputed',
    async run({ api }, { orders, disputes, account }) {
      const id = orders.pop();
      if (id === undefined) return;
      const cause = crypto.randomUUID();
      const moved = await reverseOrder(api.deps, id, { kind: 'dispute', cause, money: 100n });
      const { taken, writtenOff } = moved ?? { taken: 0, writtenOff: 0 };
      expect(taken).toBe(Math.min(taken + writtenOff, account.free));
      if (taken > 0) account.move('takenBack', -taken, nowSec());
      if (writtenOff > 0) account.move('writeOff', 0, nowSec());
      disputes.push({ id, cause, taken, writtenOff });
    },
  },
  {
    name: 'dispute won, told twice',
    async run({ api }, { disputes, account }) {
      const dispute = disputes.pop();
      if (!dispute) return;
      const { id, cause, taken, writtenOff } = dispute;
      expect(await winDispute(api.deps, id, cause)).toEqual({ taken, writtenOff });
      expect(await winDispute(api.deps, id, cause)).toBeNull();
      expect(await reverseOrder(api.deps, id, { kind: 'dispute', cause, money: 100n })).toBeNull();
      if (taken > 0) account.move('reinstated', taken, nowSec());
      if (writtenOff > 0) account.move('writeOff', 0, nowSec());
    },
  },
  {
    name: 'token deleted',
    async run({ api }, person) {
      const { client, user, tokenId, account } = person;
      expect(isOk(await client.del(`/api/token/${tokenId}`))).toBe(!account.isGone);
      person.tokenId = await makeToken(api.deps.db, user.id);
    },
  },
  {
    name: 'user deleted',
    async run({ root }, { user, account }) {
      // He signed in longer ago than an account may be cancelled without a proof.
      expect(isOk(await root.post('/api/user/confirm', { password: PASSWORD }))).toBe(true);
      expect(isOk(await root.post('/api/user/manage', { id: user.id, action: 'delete' }))).toBe(
        !account.isGone,
      );
      account.isGone = true;
    },
  },
];
