/** Administrators see on the overview, and root over the record of what was done, whether the books balance. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { keepAudit } from '../../src/modules/audit/service.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let root: TestUser;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
}, patience(120_000));
afterAll(() => site.close());

const finding = { check: 'quota + reserved = ledger', id: '7', expected: 700, found: 1_703 };
const keep = (over: object) =>
  keepAudit(site.api.deps.db, {
    checked_at: nowSec() - 720,
    seconds: 6,
    checks: 22,
    unfinished: [],
    found: 0,
    findings: [],
    ...over,
  });

describe('the card of the audit', () => {
  it('says that the books balance, that it is not known, and what is wrong', async () => {
    await keep({});
    const visitor = await site.visit({ user: root, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/admin-log');
    await page.getByText('The books balance: 22 sums were proven').waitFor();
    await page.getByText('12 min ago').waitFor();
    await visitor.goto('/');
    await page.getByText('The books balance: 22 sums were proven').waitFor();
    await keep({ unfinished: ['x'] });
    await visitor.goto('/');
    await page.getByText('1 check is open').waitFor();
    await visitor.goto('/admin-log');
    await page.getByText('1 check is open').waitFor();
    await keep({ found: 1, findings: [finding] });
    await visitor.goto('/admin-log');
    await page.getByText('The books do not balance: 1 sum does not hold').waitFor();
    await page.getByText('quota + reserved = ledger: 7 has 1,703, expected 700').waitFor();
    const admin = await site.visit({ user: await site.api.createUser({ role: 10 }), locale: 'en' });
    // Who may not read the record is told that something is wrong, and not of whom.
    await admin.goto('/');
    await admin.page.getByText('The books do not balance').waitFor();
    expect(await admin.page.getByText('1,703').count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});

looksRight({
  name: 'audit',
  async open(locale) {
    await keep({ found: 1, findings: [finding] });
    const visitor = await site.visit({ user: root, locale, stays: true });
    await visitor.goto('/admin-log');
    await visitor.page.getByText('1,703').waitFor();
    return visitor;
  },
});
