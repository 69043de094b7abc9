/** Administrators govern the accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site, type Visitor } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let rootUser: TestUser;
let root: Client;
let people = 0;

beforeAll(async () => {
  site = await openSite();
  rootUser = await site.api.createUser({ username: 'root', role: 100, quota: 1_000_000 });
  root = await site.api.as(rootUser);
}, patience(120_000));
afterAll(() => site.close());

const make = (fields: { role?: number; quota?: number } = {}) =>
  site.api.createUser({ username: `person${++people}`, ...fields });
const arrive = quietVisits(
  () => site,
  () => ({ user: rootUser }),
);
const rowOf = ({ page }: Visitor, name: string) => page.getByRole('row').filter({ hasText: name });
const act = async (visitor: Visitor, name: string, action: string) => {
  const { page } = visitor;
  await page.getByRole('button', { name: `More actions: ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
};
const stored = async ({ id }: TestUser) => (await root.get(`/api/user/${id}`)).data;

describe('the drawer of another account', () => {
  inLong.it('edits that one, whatever was typed for the last', async () => {
    const [first, second] = [await make(), await make()];
    const visitor = await arrive(`/user/edit/${first.id}`);
    const remarks = visitor.page.getByRole('textbox', { name: 'Remarks' });
    await remarks.fill('draft');
    await visitor.leap(`/user/edit/${second.id}`);
    await visitor.page.getByText(`${second.username} · #${second.id}`).waitFor();
    expect(await remarks.inputValue()).toBe('');
  });
});

describe('the list of users', () => {
  it('is searched by name, group and invitation code; a code stands alone', async () => {
    const user = await make();
    await make();
    const visitor = await arrive('/user');
    const { page } = visitor;
    await page.getByRole('searchbox', { name: 'Name, email or ID' }).fill(user.username);
    await page.waitForURL(`**/user?q=${user.username}`);
    await page.getByText('1 user', { exact: true }).waitFor();
    const { aff_code } = await stored(user);
    await visitor.goto(`/user?aff=${aff_code}&q=nobody`);
    await rowOf(visitor, user.username).waitFor();
    await page.getByText('An invitation code is searched for alone').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Name, email or ID' }).isDisabled()).toBe(true);
    await visitor.goto('/user?group=nobody-is-here');
    await page.getByText('No user matches').waitFor();
  });

  inLong.it('finds the owner of a token, and keeps the token out of the address', async () => {
    const user = await make();
    const { data } = await (await site.api.as(user)).post('/api/token/', {
      name: 't',
      unlimited_quota: true,
    });
    const visitor = await arrive('/user');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Find by token' }).click();
    await page.getByLabel('User token').fill('sk-nobody-has-this');
    await page.keyboard.press('Enter');
    await page.getByText('Nobody has this token.').waitFor();
    const key = (await (await site.api.as(user)).post(`/api/token/${data.id}/key`)).data.key;
    await page.getByLabel('User token').fill(`sk-${key}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/user?q=${user.username}`);
    await rowOf(visitor, user.username).waitFor();
  });

  it('shows a cancelled account as such, without any action', async () => {
    const user = await make();
    await root.post('/api/user/manage', { id: user.id, action: 'delete' });
    const visitor = await arrive(`/user?q=${user.username}`);
    await rowOf(visitor, user.username).getByText('Cancelled').waitFor();
    expect(
      await rowOf(visitor, user.username)
        .getByRole('button', { name: /More actions/ })
        .count(),
    ).toBe(0);
  });

  inLong.it('is for administrators', async () => {
    const user = await make();
    const visitor = await site.visit({ user, locale: 'en' });
    const answer = await visitor.page.goto('/user');
    expect(answer?.status()).toBe(403);
    expect(await visitor.page.getByRole('navigation').getByRole('link', { name: 'Users' }).count()).toBe(0);
  });
});

describe('a user', () => {
  it('is added, with the rules of the form', async () => {
    const visitor = await arrive('/user');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Add user' }).click();
    const drawer = page.getByRole('dialog', { name: 'Add user' });
    await drawer.getByRole('button', { name: 'Add user' }).click();
    await drawer.getByText('Username and password must not be empty!').first().waitFor();
    const name = `person${++people}`;
    await drawer.getByRole('textbox', { name: 'Username' }).fill(name);
    await drawer.getByLabel('Password', { exact: true }).fill('Passw0rd1');
    await drawer.getByRole('button', { name: 'Add user' }).click();
    await page.getByText(`Added ${name}`).waitFor();
    await rowOf(visitor, name).waitFor();
    await site.api.guest().login(name);
  });

  it('is changed by the drawer, which sends what was changed', async () => {
    const user = await make({ quota: 1_000 });
    const visitor = await arrive(`/user?q=${user.username}`);
    const { page } = visitor;
    const puts: unknown[] = [];
    page.on('request', (request) => request.method() === 'PUT' && puts.push(request.postDataJSON()));
    await act(visitor, user.username, 'Edit');
    const drawer = page.getByRole('dialog', { name: 'Edit user' });
    await drawer.getByLabel('Remarks').fill('a friend');
    await drawer.getByLabel('Group').selectOption('vip');
    await drawer.getByLabel('Quota left').fill('2500');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Updated', { exact: true }).waitFor();
    expect(puts).toEqual([
      { id: user.id, group: 'vip', remarks: 'a friend', quota: 2_500, quota_before: 1_000 },
    ]);
    expect(await stored(user)).toMatchObject({ group: 'vip', remarks: 'a friend', quota: 2_500 });
  });

  it('gets quota added or taken, with what it makes and why', async () => {
    const user = await make({ quota: 1_000_000 });
    const visitor = await arrive(`/user?q=${user.username}`);
    const { page } = visitor;
    await act(visitor, user.username, 'Add quota');
    const dialog = page.getByRole('dialog', { name: `Add quota to ${user.username}` });
    await dialog.getByRole('button', { name: 'Add quota' }).click();
    await dialog.getByText('A whole number other than 0').waitFor();
    await dialog.getByLabel('Quota to add').fill('-250000');
    await dialog.getByText('$2.00 − $0.50 → $1.50').waitFor();
    await dialog.getByLabel('Reason').fill('refund of a gift');
    await dialog.getByRole('button', { name: 'Add quota' }).click();
    await page.getByText(`Updated the quota of ${user.username}`).waitFor();
    expect((await stored(user)).quota).toBe(750_000);
    const { data } = await (await site.api.as(user)).get('/api/log/self/?type=3');
    expect(data.items[0].content).toContain('refund of a gift');
  });

  it('is disabled and enabled, promoted and demoted, and cancelled when his name is typed', async () => {
    const user = await make();
    const visitor = await arrive(`/user?q=${user.username}`);
    const { page } = visitor;
    const row = rowOf(visitor, user.username);
    await act(visitor, user.username, 'Disable');
    await row.getByText('Banned').waitFor();
    await act(visitor, user.username, 'Enable');
    await row.getByText('Activated').waitFor();
    await act(visitor, user.username, 'Promote');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Promote' }).click();
    await row.getByText('admin', { exact: false }).first().waitFor();
    expect((await stored(user)).role).toBe(10);
    await act(visitor, user.username, 'Demote');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Demote' }).click();
    await page.getByText(`${user.username} is a regular user now`).waitFor();
    await act(visitor, user.username, 'Cancel account');
    const question = page.getByRole('alertdialog');
    expect(await question.getByRole('button', { name: 'Cancel account' }).isDisabled()).toBe(true);
    await question.getByRole('textbox').fill(user.username);
    await question.getByRole('button', { name: 'Cancel account' }).click();
    await row.getByText('Cancelled').waitFor();
  });

  inLong.it('is erased when his name is typed', async () => {
    const user = await make();
    const visitor = await arrive(`/user?q=${user.username}`);
    const { page } = visitor;
    await act(visitor, user.username, 'Erase personal data');
    const question = page.getByRole('alertdialog');
    expect(await question.getByRole('button', { name: 'Erase personal data' }).isDisabled()).toBe(true);
    await question.getByRole('textbox').fill(user.username);
    await question.getByRole('button', { name: 'Erase personal data' }).click();
    await page.getByText(`Erased ${user.username}`).waitFor();
    expect((await stored(user)).username).not.toBe(user.username);
  });

  it('who is cancelled can be read, and erased by root alone', async () => {
    const user = await make({ quota: 500_000 });
    await root.post('/api/user/manage', { id: user.id, action: 'delete' });
    const { page } = await arrive(`/user?q=${user.username}`);
    await page.getByRole('link', { name: user.username }).click();
    const drawer = page.getByRole('dialog', { name: 'Cancelled account' });
    await drawer.getByText('$1.00').waitFor();
    expect(await drawer.getByRole('textbox').count()).toBe(0);
    await drawer.getByRole('button', { name: 'Erase personal data' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('textbox').fill(user.username);
    await question.getByRole('button', { name: 'Erase personal data' }).click();
    await drawer.getByText('Erased', { exact: true }).waitFor();
    expect(await drawer.getByRole('button', { name: 'Erase personal data' }).count()).toBe(0);
    expect((await stored(user)).erased_at).toBeGreaterThan(0);

    const other = await make();
    await root.post('/api/user/manage', { id: other.id, action: 'delete' });
    const admin = await arrive(`/user/edit/${other.id}`, { user: await make({ role: 10 }) });
    await admin.page.getByRole('dialog').getByText('Cancelled', { exact: true }).waitFor();
    expect(await admin.page.getByRole('button', { name: 'Erase personal data' }).count()).toBe(0);
  });

  inLong.it('of the same level cannot be acted on, and the menu says why', async () => {
    const admin = await make({ role: 10 });
    const user = await make();
    const visitor = await arrive('/user', { user: admin });
    const { page } = visitor;
    await page.getByRole('button', { name: `More actions: ${user.username}`, exact: true }).click();
    const promote = page.getByRole('menuitem', { name: /Promote/ });
    expect(await promote.getAttribute('aria-disabled')).toBe('true');
    expect(await promote.textContent()).toContain('A regular admin cannot promote others');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `More actions: ${admin.username}`, exact: true }).click();
    expect(await page.getByRole('menuitem', { name: /Edit/ }).textContent()).toContain(
      'Same or higher level',
    );
  });

  it('changes his own profile at the address without an id, where rights are not shown', async () => {
    const admin = await make({ role: 10 });
    const visitor = await arrive('/user/edit', { user: admin });
    const { page } = visitor;
    const drawer = page.getByRole('dialog', { name: 'My profile' });
    expect(await drawer.getByLabel('Remarks').count()).toBe(0);
    expect(await drawer.getByLabel('Group').count()).toBe(0);
    await drawer.getByLabel('Display name').fill('Boss');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/personal');
    expect(await stored(admin)).toMatchObject({ display_name: 'Boss' });
  });
});

describe.each(['/user', '/user/add', '/user/edit', '/user/edit/1'])('the page %s', (path) => {
  looksRight({
    name: path,
    async open(locale) {
      const visitor = await site.visit({ user: rootUser, locale, stays: true });
      await visitor.goto(path);
      return visitor;
    },
  });
});
