/** An administrator announces an activity and rewards for it; a user sees it, and claims his fuel pack. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { type Client, PASSWORD, type TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
let ben: TestUser;
let client: Client;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  ben = await site.api.createUser({ username: 'ben' });
  client = await site.api.as(root);
  await site.api.deps.options.set({
    FuelPackEnabled: 'true',
    FuelPackQuota: '1000000',
    'fuel_pack.verified_only': 'false',
  });
}, patience(120_000));
afterAll(() => site.close());

const announce = async (over: object = {}): Promise<number> =>
  (await client.post('/api/activity/', { name: 'Spring', desc: 'Say it.', quota: 500_000, ...over })).data.id;

describe('announcing', () => {
  it(
    'writes an activity, changes it and ends it',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.getByRole('link', { name: 'Activities', exact: true }).click();
      await page.getByText('No activities yet').waitFor();
      await page.getByRole('link', { name: 'New activity' }).first().click();
      const drawer = page.getByRole('dialog');
      const field = (name: string) => drawer.getByRole('textbox', { name, exact: true });
      await drawer.getByRole('button', { name: 'Save' }).click();
      await drawer.getByText('The name needs 1 to 100 characters').waitFor();
      await drawer.getByText('Only whole numbers can be entered').waitFor();
      await field('Name').fill('Built with us');
      await field('Description').fill('Show what you built,\nand get something back.');
      await field('Reward').fill('1.5');
      await field('Start').fill('2099-12-31 00:00:00');
      await field('End').fill('2099-12-30 00:00:00');
      await drawer.getByText('The end must not be before the start').waitFor();
      await drawer.getByText('Only whole numbers can be entered').waitFor();
      await field('Reward').fill('250000');
      await field('End').fill('');
      await drawer.getByRole('button', { name: 'Save' }).click();
      await drawer.waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'Built with us' });
      await row.getByText('Not begun').waitFor();
      await row.getByRole('link', { name: 'Built with us' }).click();
      await field('Start').fill('');
      await drawer.getByRole('button', { name: 'Save' }).click();
      await drawer.waitFor({ state: 'detached' });
      await row.getByText('In progress').waitFor();
      await row.getByText('No limit').waitFor();
      const menu = async (item: string) => {
        await row.getByRole('button', { name: 'More actions: Built with us' }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      await menu('End it');
      await row.getByText('Ended').waitFor();
      const { items } = (await client.get('/api/activity/')).data;
      expect(items).toMatchObject([{ name: 'Built with us', quota: 250_000, status: false, start_date: 0 }]);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'rewards found and pasted users after a question, and says what became of each',
    async () => {
      const id = await announce({ name: 'Rewarding' });
      await client.post('/api/activity/reward', { activity_id: id, user_ids: [ben.id] });
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(`/activity-config/reward/${id}`);
      const drawer = page.getByRole('dialog');
      const send = () => drawer.getByRole('button', { name: 'Send rewards' }).click();
      await send();
      await drawer.getByText('Choose users', { exact: true }).waitFor();
      await drawer.getByRole('searchbox', { name: 'Find users' }).fill('una');
      await drawer.getByRole('checkbox', { name: /^una/ }).check();
      await drawer.getByRole('textbox', { name: 'Or paste user IDs' }).fill('x');
      await drawer.getByRole('button', { name: 'Add', exact: true }).click();
      await drawer.getByText('User IDs are whole numbers').waitFor();
      await drawer.getByRole('textbox', { name: 'Or paste user IDs' }).fill(`${ben.id}, 99999 ${una.id}`);
      await drawer.getByRole('button', { name: 'Add', exact: true }).click();
      await drawer.getByText('3 users × $1.00 = $3.00').waitFor();
      await send();
      const question = page.getByRole('alertdialog');
      await question.getByText('Reward 3 users?').waitFor();
      await question.getByRole('button', { name: 'Send rewards' }).click();
      await drawer.getByText('1 user rewarded').first().waitFor();
      const said = (user: string) => drawer.getByRole('listitem').filter({ hasText: user }).textContent();
      expect(await said(`#${una.id}`)).toContain('Rewarded');
      expect(await said(`#${ben.id}`)).toContain('Rewarded before');
      expect(await said('#99999')).toContain('No such user');
      expect((await (await site.api.as(una)).get('/api/user/self')).data.activity_quota).toBe(500_000);
      await drawer.getByRole('button', { name: 'Close' }).last().click();
      await drawer.waitFor({ state: 'detached' });
      // A dispatch that rewards nobody tells the same.
      await visitor.goto(`/activity-config/reward/${id}`);
      await drawer.getByRole('textbox', { name: 'Or paste user IDs' }).fill(String(una.id));
      await drawer.getByRole('button', { name: 'Add', exact: true }).click();
      await send();
      await question.getByRole('button', { name: 'Send rewards' }).click();
      await drawer.getByText('0 users rewarded').first().waitFor();
      expect(await said(`#${una.id}`)).toContain('Rewarded before');
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'shows results as they come, goes on without the page, and keeps them for who comes back',
    async () => {
      const id = await announce({ name: 'Many' });
      const ids: number[] = [];
      for (let n = 0; n < 230; n++) ids.push((await site.api.createUser()).id);
      // Each reward takes a moment, as it would where much is going on.
      const { db } = site.api.deps;
      await db.query(`create function slowly() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.02); return new; end $$`);
      await db.query(`create trigger slowly after insert on rewards for each row execute function slowly()`);
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(`/activity-config/reward/${id}`);
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('textbox', { name: 'Or paste user IDs' }).fill(ids.join(' '));
      await drawer.getByRole('button', { name: 'Add', exact: true }).click();
      await drawer.getByRole('button', { name: 'Send rewards' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Send rewards' }).click();
      await drawer.getByRole('progressbar', { name: 'Sending rewards' }).waitFor();
      // Some have it while others wait.
      await drawer.getByText('50 of 230 users').waitFor();
      const counted = (word: string) => drawer.getByRole('listitem').filter({ hasText: word }).count();
      expect(await counted('Waiting')).toBeGreaterThan(0);
      await visitor.shot('activity-config-sending');
      // Gone while it runs: it runs on, is seen from another page, and leads back.
      await visitor.leap('/token');
      const pill = page.getByRole('link', { name: 'Rewards: Many' });
      await pill.getByRole('progressbar').waitFor();
      await visitor.shot('activity-config-sending-afar');
      await pill.click();
      await page.waitForURL(`**/activity-config/reward/${id}`);
      await drawer.getByText('230 users rewarded').first().waitFor();
      await page.getByText('Many: 230 of 230 users rewarded').waitFor();
      await pill.waitFor({ state: 'detached' });
      expect(await counted('Rewarded')).toBe(230);
      await drawer.getByRole('button', { name: 'Close' }).last().click();
      await drawer.waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: 'Many' }).getByText('230').waitFor();
      await visitor.goto(`/activity-config/reward/${id}`);
      await drawer.getByText('Sent before: 230 of 230 users rewarded').waitFor();
      await drawer.getByRole('button', { name: 'Results' }).click();
      await drawer.getByText(`#${ids[229]}`).waitFor();
      await visitor.shot('activity-config-sent');
      await drawer.getByRole('button', { name: 'Send more' }).click();
      await drawer.getByRole('searchbox', { name: 'Find users' }).waitFor();
      await db.query('drop trigger slowly on rewards');
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'filters the list by the states that its rows show',
    async () => {
      await announce({ name: 'State early', start_date: nowSec() + 5_000 });
      await announce({ name: 'State open' });
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/activity-config?q=State');
      const states = page.getByRole('combobox', { name: 'All states' });
      expect(await states.getByRole('option').allTextContents()).toEqual([
        ...['All states', 'In progress', 'Not begun', 'Past its end', 'Ended'],
      ]);
      await states.selectOption({ label: 'In progress' });
      await page.getByRole('row').filter({ hasText: 'State early' }).waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: 'State open' }).waitFor();
      await states.selectOption({ label: 'Not begun' });
      await page.getByRole('row').filter({ hasText: 'State early' }).waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'sends no rewards of one that is over',
    async () => {
      const id = await announce({ name: 'Over', end_date: nowSec() - 100 });
      const visitor = await site.visit({ user: root, locale: 'en' });
      await visitor.goto('/activity-config?q=Over');
      const row = visitor.page.getByRole('row').filter({ hasText: 'Past its end' });
      await row.getByRole('button', { name: 'More actions: Over' }).click();
      const item = visitor.page.getByRole('menuitem', { name: 'Send rewards' });
      expect(await item.getAttribute('aria-disabled')).toBe('true');
      await visitor.goto(`/activity-config/reward/${id}`);
      await visitor.page.getByText('It is not in progress: it rewards nobody').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('the activity center', () => {
  it(
    'gives the fuel pack once and counts down to the next',
    async () => {
      const visitor = await site.visit({ user: ben, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.getByRole('link', { name: 'Activity center' }).click();
      const main = page.getByRole('main');
      await main.getByText('Free every 7 days, added at once').waitFor();
      await main.getByRole('button', { name: 'Claim' }).click();
      await page.getByText('Claimed: $2.00 added').waitFor();
      const waiting = main.getByRole('button', { name: /^Due in 6 d 23 h|^Due in 7 d 0 h/ });
      await waiting.waitFor();
      expect(await waiting.isDisabled()).toBe(true);
      const self = (await (await site.api.as(ben)).get('/api/user/self')).data;
      expect(self).toMatchObject({ quota: 1_000_000, history_fuel_pack_quota: 1_000_000 });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'moves what activities gave to the main balance',
    async () => {
      const ida = await site.api.createUser({ username: 'ida', quota: 500_000 });
      await client.post('/api/activity/reward', {
        activity_id: await announce({ name: 'For Ida' }),
        user_ids: [ida.id],
      });
      const visitor = await site.visit({ user: ida, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/activity-center');
      await page.getByRole('button', { name: 'Move to the balance' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Move to the balance' }).waitFor({ state: 'detached' });
      const self = (await (await site.api.as(ida)).get('/api/user/self')).data;
      expect(self).toMatchObject({ quota: 1_000_000, activity_quota: 0, activity_history_quota: 500_000 });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'says why a claim was refused, and shows the state as it is',
    async () => {
      const eve = await site.api.createUser({ username: 'eve' });
      const visitor = await site.visit({ user: eve, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/activity-center');
      await (await site.api.as(eve)).get('/api/user/fuel_pack');
      await page.getByRole('main').getByRole('button', { name: 'Claim' }).click();
      await page.getByText('The fuel pack was claimed already').waitFor();
    },
    PATIENCE_MS,
  );
});

describe('looks of the activity center', () => {
  beforeAll(async () => {
    await announce({ name: 'A long story', desc: 'One line.\nAnother line, which goes on and on and on.' });
    const open = await announce({ name: 'With an end', end_date: nowSec() + 900_000 });
    await client.post('/api/activity/reward', { activity_id: open, user_ids: [una.id] });
    const inviter = await site.api.as(una);
    await inviter.get('/api/user/fuel_pack');
    await site.api.deps.options.set({ QuotaForInviter: '1000000', QuotaForInvitee: '500000' });
    const came = await site.api.guest().post('/api/user/register', {
      username: 'guest',
      password: PASSWORD,
      password2: PASSWORD,
      aff_code: (await inviter.get('/api/user/aff')).data,
    });
    expect(came.success).toBe(true);
  });
  looksRight({
    name: 'activity-center',
    async open(locale) {
      const visitor = await site.visit({ user: una, locale, stays: true });
      await visitor.goto('/activity-center');
      return visitor;
    },
  });
});

describe('looks of the list', () => {
  looksRight({
    name: 'activity-config',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/activity-config');
      return visitor;
    },
  });
});

describe('looks of the form', () => {
  looksRight({
    name: 'activity-config-add',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/activity-config/add');
      await visitor.page.getByRole('dialog').waitFor();
      return visitor;
    },
  });
});

describe('looks of the rewards', () => {
  looksRight({
    name: 'activity-config-reward',
    async open(locale) {
      const id = await announce({ name: 'Looked at' });
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto(`/activity-config/reward/${id}`);
      const drawer = visitor.page.getByRole('dialog');
      for (const name of ['una', 'ben']) {
        await drawer.getByRole('searchbox').fill(name);
        await drawer.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check();
      }
      return visitor;
    },
  });
});
