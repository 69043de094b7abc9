/** A user invites others, sees what came of it, and moves what it earned to his balance. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { grantReward, REWARD } from '../../src/billing/rewards.ts';
import { createOrder, creditOrder } from '../../src/modules/payment/orders.ts';
import { reverseOrder } from '../../src/modules/payment/reversals.ts';
import { PASSWORD, type TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { inLong, usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
let people = 0;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 500_000 });
  await site.api.deps.options.set({ QuotaForInviter: '1000000', QuotaForInvitee: '500000' });
}, patience(120_000));
afterAll(() => site.close());

const reward = async (user: TestUser, kind: 1 | 2, amount: number) => {
  const grant = { userId: user.id, kind, amount, ref: crypto.randomUUID(), causeId: 1_000_000 + ++people };
  await site.api.deps.db.orm.transaction((tx) => grantReward(tx, grant));
};
const codeOf = async (user: TestUser): Promise<string> =>
  (await (await site.api.as(user)).get('/api/user/aff')).data;
const come = async (aff_code: string, username: string) => {
  const body = { username, password: PASSWORD, password2: PASSWORD, aff_code };
  const answer = await site.api.guest({ ip: `198.51.100.${++people}` }).post('/api/user/register', body);
  if (!answer.success) throw new Error(answer.message);
};
/** A guest whose payment pays the invitation, and of which some cents in a hundred are given back. */
const comeAndPay = async (aff_code: string, username: string, refunded: bigint) => {
  const { deps } = site.api;
  await deps.options.set({ 'aff_quota.reward_trigger': 'first_topup' });
  await come(aff_code, username);
  await deps.options.set({ 'aff_quota.reward_trigger': 'register' });
  const [guest] = await deps.db.query<{ id: number }>('select id from users where username = $1', [username]);
  const money = { money: 100n, fullMoney: 100n, currency: 'CNY', places: 2 };
  const quote = { quota: 100, ...money, code: '', codeLimit: null };
  const order = { userId: guest?.id ?? 0, provider: 'epay', method: 'alipay', quote };
  const { id } = await createOrder(deps, order);
  await creditOrder(deps, id, { providerRef: '' });
  await reverseOrder(deps, id, { kind: 'refund', cause: '', money: refunded });
};

describe('inviting', () => {
  it(
    'goes by the link, is told to who invited, and earns him what he moves to his balance',
    async () => {
      const guest = await site.visit({ locale: 'en' });
      await guest.goto(`/register?aff=${await codeOf(una)}`);
      await guest.page.getByText('Invited with the code').waitFor();
      await come(await codeOf(una), 'benjamin');
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/personal#rewards');
      const section = page.locator('#rewards');
      await section
        .getByText('As soon as your guest has registered, you get $2.00 and your guest $1.00.')
        .waitFor();
      const line = section.getByRole('listitem').filter({ hasText: 'be***' });
      await line.getByText('$2.00').waitFor();
      expect(await section.getByText('benjamin').count()).toBe(0);
      await section.getByRole('button', { name: 'Move to the balance' }).click();
      const dialog = page.getByRole('dialog');
      const amount = dialog.getByRole('textbox', { name: 'Amount' });
      expect(await amount.inputValue()).toBe('1000000');
      const move = () => dialog.getByRole('button', { name: 'Move', exact: true }).click();
      for (const wrong of ['1000001', '0']) {
        await amount.fill(wrong);
        await move();
        await dialog.getByText('There is not that much reward quota to transfer').waitFor();
      }
      await amount.fill('1.5');
      await dialog.getByText('Please enter a whole number').waitFor();
      await amount.fill('250000');
      await move();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('$0.50 moved to the balance').waitFor();
      await section.getByText('$1.50').waitFor();
      expect((await (await site.api.as(una)).get('/api/user/self')).data).toMatchObject({
        quota: 750_000,
        aff_quota: 750_000,
      });
      await section.getByRole('button', { name: 'Move to the balance' }).click();
      await amount.fill('1');
      await dialog.getByRole('button', { name: 'All', exact: true }).click();
      await move();
      await dialog.waitFor({ state: 'detached' });
      await section.getByText('$0.00').waitFor();
      expect(await section.getByRole('button', { name: 'Move to the balance' }).count()).toBe(0);
      expect(await section.getByText('As a new user').count()).toBe(0);
      await site.api.deps.options.set({ QuotaForNewUser: '250000' });
      await visitor.goto('/personal');
      await section.getByText('As a new user your guest gets $0.50 besides.').waitFor();
      await site.api.deps.options.set({ QuotaForNewUser: '0' });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'says what was moved elsewhere meanwhile',
    async () => {
      const user = await site.api.createUser();
      await reward(user, REWARD.invitation, 500_000);
      const visitor = await site.visit({ user, locale: 'zh' });
      const { page } = visitor;
      await visitor.goto('/topup');
      await page.getByText('管理员未开启在线充值！').waitFor();
      await page.getByRole('button', { name: '划转到余额' }).click();
      await (await site.api.as(user)).post('/api/user/quota_transfer', { quota: 500_000 });
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: '划转', exact: true }).click();
      await dialog.getByText('转账额度不足！').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'tells of rewards in the wallet, and moves them there',
    async () => {
      const user = await site.api.createUser();
      await reward(user, REWARD.activity, 500_000);
      const visitor = await site.visit({ user, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/topup');
      const panel = page.getByRole('region', { name: 'Rewards to use' });
      await panel.getByText('$1.00').waitFor();
      await panel.getByRole('button', { name: 'Move to the balance' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByRole('main').getByText('500,000 units').waitFor();
      await panel.getByText('$0.00').waitFor();
      await panel.getByRole('link', { name: 'Invite others' }).click();
      await page.getByRole('textbox', { name: 'Invitation link' }).waitFor();
    },
    PATIENCE_MS,
  );

  inLong.it(
    'lists more guests when asked, each state in words',
    async () => {
      const user = await site.api.createUser();
      const code = await codeOf(user);
      await site.api.deps.options.set({ 'aff_quota.reward_trigger': 'first_topup' });
      for (let at = 0; at < 12; at++) await come(code, `many${at}`);
      await site.api.deps.db.query("update users set deleted_at = 1 where username = 'many3'");
      await site.api.deps.options.set({ 'aff_quota.reward_trigger': 'register' });
      const visitor = await site.visit({ user, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/personal#rewards');
      const guests = page.getByRole('list', { name: 'Your guests' }).getByRole('listitem');
      await guests.nth(9).waitFor();
      expect(await guests.count()).toBe(10);
      await page.getByRole('button', { name: '2 more guests' }).click();
      await guests.nth(11).waitFor();
      expect(await page.getByText('Waits for the first top-up').count()).toBe(11);
      expect(await guests.nth(8).textContent()).toMatch(/Cancelled account.*No reward/);
      await page.getByRole('button', { name: /^\d+ more guests?$/ }).waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );

  it.each(
    usually<['en' | 'zh', string, string, string]>(
      [['en', '$0.50', 'Partly taken back', 'Taken back']],
      ['zh', '¥3.65', '已部分扣回', '已扣回'],
    ),
  )(
    'says in %s what was taken back with a guest’s payment',
    async (locale, left, partly, wholly) => {
      const user = await site.api.createUser();
      const code = await codeOf(user);
      await comeAndPay(code, `some${locale}`, 75n);
      await comeAndPay(code, `all${locale}`, 100n);
      const visitor = await site.visit({ user, locale });
      await visitor.goto('/personal#rewards');
      const guests = visitor.page.locator('#rewards').getByRole('listitem');
      await guests.filter({ hasText: 'so***' }).getByText(partly).waitFor();
      expect(await guests.filter({ hasText: 'so***' }).textContent()).toContain(left);
      const gone = guests.filter({ hasText: 'al***' });
      expect(await gone.getByText(wholly, { exact: true }).count()).toBe(1);
      expect(await gone.textContent()).not.toMatch(/[$¥]/);
    },
    PATIENCE_MS,
  );

  it(
    'is set on a tab of its own, with an example that follows what is typed',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/setting?tab=aff_quota');
      const block = page.getByRole('region', { name: 'Rewards of invitations', exact: true });
      await block.getByText('Una’s rewards grow by $2.00').waitFor();
      await block.getByRole('textbox', { name: 'Reward for inviting a user' }).fill('1500000');
      await block.getByText('Una’s rewards grow by $3.00').waitFor();
      await block.getByRole('combobox', { name: 'When rewards are given' }).selectOption('first_call');
      await block.getByText('After Ben’s first charged call').waitFor();
      await page.getByRole('button', { name: 'Save: Rewards of invitations', exact: true }).click();
      await page.getByText('Saved').first().waitFor();
      const { options } = site.api.deps;
      expect([options.get('QuotaForInviter'), options.get('aff_quota.reward_trigger')]).toEqual([
        1_500_000,
        'first_call',
      ]);
      await options.reset(['aff_quota.reward_trigger']);
    },
    PATIENCE_MS,
  );
});

describe('the invitations of the personal settings', () => {
  looksRight({
    name: 'invitation',
    open: async (locale) => {
      const user = await site.api.createUser();
      await site.api.deps.options.set({ 'aff_quota.reward_trigger': 'verified' });
      await come(await codeOf(user), `look${++people}`);
      await site.api.deps.options.set({ 'aff_quota.reward_trigger': 'register' });
      for (let at = 0; at < 2; at++) await come(await codeOf(user), `look${++people}`);
      await comeAndPay(await codeOf(user), `look${++people}`, 75n);
      await comeAndPay(await codeOf(user), `look${++people}`, 100n);
      await reward(user, REWARD.activity, 1_234_567);
      const visitor = await site.visit({ user, locale, stays: true });
      await visitor.goto('/personal#rewards');
      await visitor.page.getByRole('list').filter({ hasText: 'lo***' }).waitFor();
      return visitor;
    },
  });
});

describe('moving rewards', () => {
  looksRight({
    name: 'invitation-move',
    open: async (locale) => {
      const user = await site.api.createUser();
      await reward(user, REWARD.invitation, 1_234_567);
      const visitor = await site.visit({ user, locale, stays: true });
      await visitor.goto('/topup');
      await visitor.page
        .getByRole('button', { name: locale === 'zh' ? '划转到余额' : 'Move to the balance' })
        .click();
      await visitor.page.getByRole('dialog').waitFor();
      return visitor;
    },
  });
});

describe('the settings of invitations', () => {
  looksRight({
    name: 'invitation-settings',
    open: async (locale) => {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/setting?tab=aff_quota');
      await visitor.page.getByText('QuotaForInviter').waitFor();
      return visitor;
    },
  });
});
