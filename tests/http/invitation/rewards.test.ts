/** What an invitation earns: once, when its trigger comes, whoever races, and only what was promised. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { rewardFirstCalls } from '../../../src/modules/invitation/jobs.ts';
import { createOrder, creditOrder } from '../../../src/modules/payment/orders.ts';
import type { OptionKey } from '../../../src/options/registry.ts';
import { holdOf, settlementOf } from '../../support/accounts.ts';
import { type Client, openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

const DEFAULTS: Partial<Record<OptionKey, string>> = {
  QuotaForNewUser: '100',
  QuotaForInviter: '30',
  QuotaForInvitee: '7',
  'aff_quota.reward_trigger': 'register',
  'aff_quota.daily_limit': '100',
  'aff_quota.codes': '{}',
};

let people = 0;

describe.each(callEngines)('invitations, on %s', (engine) => {
  let api: TestApi;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    await api.deps.options.set({ SMTPServer: '127.0.0.1', SMTPPort: String(server.port) });
    admin = await api.as(await api.createUser({ role: 10 }));
  });
  beforeEach(() => api.deps.options.set(DEFAULTS));
  afterEach(async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
  afterAll(() => api.close());

  /** Everyone comes from a network of his own, so that no limit answers. */
  const address = () => `${1 + (++people % 100)}.${people >> 8}.${people & 255}.1`;
  const newInviter = async (): Promise<Client> => api.as(await api.createUser(), { ip: address() });
  const selfOf = async (client: Client) => (await client.get('/api/user/self')).data;
  const codeOf = async (client: Client): Promise<string> => (await client.get('/api/user/aff')).data;
  const come = async (aff_code: string): Promise<Client> => {
    const username = `guest${++people}`;
    const body = { username, password: PASSWORD, password2: PASSWORD, aff_code };
    const ip = address();
    expect(await api.guest({ ip }).post('/api/user/register', body)).toMatchObject({ success: true });
    const [user] = await api.deps.db.query<{ id: number }>('select id from users where username = $1', [
      username,
    ]);
    return api.as({ id: user?.id ?? 0, username, role: 1 }, { ip });
  };
  const rewardsOf = (client: Client) =>
    api.deps.db.query('select kind, amount from rewards where user_id = $1', [client.userId ?? 0]);
  const giftsOf = (client: Client) =>
    api.deps.db.query('select delta, note from ledger where user_id = $1 and kind = 5', [client.userId ?? 0]);
  const newCode = async (quota: number): Promise<string> =>
    (await admin.post('/api/redemption/', { name: 'gift', quota })).data[0];
  const redeem = (client: Client, key: string) => client.post('/api/user/topup', { key });
  /** A top-up that is paid. */
  const pay = async (client: Client, quota: number): Promise<number> => {
    const money = { money: 100n, fullMoney: 100n, currency: 'CNY', places: 2 };
    const quote = { quota, ...money, code: '', codeLimit: null };
    const order = { userId: client.userId ?? 0, provider: 'epay', method: 'alipay', quote };
    const { id } = await createOrder(api.deps, order);
    expect(await creditOrder(api.deps, id, { providerRef: '' })).toMatchObject({ status: 'success' });
    return id;
  };

  it('earn both at once when they register: one to the balance, the other to his rewards', async () => {
    const inviter = await newInviter();
    const guest = await come(await codeOf(inviter));
    expect(await selfOf(guest)).toMatchObject({ quota: 107, aff_quota: 0, inviter_id: inviter.userId ?? 0 });
    expect(await selfOf(inviter)).toMatchObject({
      quota: 0,
      aff_quota: 30,
      aff_history_quota: 30,
      aff_count: 1,
    });
    expect(await giftsOf(guest)).toEqual([{ delta: 7, note: `invitation:${inviter.userId}` }]);
    expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
    const told = async (client: Client) =>
      (await client.get('/api/log/self/?type=4')).data.items.map(
        ({ content }: { content: string }) => content,
      );
    expect(await told(guest)).toContain('使用邀请码注册赠送额度 7 单位');
    expect(await told(inviter)).toEqual(['邀请用户赠送奖励额度 30 单位']);
  });

  it('earn nobody anything where there is no code, no owner of it, or nothing was promised', async () => {
    const inviter = await newInviter();
    const code = await codeOf(inviter);
    for (const wrong of ['', 'nobody-has-it', code.toUpperCase() + code]) {
      expect(await selfOf(await come(wrong))).toMatchObject({ quota: 100, inviter_id: 0 });
    }
    await api.deps.options.set({ QuotaForInviter: '0', QuotaForInvitee: '0' });
    expect(await selfOf(await come(code))).toMatchObject({ quota: 100, inviter_id: inviter.userId ?? 0 });
    expect(await selfOf(inviter)).toMatchObject({ aff_quota: 0, aff_count: 1 });
    await api.deps.db.query('update users set deleted_at = 1 where id = $1', [inviter.userId ?? 0]);
    expect(await selfOf(await come(code))).toMatchObject({ quota: 100, inviter_id: 0 });
  });

  it('earn one reward each of fifty who come at once, up to the limit of a day', async () => {
    const inviter = await newInviter();
    const code = await codeOf(inviter);
    await api.deps.options.set({ 'aff_quota.daily_limit': '20' });
    const guests = await Promise.all(Array.from({ length: 50 }, () => come(code)));
    expect(await selfOf(inviter)).toMatchObject({ aff_quota: 20 * 30, aff_count: 50 });
    // The limit is the inviter's: what was promised to the guests they get.
    for (const guest of guests) expect(await giftsOf(guest)).toHaveLength(1);
    await api.deps.db.query('update rewards set created_at = created_at - 86401 where user_id = $1', [
      inviter.userId ?? 0,
    ]);
    await come(code);
    await api.deps.options.set({ 'aff_quota.daily_limit': '0' });
    expect(await selfOf(inviter)).toMatchObject({ aff_quota: 21 * 30 });
  });

  it('of a banned inviter earn him nothing', async () => {
    const inviter = await newInviter();
    const code = await codeOf(inviter);
    await api.deps.db.query('update users set status = 2 where id = $1', [inviter.userId ?? 0]);
    expect(await selfOf(await come(code))).toMatchObject({ quota: 107 });
    expect(await rewardsOf(inviter)).toEqual([]);
  });

  it('keep what a code promised when the guest came, whatever the settings say later', async () => {
    const inviter = await newInviter();
    const code = await codeOf(inviter);
    await api.deps.options.set({ 'aff_quota.reward_trigger': 'first_topup' });
    const guest = await come(code);
    await api.deps.options.set({ QuotaForInviter: '5000', 'aff_quota.reward_trigger': 'register' });
    expect(await rewardsOf(inviter)).toEqual([]);
    await pay(guest, 1);
    expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
  });

  it('earn nothing for those who came before there were rewards', async () => {
    const inviter = await newInviter();
    const guest = await newInviter();
    await api.deps.db.query('update users set inviter_id = $1 where id = $2', [
      inviter.userId ?? 0,
      guest.userId ?? 0,
    ]);
    await api.deps.options.set({ 'aff_quota.reward_trigger': 'first_topup' });
    await pay(guest, 9);
    expect([await rewardsOf(inviter), await giftsOf(guest)]).toEqual([[], []]);
    expect((await inviter.get('/api/user/aff/invited')).data.items).toMatchObject([
      { state: 'unpaid', trigger: null, quota: 0 },
    ]);
  });

  describe('that wait for the first top-up', () => {
    beforeEach(() => api.deps.options.set({ 'aff_quota.reward_trigger': 'first_topup' }));

    it('are paid with it, and with no later one', async () => {
      const inviter = await newInviter();
      const guest = await come(await codeOf(inviter));
      expect(await selfOf(guest)).toMatchObject({ quota: 100 });
      expect((await redeem(guest, 'wrong')).success).toBe(false);
      expect(await rewardsOf(inviter)).toEqual([]);
      await pay(guest, 1_000);
      expect(await selfOf(guest)).toMatchObject({ quota: 1_107 });
      await pay(guest, 1_000);
      expect(await selfOf(guest)).toMatchObject({ quota: 2_107 });
      expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
    });

    it('are not paid with a code, before a payment or after it', async () => {
      const inviter = await newInviter();
      const guest = await come(await codeOf(inviter));
      expect((await redeem(guest, await newCode(1_000))).data).toBe(1_000);
      expect(await selfOf(guest)).toMatchObject({ quota: 1_100 });
      expect(await rewardsOf(inviter)).toEqual([]);
      await pay(guest, 500);
      expect(await selfOf(guest)).toMatchObject({ quota: 1_607 });
      expect((await redeem(guest, await newCode(10))).data).toBe(10);
      expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
    });

    it('are paid once when top-ups race', async () => {
      const inviter = await newInviter();
      const guest = await come(await codeOf(inviter));
      await Promise.all(Array.from({ length: 15 }, () => pay(guest, 10_000)));
      expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
      expect(await giftsOf(guest)).toHaveLength(1);
    });

    it('never wait for calls of both users that wait for them', async () => {
      const inviter = await newInviter();
      await redeem(inviter, await newCode(10_000));
      const code = await codeOf(inviter);
      const guests = await Promise.all(Array.from({ length: 30 }, () => come(code)));
      const { billing } = api.deps;
      const call = async (userId: number) => {
        const hold = holdOf(userId, 0, 1);
        if ((await billing.reserve(hold)) === 'granted') await billing.settle(settlementOf(hold.id, 1));
      };
      // Each batch of calls locks the inviter's row and those of guests, as each top-up does.
      let isOver = false;
      const calls = async () => {
        while (!isOver) await Promise.all([inviter, ...guests].map(({ userId }) => call(userId ?? 0)));
      };
      const calling = calls();
      const paying = Promise.all(guests.map((guest) => pay(guest, 10_000))).finally(() => {
        isOver = true;
      });
      await Promise.all([paying, calling]);
      expect(await rewardsOf(inviter)).toHaveLength(30);
    });

    it('do not keep a top-up back whose reward fits nowhere', async () => {
      const inviter = await newInviter();
      const guest = await come(await codeOf(inviter));
      const full = { kind: 1, amount: Number.MAX_SAFE_INTEGER, id: inviter.userId ?? 0 };
      await api.deps.db.script(`
        update users set aff_quota = ${full.amount}, aff_history_quota = ${full.amount} where id = ${full.id};
        insert into rewards values ('${crypto.randomUUID()}', 1, ${full.id}, ${full.amount}, 0, 0, null)`);
      const rest = Number.MAX_SAFE_INTEGER - 101;
      await pay(guest, rest);
      expect(await selfOf(guest)).toMatchObject({ quota: rest + 100 });
      expect([await giftsOf(guest), (await rewardsOf(inviter)).length]).toEqual([[], 1]);
      expect((await inviter.get('/api/user/aff/invited')).data.items).toMatchObject([{ state: 'unpaid' }]);
    });
  });

  describe('that wait for a proved mailbox', () => {
    beforeEach(() => api.deps.options.set({ 'aff_quota.reward_trigger': 'verified' }));
    const codeFor = async (email: string, client: Client): Promise<string> => {
      await client.get(`/api/verification?email=${encodeURIComponent(email)}`);
      const mail = await server.that(({ recipients }) => recipients.includes(email));
      return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
    };

    it('are paid when it is bound, and not when it changes', async () => {
      const inviter = await newInviter();
      const guest = await come(await codeOf(inviter));
      expect(await rewardsOf(inviter)).toEqual([]);
      for (const email of [`g${++people}@example.com`, `g${++people}@example.com`]) {
        const code = await codeFor(email, guest);
        const bound = await guest.post('/api/oauth/email/bind', { email, code, password: PASSWORD });
        expect(bound).toMatchObject({ success: true });
      }
      expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
      expect(await selfOf(guest)).toMatchObject({ quota: 107 });
    });

    it('are paid at once to who registers with one, and stay when it was taken', async () => {
      const inviter = await newInviter();
      const email = `g${++people}@example.com`;
      const taken = await come(await codeOf(inviter));
      const browser = api.guest({ ip: address() });
      const code = await codeFor(email, browser);
      const body = { username: `guest${++people}`, password: PASSWORD, password2: PASSWORD, email };
      const aff_code = await codeOf(inviter);
      const answer = await browser.post('/api/user/register', {
        ...body,
        verification_code: code,
        aff_code,
      });
      expect(answer).toMatchObject({ success: true });
      expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
      const refused = await taken.post('/api/oauth/email/bind', {
        email,
        code: '000000',
        password: PASSWORD,
      });
      expect(refused.success).toBe(false);
      expect(await giftsOf(taken)).toEqual([]);
    });
  });

  describe('that wait for the first charged call', () => {
    beforeEach(() => api.deps.options.set({ 'aff_quota.reward_trigger': 'first_call' }));
    const call = async (client: Client, charge: number) => {
      const hold = holdOf(client.userId ?? 0, 0, 50);
      expect(await api.deps.billing.reserve(hold)).toBe('granted');
      await api.deps.billing.settle(settlementOf(hold.id, charge, { type: charge > 0 ? 2 : 4 }));
    };
    const look = () => rewardFirstCalls(api.deps);

    it('are paid once it was charged, by whichever process looks first', async () => {
      const inviter = await newInviter();
      const code = await codeOf(inviter);
      const [one, other] = [await come(code), await come(code)];
      await look();
      await call(one, 0);
      await look();
      expect(await rewardsOf(inviter)).toEqual([]);
      await call(one, 20);
      await Promise.all([look(), look(), look()]);
      expect(await rewardsOf(inviter)).toEqual([{ kind: 1, amount: 30 }]);
      expect(await selfOf(one)).toMatchObject({ quota: 87 });
      await call(one, 20);
      expect(await look()).toBe(0);
      expect(await giftsOf(other)).toEqual([]);
    });

    it('are not paid to who is banned or gone', async () => {
      const inviter = await newInviter();
      const code = await codeOf(inviter);
      const [banned, gone] = [await come(code), await come(code)];
      await call(banned, 20);
      await call(gone, 20);
      await api.deps.db.query('update users set status = 2 where id = $1', [banned.userId ?? 0]);
      await api.deps.db.query('update users set deleted_at = 1 where id = $1', [gone.userId ?? 0]);
      expect(await look()).toBe(0);
      expect(await rewardsOf(inviter)).toEqual([]);
    });
  });

  describe('by a code with terms of its own', () => {
    it('are worth what these say, as often and as long as they hold', async () => {
      const inviter = await newInviter();
      const code = await codeOf(inviter);
      const own = (terms: object) =>
        api.deps.options.set({ 'aff_quota.codes': JSON.stringify({ [code]: terms }) });
      await own({ inviter: 500, invitee: 50, limit: 2 });
      expect((await inviter.get('/api/user/aff/terms')).data).toEqual({
        trigger: 'register',
        inviter_quota: 500,
        invitee_quota: 50,
        daily_limit: 100,
      });
      const guests = await Promise.all([1, 2, 3].map(() => come(code)));
      const balances = await Promise.all(guests.map(async (guest) => (await selfOf(guest)).quota));
      expect(balances.sort()).toEqual([107, 150, 150]);
      expect(await selfOf(inviter)).toMatchObject({ aff_quota: 1_030 });
      await own({ invitee: 60, expires: Math.floor(Date.now() / 1000) + 60 });
      expect(await selfOf(await come(code))).toMatchObject({ quota: 160 });
      await own({ invitee: 60, expires: 1 });
      expect(await selfOf(await come(code))).toMatchObject({ quota: 107 });
    });
  });

  it('are nobody’s own, and close no circle', async () => {
    // Its row is removed below, and what it had given would stand in the ledger alone.
    await api.deps.options.set({ QuotaForInvitee: '0' });
    const guest = await come(await codeOf(await newInviter()));
    const add = (inviter: number, invitee: number) =>
      api.deps.db.query(
        `insert into invitations (invitee_id, inviter_id, ref, trigger, inviter_quota, invitee_quota, created_at)
         values ($1, $2, $3, 'register', 1, 1, 0)`,
        [invitee, inviter, crypto.randomUUID()],
      );
    const id = guest.userId ?? 0;
    await api.deps.db.query('delete from invitations where invitee_id = $1', [id]);
    await expect(add(id, id)).rejects.toThrow();
    await expect(add(id + 1, id)).rejects.toThrow();
    // No call names who invited somebody after he has come.
    const wish = { inviter_id: id, aff_code: 'wished' };
    const before = await selfOf(guest);
    await guest.put('/api/user/self', wish);
    expect(await selfOf(guest)).toEqual(before);
  });

  it('are listed for who invited, names by their beginning only', async () => {
    const inviter = await newInviter();
    const code = await codeOf(inviter);
    await come(code);
    await api.deps.options.set({ 'aff_quota.reward_trigger': 'first_call' });
    const waiting = await come(code);
    const gone = await come(code);
    await api.deps.db.query('update users set deleted_at = 1 where id = $1', [gone.userId ?? 0]);
    const { data } = await inviter.get('/api/user/aff/invited');
    expect(data).toMatchObject({ total: 3, page: 1, page_size: 10 });
    expect(data.items).toMatchObject([
      { username: '', state: 'unpaid', trigger: 'first_call', quota: 0 },
      { username: 'gu***', state: 'waiting', trigger: 'first_call', quota: 0 },
      { username: 'gu***', state: 'paid', trigger: 'register', quota: 30 },
    ]);
    expect(Object.keys(data.items[0]).sort()).toEqual([
      'created_at',
      'quota',
      'state',
      'trigger',
      'username',
    ]);
    const second = await inviter.get('/api/user/aff/invited?p=2&page_size=2');
    expect(second.data).toMatchObject({ total: 3, page: 2, items: [{ state: 'paid' }] });
    expect((await waiting.get('/api/user/aff/invited')).data).toMatchObject({ items: [], total: 0 });
  });
});
