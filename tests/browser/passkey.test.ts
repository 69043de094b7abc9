/** Passkeys as people use them, held by a device that Chromium plays. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'bun:test';
import { PASSWORD, type TestUser } from '../support/api.ts';
import { openSite, type Site, type Visitor } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { totpCode } from '../support/totp.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
/** The same server by a name: browsers keep no passkeys for addresses of numbers. */
let named: string;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
  named = site.base.replace('127.0.0.1', 'localhost');
}, patience(120_000));
afterAll(() => site.close());

/** A visitor with a device that answers at once, at the site's name. */
async function visitNamed(user?: TestUser): Promise<Visitor> {
  const visitor = await site.visit({ locale: 'en' });
  const context = visitor.page.context();
  const cookies = new Map([...(user ? (await site.api.as(user)).cookies : []), ['lang', 'en'] as const]);
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: named })));
  const device = await context.newCDPSession(visitor.page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  onTestFinished(async () => {
    await device.send('WebAuthn.disable').catch(() => undefined);
  });
  return visitor;
}

/** Adds one in the personal settings, by hand. */
async function add({ page }: Visitor, name: string): Promise<void> {
  const section = page.getByRole('region', { name: 'Passkeys' });
  await section.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.waitFor({ state: 'detached' });
  await section.getByRole('listitem').filter({ hasText: name }).waitFor();
}

describe('a passkey', () => {
  it(
    'is added, lets in without a password, is named anew and removed',
    async () => {
      const user = await site.api.createUser();
      const visitor = await visitNamed(user);
      const { page } = visitor;
      await visitor.goto(`${named}/personal`);
      await add(visitor, 'laptop');
      await page.context().clearCookies({ name: 'session' });
      await visitor.goto(`${named}/login?next=%2Fpersonal`);
      await page.getByRole('button', { name: 'Sign in with Passkey' }).click();
      await page.waitForURL('**/personal');
      await visitor.settled();
      const item = page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem');
      await item.getByText('Last used').waitFor();
      await item.getByRole('button', { name: 'Rename' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name' }).fill('');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('The name needs 1 to 50 characters').waitFor();
      await dialog.getByRole('textbox', { name: 'Name' }).fill('desk');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await item.filter({ hasText: 'desk' }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await page.getByText('No passkeys yet').waitFor();
      // The device still offers it; the site knows it no more.
      await page.context().clearCookies({ name: 'session' });
      await visitor.goto(`${named}/login`);
      await page.getByRole('button', { name: 'Sign in with Passkey' }).click();
      await page.getByText('The passkey could not be verified').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'is added and removed with a code where the account asks for codes',
    async () => {
      const user = await site.api.createUser();
      const client = await site.api.as(user);
      const { secret } = (await client.post('/api/user/2fa/setup')).data;
      await client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
      const visitor = await visitNamed(user);
      const { page } = visitor;
      await visitor.goto(`${named}/personal`);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      const adding = page.getByRole('dialog');
      await adding.getByLabel('Name').fill('key');
      await adding.getByLabel('Verification code').fill(totpCode(secret));
      await adding.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByRole('button', { name: 'Remove: key' }).click();
      const removing = page.getByRole('dialog');
      await removing.getByLabel('Verification code').fill(totpCode(secret, 1));
      await removing.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('No passkeys yet').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'stands in for the code after the password',
    async () => {
      const user = await site.api.createUser();
      const client = await site.api.as(user);
      const visitor = await visitNamed(user);
      const { page } = visitor;
      await visitor.goto(`${named}/personal`);
      await add(visitor, 'key');
      await site.api.deps.db.query(`update sessions set with_passkey = true where user_id = ${user.id}`);
      const { secret } = (await client.post('/api/user/2fa/setup')).data;
      await client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
      const halfway = async (address: string) => {
        await page.context().clearCookies({ name: 'session' });
        await visitor.goto(`${named}/login`);
        await page.getByRole('textbox', { name: 'Username' }).fill(user.username);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForURL(address);
        await visitor.settled();
      };
      const passkey = page.getByRole('button', { name: 'Use a passkey' });
      await halfway('**/login?second=code&passkey=true');
      await page.getByRole('link', { name: 'Use a backup code' }).click();
      await page.getByRole('link', { name: 'Use your authenticator' }).waitFor();
      await passkey.click();
      await page.waitForURL('**/token');
      // To whoever has none, none is offered.
      await site.api.deps.db.query(`delete from passkeys where user_id = ${user.id}`);
      await halfway('**/login?second=code');
      expect(await passkey.count()).toBe(0);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is asked for after the password where the account asks for no code',
    async () => {
      const user = await site.api.createUser();
      const visitor = await visitNamed(user);
      const { page } = visitor;
      await visitor.goto(`${named}/personal`);
      await add(visitor, 'key');
      await page.context().clearCookies({ name: 'session' });
      await visitor.goto(`${named}/login?next=%2Fpersonal`);
      await page.getByRole('textbox', { name: 'Username' }).fill(user.username);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/login?second=passkey&next=%2Fpersonal');
      await visitor.settled();
      await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.waitForURL('**/personal');
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'is taken from an account by an administrator',
    async () => {
      const user = await site.api.createUser();
      const admin = await site.api.createUser({ role: 10 });
      await site.api.deps.db.query(
        `insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id)
         values (${user.id}, 'lost phone', 'x', '', 0, 'localhost')`,
      );
      const visitor = await site.visit({ user: admin, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(`/user/edit/${user.id}`);
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('button', { name: 'Remove: lost phone' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await drawer.getByText('lost phone').waitFor({ state: 'detached' });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is not offered at an address of numbers, which says why',
    async () => {
      const user = await site.api.createUser();
      const visitor = await site.visit({ user, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/personal');
      const section = page.getByRole('region', { name: 'Passkeys' });
      await section.getByText('browsers keep passkeys for names only').waitFor();
      expect(await section.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
      await page.context().clearCookies({ name: 'session' });
      await visitor.goto('/login');
      expect(await page.getByRole('button', { name: 'Sign in with Passkey' }).count()).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    'is named before the host changes for which it was made',
    async () => {
      const { options, db } = site.api.deps;
      await options.set({ ServerAddress: named });
      const root = await site.api.root();
      await db.query(
        `insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id)
         values (${root.userId}, 'root’s', 'y', '', 0, 'localhost')`,
      );
      const visitor = await site.visit({
        user: { id: root.userId ?? 0, username: 'root', role: 100 },
        locale: 'en',
      });
      const { page } = visitor;
      await visitor.goto('/setting?tab=system');
      const field = page.getByRole('textbox', { name: 'Server address', exact: true });
      await field.fill('https://gate.example');
      const save = page.getByRole('button', { name: 'Save' }).first();
      await save.click();
      const question = page.getByRole('alertdialog');
      await question.getByText(/passkeys that users have added are of no use/).waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'detached' });
      await page.getByText('The server address was not changed').first().waitFor();
      expect(options.get('ServerAddress')).toBe(named);
      await options.reset(['ServerAddress']);
    },
    PATIENCE_MS,
  );
});

describe('the sign-in page', () => {
  looksRight({
    name: 'login-passkey',
    async open(locale) {
      const visitor = await site.visit({ locale, stays: true });
      await visitor.page.context().addCookies([{ name: 'lang', value: locale, url: named }]);
      await visitor.goto(`${named}/login`);
      return visitor;
    },
  });
});

describe('the second step by a passkey', () => {
  looksRight({
    name: 'login-second-passkey',
    async open(locale) {
      const visitor = await site.visit({ locale, stays: true });
      await visitor.page.context().addCookies([{ name: 'lang', value: locale, url: named }]);
      await visitor.goto(`${named}/login?second=passkey`);
      return visitor;
    },
  });
});

describe('the personal settings', () => {
  looksRight({
    name: 'personal-passkeys',
    async open(locale) {
      const user = await site.api.createUser();
      await site.api.deps.db.query(
        `insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id, second_only)
         values (${user.id}, 'phone', 'p' || ${user.id}, '', 0, 'localhost', true),
                (${user.id}, 'old phone', 'q' || ${user.id}, '', 0, 'gate.example', false)`,
      );
      const visitor = await site.visit({ locale, stays: true });
      const { cookies } = await site.api.as(user);
      await visitor.page
        .context()
        .addCookies(
          [...cookies, ['lang', locale] as const].map(([name, value]) => ({ name, value, url: named })),
        );
      await visitor.goto(`${named}/personal#passkeys`);
      return visitor;
    },
  });
});
