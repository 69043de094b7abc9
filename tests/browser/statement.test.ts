/** A user follows his balance line by line; an administrator that of a user. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { grantReward, REWARD } from '../../src/billing/rewards.ts';
import { reserveAll, settleAll } from '../../src/billing/statements.ts';

import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { holdOf, makeToken, settlementOf } from '../support/accounts.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 50_000_000 });
  const { db } = site.api.deps;
  const noon = Math.floor(nowSec() / DAY_SEC) * DAY_SEC + DAY_SEC / 2;
  await db.query(`update ledger set created_at = ${noon - 40 * DAY_SEC} where user_id = ${una.id}`);
  const token = await makeToken(db, una.id);
  for (let day = 1; day <= 12; day++) {
    for (let call = 0; call < day; call++) {
      const hold = holdOf(una.id, token, 123_456);
      await reserveAll(db, [{ ...hold, extends: false }], 'test');
      await settleAll(db, [settlementOf(hold.id, 123_456, { at: noon - day * DAY_SEC, username: 'una' })]);
    }
  }
  const client = await site.api.as(root);
  await client.put('/api/user/', { id: una.id, add_quota: 5_000_000, reason: 'For the outage in spring' });
  await client.put('/api/user/', { id: una.id, add_quota: -1_000_000, reason: 'Counted twice' });
  const [code] = (await client.post('/api/redemption/', { name: 'spring', quota: 500_000 })).data;
  const mine = await site.api.as(una);
  await mine.post('/api/user/topup', { key: code });
  // What he earned goes to his balance in one, so that the line has more than one thing to name.
  const grant = (kind: 1 | 2, causeId: number) =>
    db.orm.transaction((tx) =>
      grantReward(tx, { userId: una.id, kind, amount: 250_000, causeId, ref: crypto.randomUUID() }),
    );
  const spring = (await client.post('/api/activity/', { name: 'Spring', desc: 'd', quota: 1 })).data.id;
  for (const guest of [901, 902]) {
    await grant(REWARD.invitation, guest);
    await db.query(`update rewards set created_at = ${noon} - 1000 + cause_id where cause_id = ${guest}`);
  }
  await grant(REWARD.activity, spring);
  await mine.post('/api/user/quota_transfer', { quota: 750_000 });
}, patience(120_000));
afterAll(() => site.close());

describe('the statement', () => {
  it(
    'is reached from the wallet, filtered, turned, and leads to the calls of a day',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/topup');
      await page.getByRole('link', { name: 'Statement' }).click();
      const rows = page.getByRole('main').getByRole('row');
      await page.getByText('For the outage in spring').waitFor();
      await page.getByText(/^code #\d+$/).waitFor();
      await page.getByText('Inviting user 901, Inviting user 902, Activity “Spring”').waitFor();
      const kinds = page.getByRole('combobox', { name: 'All movements' });
      // None that nothing ever writes.
      expect(await kinds.getByRole('option').allTextContents()).toEqual([
        ...['All movements', 'Calls', 'Top-up', 'Redemption code', 'Gift', 'Invitation', 'Fuel pack'],
        ...[
          'Transferred rewards',
          'Administrator',
          'Written off',
          'Refund',
          'Payment taken back',
          'Payment reinstated',
        ],
      ]);
      await kinds.selectOption({ label: 'Administrator' });
      await page.getByRole('link', { name: '1 call', exact: true }).waitFor({ state: 'detached' });
      expect(await rows.count()).toBe(3);
      // What is read as $10.00, and more: the other was two.
      const least = page.getByRole('textbox', { name: 'Amount from' });
      await least.fill('10');
      await least.press('Enter');
      await page.getByText('Counted twice').waitFor({ state: 'detached' });
      expect(await least.inputValue()).toBe('$10.00');
      const applied = page.getByRole('list', { name: 'Filters applied' });
      expect(await applied.getByRole('listitem').allInnerTexts()).toEqual([
        ...['Administrator', 'Amount from: $10.00', 'Clear filters'],
      ]);
      await applied.getByRole('link', { name: 'Remove Amount from: $10.00' }).click();
      await page.getByText('Counted twice').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('link', { name: '1 call', exact: true }).waitFor();
      await visitor.goto('/topup/statement');
      await page.getByRole('link', { name: 'Older' }).click();
      // To the first line: what there was after it is all that it gave.
      const first = rows.filter({ hasText: 'Gift' });
      await first.waitFor();
      expect(await first.textContent()).toMatch(/\+\$100\.00.*\$100\.00/);
      await first.getByText('For a new account').waitFor();
      await page.getByRole('link', { name: 'Newer' }).click();
      await page.getByText('For the outage in spring').waitFor();
      // The other way round: from the gift on, with the same balances.
      const time = page.getByRole('columnheader', { name: 'Time' });
      await time.getByRole('link').click();
      await page.locator('th[aria-sort=descending]').waitFor();
      await time.getByRole('link').click();
      await rows.nth(1).getByText('Gift').waitFor();
      expect(await rows.nth(1).textContent()).toMatch(/\+\$100\.00.*\$100\.00/);
      expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Newer' }).click();
      await page.getByText('For the outage in spring').waitFor();
      await page.getByRole('link', { name: 'Older' }).click();
      await rows.nth(1).getByText('Gift').waitFor();
      await time.getByRole('link').click();
      await page.getByRole('link', { name: '2 calls' }).click();
      await page.waitForURL('**/log?**');
      await page.getByText('2 rows').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is downloaded whole, and read by an administrator from the row of a user',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/user');
      await page.getByRole('button', { name: 'More actions: una', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Statement' }).click();
      await page.getByRole('heading', { name: 'Statement of una' }).waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('statement.csv');
      const lines = (await Bun.file(await file.path()).text()).trim().split('\r\n');
      expect(lines).toHaveLength(1 + 12 + 5);
      const href = await page.getByRole('link', { name: '6 calls' }).getAttribute('href');
      expect(href).toContain('user=una');
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'says so when nothing has moved',
    async () => {
      const visitor = await site.visit({ user: await site.api.createUser(), locale: 'en' });
      await visitor.goto('/topup/statement');
      await visitor.page.getByText('Nothing has moved yet').waitFor();
    },
    PATIENCE_MS,
  );
});

looksRight({
  name: 'statement',
  async open(locale) {
    const visitor = await site.visit({ user: una, locale, stays: true });
    await visitor.goto('/topup/statement');
    return visitor;
  },
});
