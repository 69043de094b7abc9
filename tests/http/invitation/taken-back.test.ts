/** What becomes of a reward when the payment that set it off is taken back: the same share of it goes, while it waits. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { openAccount } from '../../../src/modules/auth/account/new-account.ts';
import { createOrder, creditOrder } from '../../../src/modules/payment/orders.ts';
import { type Reversal, reverseOrder, winDispute } from '../../../src/modules/payment/reversals.ts';
import type { OptionKey } from '../../../src/options/registry.ts';
import { holdOf, settlementOf } from '../../support/accounts.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const REWARD = 31;
const GIFT = 7;
/** Cents. */
const PRICE = 300;
const QUOTA = 3_000;
const OPTIONS: Partial<Record<OptionKey, string>> = {
  QuotaForNewUser: '0',
  QuotaForInviter: String(REWARD),
  QuotaForInvitee: String(GIFT),
  'aff_quota.reward_trigger': 'first_topup',
  'aff_quota.daily_limit': '0',
};

let people = 0;

describe.each(callEngines)('rewards of payments that are taken back, on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  beforeEach(() => api.deps.options.set(OPTIONS));
  afterEach(async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
  afterAll(() => api.close());

  const newInviter = async (): Promise<Client> =>
    api.as(await api.createUser(), { ip: `${1 + (++people % 100)}.${people >> 8}.${people & 255}.2` });
  const come = async (inviter: Client): Promise<number> => {
    const affCode: string = (await inviter.get('/api/user/aff')).data;
    return openAccount(api.deps, { username: `back${++people}`, passwordHash: null, email: '', affCode });
  };
  /** Pays an order; answers its id. */
  const pay = async (userId: number): Promise<number> => {
    const money = { money: BigInt(PRICE), fullMoney: BigInt(PRICE), currency: 'USD', places: 2 };
    const quote = { quota: QUOTA, ...money, code: '', codeLimit: null };
    const { id } = await createOrder(api.deps, { userId, provider: 'stripe', method: 'stripe', quote });
    expect(await creditOrder(api.deps, id, { providerRef: '' })).toMatchObject({ status: 'success' });
    return id;
  };
  const paidGuest = async (inviter: Client): Promise<{ guest: number; order: number }> => {
    const guest = await come(inviter);
    return { guest, order: await pay(guest) };
  };
  /** `money`: cents given back so far. Told twice, of which once is heard. */
  const reverse = async (order: number, reversal: Reversal): Promise<void> => {
    expect(await reverseOrder(api.deps, order, reversal)).not.toBeNull();
    expect(await reverseOrder(api.deps, order, reversal)).toBeNull();
  };
  const refund = (order: number, money: number) =>
    reverse(order, { kind: 'refund', cause: '', money: BigInt(money) });
  const dispute = (order: number, money: number, cause = 'dp_1') =>
    reverse(order, { kind: 'dispute', cause, money: BigInt(money) });
  const win = async (order: number, cause = 'dp_1'): Promise<void> => {
    expect(await winDispute(api.deps, order, cause)).not.toBeNull();
    expect(await winDispute(api.deps, order, cause)).toBeNull();
  };
  const move = async (inviter: Client, quota: number): Promise<void> => {
    expect(await inviter.post('/api/user/quota_transfer', { quota })).toMatchObject({ success: true });
  };
  /** What waits, what was ever granted, and what there is to spend. */
  const balances = async (client: Client): Promise<[waits: number, ever: number, quota: number]> => {
    const { aff_quota, aff_history_quota, quota } = (await client.get('/api/user/self')).data;
    return [aff_quota, aff_history_quota, quota];
  };
  /** As the inviter sees his guests, the latest first. */
  const guestsOf = async (inviter: Client): Promise<[state: string, quota: number][]> => {
    const { items } = (await inviter.get('/api/user/aff/invited')).data;
    return items.map(({ state, quota }: { state: string; quota: number }) => [state, quota]);
  };
  const toldTo = async (client: Client) =>
    api.deps.db.query(
      `select content as zh, other->'text'->>'en' as en from logs where user_id = $1 and type = 4
         and content not like '%划转%' order by created_at, id`,
      [client.userId ?? 0],
    );
  const quotaOf = async (userId: number) =>
    (await api.deps.db.query<{ quota: number }>('select quota from users where id = $1', [userId]))[0]?.quota;

  const GRANTED = { zh: '邀请用户赠送奖励额度 31 单位', en: 'A reward of 31 units for an invited user' };
  const taken = (quota: number) => ({
    zh: `受邀用户的付款被撤回，扣回奖励额度 ${quota} 单位`,
    en: `A reward of ${quota} units taken back: the invited user’s payment was`,
  });

  it('go by parts with a refund in parts, the last of which takes what rounding has left', async () => {
    const inviter = await newInviter();
    const { guest, order } = await paidGuest(inviter);
    expect(await balances(inviter)).toEqual([31, 31, 0]);
    expect(await guestsOf(inviter)).toEqual([['paid', 31]]);
    await refund(order, 100);
    expect(await balances(inviter)).toEqual([21, 31, 0]);
    expect(await guestsOf(inviter)).toEqual([['reduced', 21]]);
    await refund(order, 200);
    expect(await balances(inviter)).toEqual([11, 31, 0]);
    await refund(order, 300);
    expect(await balances(inviter)).toEqual([0, 31, 0]);
    expect(await guestsOf(inviter)).toEqual([['taken_back', 0]]);
    expect(await toldTo(inviter)).toEqual([GRANTED, taken(10), taken(10), taken(11)]);
    // What the guest was given goes the same way.
    expect(await quotaOf(guest)).toBe(0);
    const moved = await api.deps.db.query<{ delta: number }>(
      'select delta from ledger where user_id = $1 and kind = 5 order by ref <> (select ref from invitations where invitee_id = $1), delta desc',
      [guest],
    );
    expect(moved.map(({ delta }) => delta)).toEqual([GIFT, -2, -2, -3]);
  });

  it('go at once with a refund by an administrator, and with no other order of the guest', async () => {
    const inviter = await newInviter();
    const { guest, order } = await paidGuest(inviter);
    const second = await pay(guest);
    await refund(second, 300);
    expect(await balances(inviter)).toEqual([31, 31, 0]);
    const root = await api.root();
    const byHand = () => root.post(`/api/topup/${order}/refund`, { reason: 'asked for' });
    expect((await byHand()).success).toBe(true);
    expect((await byHand()).success).toBe(false);
    expect(await balances(inviter)).toEqual([0, 31, 0]);
    // Nothing is set off a second time.
    await pay(guest);
    expect(await balances(inviter)).toEqual([0, 31, 0]);
    expect(await quotaOf(guest)).toBe(QUOTA);
  });

  it('stay as far as they were moved to the balance', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await move(inviter, 16);
    await refund(order, 300);
    expect(await balances(inviter)).toEqual([0, 31, 16]);
    expect(await guestsOf(inviter)).toEqual([['reduced', 16]]);
    expect(await toldTo(inviter)).toEqual([GRANTED, taken(15)]);

    const whole = await newInviter();
    const moved = await paidGuest(whole);
    await move(whole, 31);
    await refund(moved.order, 300);
    expect(await balances(whole)).toEqual([0, 31, 31]);
    expect(await guestsOf(whole)).toEqual([['paid', 31]]);
    expect(await toldTo(whole)).toEqual([GRANTED]);
  });

  it('are not made up for later: what was not there for one part the next does not take', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await move(inviter, 31);
    await refund(order, 150);
    expect(await balances(inviter)).toEqual([0, 31, 31]);
    await paidGuest(inviter);
    await refund(order, 300);
    expect(await balances(inviter)).toEqual([31 - 16, 62, 31]);
  });

  it('go with a dispute, and stay gone when it is lost', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await dispute(order, 300);
    expect(await balances(inviter)).toEqual([0, 31, 0]);
    // Of one that is lost nobody is told; the refund of what is gone takes nothing.
    expect(await reverseOrder(api.deps, order, { kind: 'refund', cause: '', money: BigInt(PRICE) })).toEqual({
      taken: 0,
      writtenOff: 0,
    });
    expect(await balances(inviter)).toEqual([0, 31, 0]);
    expect(await guestsOf(inviter)).toEqual([['taken_back', 0]]);
  });

  it('come back with a dispute that is won, exactly as far as they went', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await move(inviter, 20);
    await dispute(order, 200);
    expect(await balances(inviter)).toEqual([0, 31, 20]);
    await win(order);
    expect(await balances(inviter)).toEqual([11, 31, 20]);
    expect(await guestsOf(inviter)).toEqual([['paid', 31]]);
    expect(await toldTo(inviter)).toEqual([
      GRANTED,
      taken(11),
      {
        zh: '受邀用户的付款已恢复，返还奖励额度 11 单位',
        en: 'A reward of 11 units given back: the invited user’s payment stood after all',
      },
    ]);
    // It can be moved as before, and be taken again with a refund.
    await move(inviter, 5);
    await refund(order, 300);
    expect(await balances(inviter)).toEqual([0, 31, 25]);
  });

  it('come back from one of several disputes, and never go beyond what they were', async () => {
    await api.deps.options.set({ QuotaForInviter: '5' });
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await dispute(order, 90, 'dp_1');
    expect(await balances(inviter)).toEqual([4, 5, 0]);
    await dispute(order, 90, 'dp_2');
    expect(await balances(inviter)).toEqual([2, 5, 0]);
    // As if there had been the other one alone.
    await win(order, 'dp_1');
    expect(await balances(inviter)).toEqual([4, 5, 0]);
    // Another guest's reward waits beside it.
    await paidGuest(inviter);
    await refund(order, 210);
    expect(await balances(inviter)).toEqual([5, 10, 0]);
  });

  it('wait for nothing where a dispute is won before it is heard of', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await win(order);
    expect(
      await reverseOrder(api.deps, order, { kind: 'dispute', cause: 'dp_1', money: BigInt(PRICE) }),
    ).toBeNull();
    expect(await balances(inviter)).toEqual([31, 31, 0]);
  });

  it('count once for the limit of a day, whatever goes and comes back', async () => {
    const inviter = await newInviter();
    await api.deps.options.set({ 'aff_quota.daily_limit': '2' });
    const { order } = await paidGuest(inviter);
    await dispute(order, 300);
    await win(order);
    await paidGuest(inviter);
    await paidGuest(inviter);
    expect(await balances(inviter)).toEqual([62, 62, 0]);
  });

  it('go with the gift of who was invited, as far as that is not spent, and come back with it', async () => {
    // Who invited has had his share of the day: there is no reward, and the gift goes all the same.
    await api.deps.options.set({ 'aff_quota.daily_limit': '1' });
    const inviter = await newInviter();
    await paidGuest(inviter);
    const { guest, order } = await paidGuest(inviter);
    expect(await quotaOf(guest)).toBe(QUOTA + GIFT);
    await dispute(order, 300);
    expect([await quotaOf(guest), await balances(inviter)]).toEqual([0, [31, 31, 0]]);
    await win(order);
    expect(await quotaOf(guest)).toBe(QUOTA + GIFT);
    // Of what he has spent nothing is taken, and he owes no gift.
    await api.deps.billing.reserve(holdOf(guest, 0, QUOTA + 4)).then((done) => expect(done).toBe('granted'));
    await refund(order, 300);
    expect(await quotaOf(guest)).toBe(0);
  });

  it('earn no transfer once they are taken back', async () => {
    const inviter = await newInviter();
    // What happens in a second has no order.
    const pass = () =>
      api.deps.db.query('update rewards set created_at = created_at - 9 where user_id = $1', [
        inviter.userId ?? 0,
      ]);
    const first = await paidGuest(inviter);
    await pass();
    const second = await paidGuest(inviter);
    await refund(first.order, 300);
    await move(inviter, 31);
    await pass();
    const earnedBy = async () => {
      const { items } = (await inviter.get('/api/user/statement')).data;
      return items.map(({ reference }: { reference: string }) => reference);
    };
    expect(await earnedBy()).toEqual([`invitee:${second.guest}`]);
    const third = await paidGuest(inviter);
    await refund(third.order, 100);
    await move(inviter, 21);
    expect((await earnedBy()).sort()).toEqual([`invitee:${second.guest}`, `invitee:${third.guest}`]);
  });

  it('go from an inviter who is banned or gone, too', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    await api.deps.db.query('update users set deleted_at = 1, status = 2 where id = $1', [
      inviter.userId ?? 0,
    ]);
    await refund(order, 300);
    expect(
      await api.deps.db.query('select aff_quota, aff_history_quota from users where id = $1', [
        inviter.userId ?? 0,
      ]),
    ).toEqual([{ aff_quota: 0, aff_history_quota: 31 }]);
  });

  it('stay where no order is known to have paid them', async () => {
    const inviter = await newInviter();
    const { guest, order } = await paidGuest(inviter);
    await api.deps.db.query('update invitations set paid_by = null where invitee_id = $1', [guest]);
    await refund(order, 300);
    expect(await balances(inviter)).toEqual([31, 31, 0]);
  });

  it('are moved or taken back when both happen at once, never both', async () => {
    const inviter = await newInviter();
    const { order } = await paidGuest(inviter);
    const transfers = Array.from({ length: 4 }, () => inviter.post('/api/user/quota_transfer', { quota: 8 }));
    const reversal = { kind: 'refund', cause: '', money: BigInt(PRICE) } as const;
    const refunds = Array.from({ length: 4 }, () => reverseOrder(api.deps, order, reversal));
    const moved = (await Promise.all(transfers)).filter(({ success }) => success).length;
    expect((await Promise.all(refunds)).filter((done) => done !== null)).toHaveLength(1);
    expect(moved).toBeLessThanOrEqual(3);
    expect(await balances(inviter)).toEqual([0, 31, 8 * moved]);
  });

  it('never wait for calls, transfers, edits and payments that wait for them', async () => {
    const inviter = await newInviter();
    const root = await api.root();
    const edit = (id: number) => root.put('/api/user/', { id, add_quota: 50, reason: 'r' });
    await edit(inviter.userId ?? 0);
    const paid = await Promise.all(Array.from({ length: 15 }, () => paidGuest(inviter)));
    const waiting = await Promise.all(Array.from({ length: 5 }, () => come(inviter)));
    const { billing } = api.deps;
    const call = async (userId: number) => {
      const hold = holdOf(userId, 0, 1);
      if ((await billing.reserve(hold)) === 'granted') await billing.settle(settlementOf(hold.id, 1));
    };
    let isOver = false;
    // Each batch of calls locks the inviter's row and those of guests, as each reversal does.
    const others = async () => {
      while (!isOver) {
        await Promise.all([
          ...[inviter.userId ?? 0, ...paid.map(({ guest }) => guest)].map(call),
          inviter.post('/api/user/quota_transfer', { quota: 1 }),
          edit(inviter.userId ?? 0),
          edit(paid[0]?.guest ?? 0),
        ]);
      }
    };
    const working = others();
    const reversing = Promise.all([
      ...paid.map(async ({ order }) => {
        await dispute(order, 200);
        await win(order);
        await refund(order, 300);
      }),
      ...waiting.map(pay),
    ]).finally(() => {
      isOver = true;
    });
    await Promise.all([reversing, working]);
    const [waits, ever] = await balances(inviter);
    expect(ever).toBe(20 * REWARD);
    // Of those who are not taken back all that was not moved is there, of the others at most what was moved.
    expect(waits).toBeLessThanOrEqual(5 * REWARD);
  });
});
