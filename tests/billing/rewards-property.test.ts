/**
 * Invitations, activities, transfers and payments taken back against a plain reference, in random sequences on both
 * callEngines.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { audit } from '../../src/billing/audit.ts';
import { grantReward, REWARD } from '../../src/billing/rewards.ts';
import { AppError } from '../../src/core/errors.ts';
import { INVITATION_TRIGGERS } from '../../src/core/invitations.ts';
import { numberList } from '../../src/db/statement.ts';
import { openAccount } from '../../src/modules/auth/account/new-account.ts';
import { rewardFirstCalls } from '../../src/modules/invitation/jobs.ts';
import { readAffCode, rewarding, transfer } from '../../src/modules/invitation/service.ts';
import { createOrder, creditOrder } from '../../src/modules/payment/orders.ts';
import { reverseOrder, winDispute } from '../../src/modules/payment/reversals.ts';
import { eraseAccount } from '../../src/modules/user/service.ts';
import { holdOf, settlementOf } from '../support/accounts.ts';
import { openApi, type TestApi } from '../support/api.ts';
import { callEngines } from '../support/database.ts';
import { often } from '../support/long.ts';
import { RewardReference, type Settings } from '../support/reward-reference.ts';

/** Few people, so that much happens to each of them. */
const pick = fc.nat(4);
/** Small and alike, so that running out is common. */
const amount = fc.integer({ min: 1, max: 60 });
const settings: fc.Arbitrary<Settings> = fc.record({
  trigger: fc.constantFrom(...INVITATION_TRIGGERS),
  forNewUser: fc.constantFrom(0, 25),
  forInviter: fc.constantFrom(0, 30, 31),
  forInvitee: fc.constantFrom(0, 7),
  limit: fc.constantFrom(0, 0, 1, 2),
});

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('register' as const),
      inviter: fc.option(fc.nat(1), { freq: 6 }),
      isVerified: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('topUp' as const), who: pick, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('verify' as const), who: pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('call' as const), who: pick, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reward' as const),
      who: pick,
      amount,
      activity: fc.nat(2),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('transfer' as const), who: pick, amount }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('reverse' as const),
      order: pick,
      how: fc.constantFrom('refund' as const, 'dispute' as const, 'win' as const),
      /** Of refunds, or of one of two disputes. */
      cents: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), who: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ban' as const), who: pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set' as const), settings }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What a refusal is called, or null where there was none. */
const refusalOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    },
  );

let names = 0;

/** The steps, done in the database and in the reference. */
class World {
  readonly ids: number[] = [];
  readonly codes: string[] = [];
  readonly orders: number[] = [];
  readonly reference: RewardReference;
  /** Activities of other worlds are others. */
  readonly #firstActivity = ++names * 10;

  constructor(
    readonly deps: TestApi['deps'],
    first: Settings,
  ) {
    this.reference = new RewardReference(first);
  }

  apply(given: Settings): Promise<void> {
    this.reference.settings = given;
    return this.deps.options.set({
      QuotaForNewUser: String(given.forNewUser),
      QuotaForInviter: String(given.forInviter),
      QuotaForInvitee: String(given.forInvitee),
      'aff_quota.reward_trigger': given.trigger,
      'aff_quota.daily_limit': String(given.limit),
    });
  }

  async do(given: Step): Promise<void> {
    const { deps, reference } = this;
    if (given.kind === 'set') return this.apply(given.settings);
    if (given.kind === 'register') return this.#register(given.inviter, given.isVerified);
    if (given.kind === 'reverse') return this.#reverse(given);
    if (this.ids.length === 0) return;
    const at = given.who % this.ids.length;
    const id = this.ids[at] ?? 0;
    const person = reference.person(at);
    if (person.isDeleted) return;
    const tx = deps.db.orm.transaction.bind(deps.db.orm);
    switch (given.kind) {
      case 'topUp': {
        if (!person.isActive) return;
        const money = { money: 100n, fullMoney: 100n, currency: 'CNY', places: 2 };
        const quote = { quota: given.amount, ...money, code: '', codeLimit: null };
        const order = await createOrder(deps, { userId: id, provider: 'epay', method: 'alipay', quote });
        expect(await creditOrder(deps, order.id, { providerRef: '' })).not.toBeNull();
        this.orders.push(order.id);
        return reference.topUp(at, given.amount);
      }
      case 'verify':
        if (!person.isActive) return;
        await tx((t) => rewarding(t, deps, { userId: id, trigger: 'verified' }, async () => undefined));
        return reference.verify(at);
      case 'call': {
        const charge = Math.min(given.amount, person.quota);
        if (!person.isActive || charge === 0) return;
        const hold = holdOf(id, 0, charge);
        expect(await deps.billing.reserve(hold)).toBe('granted');
        await deps.billing.settle(settlementOf(hold.id, charge));
        await rewardFirstCalls(deps);
        return reference.call(at, charge);
      }
      case 'reward': {
        const causeId = this.#firstActivity + given.activity;
        const grant = { userId: id, kind: REWARD.activity, amount: given.amount, causeId };
        const isNew = await tx((t) => grantReward(t, { ...grant, ref: crypto.randomUUID() }));
        expect(isNew).toBe(reference.reward(at, given.activity, given.amount));
        return;
      }
      case 'transfer': {
        const owner = { id, username: '', group: 'default', ip: '' };
        const refusal = await refusalOf(transfer(deps, owner, given.amount));
        expect(refusal).toBe(reference.transfer(at, given.amount) ? null : 'TRANSFER_SHORT');
        return;
      }
      case 'ban':
        await deps.db.query('update users set status = 2 where id = $1', [id]);
        person.isActive = false;
        return;
      case 'delete':
        await deps.changes.commit((t, touch) => eraseAccount(deps, t, touch, id));
        person.isActive = false;
        person.isDeleted = true;
        return;
    }
  }

  async #register(wished: number | null, isVerified: boolean): Promise<void> {
    const inviter = wished === null || this.ids.length === 0 ? null : wished % this.ids.length;
    const name = `p${++names}`;
    const id = await openAccount(this.deps, {
      username: name,
      passwordHash: null,
      email: isVerified ? `${name}@example.com` : '',
      affCode: inviter === null ? '' : (this.codes[inviter] ?? ''),
    });
    this.ids.push(id);
    this.codes.push(await readAffCode(this.deps, id));
    this.reference.register(inviter, isVerified);
  }

  async #reverse({ order, how, cents }: Extract<Step, { kind: 'reverse' }>): Promise<void> {
    if (this.orders.length === 0) return;
    const at = order % this.orders.length;
    const id = this.orders[at] ?? 0;
    const cause = how === 'refund' ? '' : `dp_${cents % 2}`;
    if (how === 'win') {
      expect((await winDispute(this.deps, id, cause)) !== null).toBe(this.reference.win(at, cause));
      return;
    }
    const reversed = await reverseOrder(this.deps, id, { kind: how, cause, money: BigInt(cents) });
    expect(reversed !== null).toBe(this.reference.reverse(at, cause, cents));
  }

  /** Every account as the database has it, and as it must be. */
  async compare(): Promise<void> {
    const rows = await this.deps.db.query(
      `select quota, reserved, used_quota as used, aff_quota as aff, aff_history_quota as "affEver",
         activity_quota as activity, activity_history_quota as "activityEver", aff_count as guests
       from users where id = any($1::bigint[]) order by id`,
      [numberList(this.ids)],
    );
    const expected = this.reference.people.map((person) => ({
      quota: person.quota,
      reserved: 0,
      used: person.used,
      aff: person.aff,
      affEver: person.affEver,
      activity: person.activity,
      activityEver: person.activityEver,
      guests: person.guests,
    }));
    expect(rows).toEqual(expected);
    for (const person of expected) expect(Math.min(...Object.values(person))).toBeGreaterThanOrEqual(0);
  }
}

for (const engine of callEngines) {
  describe(`rewards on ${engine}`, () => {
    let api: TestApi;
    beforeAll(async () => {
      api = await openApi(engine);
    });
    afterAll(() => api.close());

    test(
      'come to what a plain reference says, whatever happens in whatever order',
      async () => {
        await fc.assert(
          fc.asyncProperty(
            settings,
            fc.array(step, { minLength: 20, maxLength: 50, size: 'max' }),
            async (first, steps) => {
              const world = new World(api.deps, first);
              await world.apply(first);
              for (const one of steps) await world.do(one);
              await world.compare();
              expect((await audit(api.deps.db)).findings).toEqual([]);
            },
          ),
          { numRuns: often(60, 500) },
        );
      },
      often(240_000, 3_600_000),
    );
  });
}
