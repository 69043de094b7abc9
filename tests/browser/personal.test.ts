/** One's own settings, in the browser. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { sessions, users } from '../../src/db/schema/index.ts';
import { translatorFor } from '../../web/lib/translator-for.ts';
import { PASSWORD, type TestUser } from '../support/api.ts';
import {
  DESK,
  openSite,
  PHONE,
  quietVisits,
  type Site,
  type View,
  type Visitor,
  viewName,
} from '../support/browser.ts';
import { inLong, usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { bearer, registerApp, signInAt } from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let mail: MailServer;
let people = 0;

beforeAll(async () => {
  [site, mail] = await Promise.all([openSite(), startMailServer()]);
  await site.api.root();
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await mail.close();
});
beforeEach(() =>
  site.api.deps.options.set({
    RegisterEnabled: 'true',
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gate@example.com',
  }),
);

const make = (fields: { role?: number; quota?: number } = {}) =>
  site.api.createUser({ username: `person${++people}`, ...fields });
const visit = quietVisits(() => site);
const arrive = (user: TestUser, path: string, view: Partial<View> = {}) => visit(path, { user, ...view });
const stored = async ({ id }: TestUser) => (await (await site.api.root()).get(`/api/user/${id}`)).data;
/** Lets a new application do all that one may, which makes a token in his name at once. */
const allowApp = async (user: TestUser, name: string) => {
  const app = await registerApp(await site.api.root(), { name, homepage: 'https://notebook.example/' });
  const scope = 'profile balance tokens:create relay embed';
  const { access } = await signInAt(site.api, app, await site.api.as(user), scope);
  expect((await bearer(site.api, access).post('/api/token/', { name: 'made' })).success).toBe(true);
};
/** What he chose of his warnings, as he himself reads it. */
const settingOf = async (user: TestUser) =>
  JSON.parse((await (await site.api.as(user)).get('/api/user/self')).data.setting);
/** The same page, loaded anew. */
const again = async (visitor: Visitor) => {
  await visitor.page.reload();
  await visitor.settled();
};
const query = (text: string) => site.api.deps.db.query(text);
/** The password was typed longer ago than a proof lasts. */
const forgetProof = ({ id }: TestUser) =>
  query(`update sessions set confirmed_at = confirmed_at - 700 where user_id = ${id}`);

/** The console's own words in the language of a view. */
const wordsOf = ({ locale }: Pick<View, 'locale'>) => translatorFor(locale);

/** Every flow is walked at the desk in English, and by a long run on the phone in Chinese. */
const AT_DESK: View = { width: DESK, locale: 'en', theme: 'light' };
const ON_PHONE: View = { width: PHONE, locale: 'zh', theme: 'dark' };

describe.each(['/personal', '/setting', '/setting?tab=personal'])('the page %s', (path) => {
  looksRight({
    name: path,
    async open(locale) {
      const user = path.includes('tab') ? await rootUser() : await make({ quota: 1_234_567 });
      const visitor = await site.visit({ user, locale, stays: true });
      await visitor.goto(path);
      return visitor;
    },
  });
});

it.each(usually(['en'], 'zh'))('every section fits the phone when it is open, in %s', async (locale) => {
  const user = await make({ quota: 1_234_567 });
  await allowApp(user, 'An application with quite a long name, for phones');
  const visitor = await arrive(user, '/personal', { width: PHONE, locale });
  const closed = visitor.page.locator('section h2 button[aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
  expect(await visitor.overflow()).toBe(0);
  expect(await visitor.findings()).toEqual([]);
  await visitor.shot(`personal-open-${locale}`);
});

const rootUser = async (): Promise<TestUser> => {
  const client = await site.api.root();
  return { id: client.userId ?? 0, username: 'root', role: 100 };
};

describe.each([AT_DESK, ON_PHONE].map((view) => [viewName(view), view] as const))(
  'reached at %s',
  (_name, view) => {
    const say = wordsOf(view);

    it('the menu leads to the page, and its anchors to the sections', async () => {
      const visitor = await arrive(await make(), '/token', view);
      const { page } = visitor;
      if (view.width === DESK) {
        await page.getByRole('button', { name: say('shell.accountMenu') }).click();
        await page.getByRole('menuitem', { name: say('nav.personal') }).click();
      } else {
        await page.getByRole('button', { name: say('shell.openMenu') }).click();
        await page.getByRole('link', { name: say('nav.personal') }).click();
      }
      await page.getByRole('heading', { name: say('personal.title'), level: 1 }).waitFor();
      if (view.width === DESK) {
        await page.getByRole('link', { name: say('personal.sessions'), exact: true }).click();
        await page.waitForURL('**/personal#sessions');
        const box = await page.getByRole('heading', { name: say('personal.sessions') }).boundingBox();
        expect(box?.y).toBeLessThan(850);
      } else {
        const heading = page.getByRole('button', { name: say('personal.sessions'), exact: true });
        expect(await page.getByRole('list', { name: say('personal.sessions') }).isVisible()).toBe(false);
        await heading.click();
        await page.getByRole('list', { name: say('personal.sessions') }).waitFor();
        await heading.click();
        expect(await page.getByRole('list', { name: say('personal.sessions') }).isVisible()).toBe(false);
      }
    });
  },
);

describe.each(usually([AT_DESK], ON_PHONE).map((view) => [viewName(view), view] as const))(
  'at %s',
  (_name, view) => {
    const say = wordsOf(view);
    /** Opens a section, and checks it once more when the test has done its work there. */
    const open = (user: TestUser, section: string) => arrive(user, `/personal#${section}`, view);
    const button = ({ page }: Visitor, key: Parameters<typeof say>[0]) =>
      page.getByRole('button', { name: say(key), exact: true });
    const sound = async (visitor: Visitor, name: string) => {
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
      await visitor.shot(`${name}-${viewName(view)}`.replaceAll(/\W+/g, '-'));
    };
    /** Answers the question for the password. */
    const prove = async ({ page }: Visitor, password = PASSWORD) => {
      const dialog = page.getByRole('dialog', { name: say('owner.title') });
      await dialog.getByLabel(say('user.originalPassword'), { exact: true }).fill(password);
      await dialog.getByRole('button', { name: say('owner.confirm') }).click();
    };

    it('the display name is changed', async () => {
      const user = await make();
      const visitor = await open(user, 'account');
      const { page } = visitor;
      const field = page.getByLabel(say('user.displayName'));
      await field.fill('a name of more than twenty characters');
      await field.blur();
      await page.getByText(say('user.displayNameLong')).waitFor();
      await field.fill('Lin Xiaoming');
      await page
        .locator('#account')
        .getByRole('button', { name: say('app.save') })
        .click();
      await page.getByText(say('user.updated'), { exact: true }).waitFor();
      expect((await stored(user)).display_name).toBe('Lin Xiaoming');
    });

    it('a mailbox is bound by the code that went there', async () => {
      const user = await make();
      const visitor = await open(user, 'account');
      const { page } = visitor;
      const address = `${user.username}@example.com`;
      await button(visitor, 'personal.bindEmail').click();
      const dialog = page.getByRole('dialog', { name: say('personal.bindEmail') });
      const sendCode = dialog.getByRole('button', { name: say('register.sendCode') });
      expect(await sendCode.isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: say('personal.bind') }).click();
      await dialog.getByText(say('personal.emailNeeded')).waitFor();
      await dialog.getByText(say('personal.codeNeeded')).waitFor();
      await dialog.getByLabel(say('register.email')).fill('nobody');
      await dialog.getByText(say('personal.emailBad')).waitFor();
      await dialog.getByLabel(say('register.email')).fill(address);
      const before = mail.mails.length;
      await sendCode.click();
      await dialog.getByText(say('personal.codeSentTo', { email: address })).waitFor();
      // One minute until the next.
      await dialog.getByRole('button', { name: /\b(60|59|58)\b/ }).waitFor();
      const code = /\b\d{6}\b/.exec((await mail.nth(before + 1)).text ?? '')?.[0] ?? '';
      await dialog.getByLabel(say('register.code')).fill(code === '000000' ? '000001' : '000000');
      await dialog.getByRole('button', { name: say('personal.bind') }).click();
      await dialog
        .getByText(view.locale === 'zh' ? '验证码错误或已过期' : 'code is wrong or has expired')
        .waitFor();
      await sound(visitor, 'email-dialog');
      await dialog.getByLabel(say('register.code')).fill(code);
      await dialog.getByRole('button', { name: say('personal.bind') }).click();
      await page.getByText(say('personal.emailBound', { email: address })).waitFor();
      await button(visitor, 'personal.changeEmail').waitFor();
      expect((await stored(user)).email).toBe(address);
    });

    it('the password is changed by the rules, after a proof that it is he', async () => {
      const user = await make();
      const visitor = await open(user, 'account');
      const { page } = visitor;
      await forgetProof(user);
      await button(visitor, 'personal.changePassword').click();
      const dialog = page.getByRole('dialog', { name: say('personal.changePassword') });
      const save = dialog.getByRole('button', { name: say('app.save') });
      await save.click();
      await dialog.getByText(say('personal.passwordNeeded')).waitFor();
      await dialog.getByText(say('personal.againNeeded')).waitFor();
      const field = dialog.getByLabel(say('user.newPassword'), { exact: true });
      for (const bad of ['short1', 'lettersonly', '1234567890', 'a1'.repeat(11)]) {
        await field.fill(bad);
        await dialog.getByText(say('user.passwordRule')).waitFor();
      }
      await field.fill('Grün3nTee77');
      await dialog.getByLabel(say('personal.passwordAgain'), { exact: true }).fill('Grün3nTee78');
      await dialog.getByText(say('personal.againDiffers')).waitFor();
      await sound(visitor, 'password-dialog');
      await dialog.getByLabel(say('personal.passwordAgain'), { exact: true }).fill('Grün3nTee77');
      await save.click();
      await prove(visitor, 'Passw0rd2');
      const proof = page.getByRole('dialog', { name: say('owner.title') });
      await proof.getByText(view.locale === 'zh' ? '原密码错误' : 'The current password is wrong').waitFor();
      await sound(visitor, 'proof-dialog');
      await prove(visitor);
      await page.getByText(say('personal.passwordChanged')).waitFor();
      await dialog.waitFor({ state: 'detached' });
      await site.api.guest().login(user.username, 'Grün3nTee77');
      // The session goes on in this browser.
      await visitor.goto('/personal');
      await page.getByRole('heading', { name: say('personal.title') }).waitFor();
    });

    it('who cancels the question for the password changes nothing, and is told', async () => {
      const user = await make();
      const visitor = await open(user, 'account');
      const { page } = visitor;
      await forgetProof(user);
      await button(visitor, 'personal.changePassword').click();
      const dialog = page.getByRole('dialog', { name: say('personal.changePassword') });
      await dialog.getByLabel(say('user.newPassword'), { exact: true }).fill('NewPassw0rd');
      await dialog.getByLabel(say('personal.passwordAgain'), { exact: true }).fill('NewPassw0rd');
      await dialog.getByRole('button', { name: say('app.save') }).click();
      await page
        .getByRole('dialog', { name: say('owner.title') })
        .getByRole('button', { name: say('app.cancel') })
        .click();
      await dialog
        .getByText(view.locale === 'zh' ? '请先验证原密码' : 'Please confirm your current password first')
        .waitFor();
      expect(await dialog.getByLabel(say('user.newPassword'), { exact: true }).inputValue()).toBe(
        'NewPassw0rd',
      );
      await site.api.guest().login(user.username, PASSWORD);
    });

    it('who has no password is led to sign in again, and back', async () => {
      const user = await make();
      await query(`update users set password_hash = null where id = ${user.id}`);
      const visitor = await open(user, 'access-token');
      const { page } = visitor;
      await forgetProof(user);
      await button(visitor, 'personal.makeToken').click();
      const dialog = page.getByRole('dialog', { name: say('owner.title') });
      await dialog.getByText(say('owner.noPassword')).waitFor();
      await dialog.getByRole('button', { name: say('owner.signInAgain') }).click();
      await page.waitForURL((url) => url.pathname === '/login');
      expect(new URL(page.url()).searchParams.get('next')).toBe('/personal#access-token');
    });

    it('an account is deleted when its name is typed', async () => {
      const user = await make();
      const visitor = await open(user, 'account');
      const { page } = visitor;
      await button(visitor, 'personal.delete').click();
      const dialog = page.getByRole('dialog', { name: say('personal.deleteTitle', { name: user.username }) });
      await dialog.getByText(say('personal.deletes.quota')).waitFor();
      const go = dialog.getByRole('button', { name: say('personal.delete') });
      await go.click();
      await dialog.getByText(say('personal.deleteNameNeeded')).waitFor();
      await dialog.getByRole('textbox').fill(user.username.toUpperCase());
      await go.click();
      await dialog.getByText(say('personal.deleteNameWrong')).waitFor();
      await sound(visitor, 'delete-dialog');
      await dialog.getByRole('textbox').fill(user.username);
      await go.click();
      await page.getByRole('dialog', { name: say('personal.deleted') }).waitFor();
      await button(visitor, 'app.home').click();
      await page.waitForURL((url) => url.pathname !== '/personal');
      expect((await stored(user)).DeletedAt).toBeGreaterThan(0);
      expect((await page.context().cookies()).filter(({ name }) => name === 'session')).toEqual([]);
    });

    inLong.it('root is told why his account cannot be deleted', async () => {
      const visitor = await open(await rootUser(), 'account');
      expect(await button(visitor, 'personal.delete').isDisabled()).toBe(true);
      await visitor.page.getByText(say('personal.deleteRoot')).waitFor();
    });

    it('the balance is told, and leads to the wallet', async () => {
      const user = await make({ quota: 1_000_000 });
      const visitor = await open(user, 'balance');
      const section = visitor.page.locator('#balance');
      await section.getByText(view.locale === 'zh' ? '¥14.60' : '$2.00').waitFor();
      expect(await section.getByRole('link').getAttribute('href')).toBe('/topup');
    });

    it('the invitation link is copied, and a closed registration is told', async () => {
      const user = await make();
      const visitor = await open(user, 'rewards');
      const { page } = visitor;
      const { aff_code } = await stored(user);
      expect(await page.getByLabel(say('personal.inviteLink')).inputValue()).toBe(
        `${site.base}/register?aff=${aff_code}`,
      );
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page
        .locator('#rewards')
        .getByRole('button', { name: say('app.copy') })
        .click();
      await page
        .locator('#rewards')
        .getByRole('button', { name: say('app.copied') })
        .waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
        `/register?aff=${aff_code}`,
      );
      await site.api.deps.options.set({ RegisterEnabled: 'false' });
      await again(visitor);
      await page.getByText(say('personal.inviteClosed')).waitFor();
    });

    inLong.it('ten models are shown, then all; they are found and copied', async () => {
      await query('delete from abilities');
      await query(`insert into channels (type, name) values (1, 'of the models')`);
      const names = Array.from({ length: 13 }, (_, n) => `model-${String.fromCharCode(97 + n)}`);
      await query(`insert into abilities (group_name, model_name, channel_id, enabled, priority, weight)
      select 'default', name, (select max(id) from channels), true, 0, 0
      from unnest('{${names.join(',')}}'::text[]) as name`);
      const visitor = await open(await make(), 'models');
      const { page } = visitor;
      const section = page.locator('#models');
      const list = section.getByRole('list', { name: say('personal.models') });
      await list.getByText('model-j', { exact: true }).waitFor();
      expect(await list.getByText('model-k', { exact: true }).count()).toBe(0);
      await list.getByRole('button', { name: say('personal.moreModels', { count: 3 }) }).click();
      await list.getByText('model-m', { exact: true }).waitFor();
      await section.getByRole('searchbox').fill('EL-C');
      expect(await list.getByRole('listitem').count()).toBe(1);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await list.getByRole('button', { name: say('personal.copyModel', { model: 'model-c' }) }).click();
      await section.getByText(say('app.copied')).first().waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('model-c');
      await section.getByRole('searchbox').fill('nothing');
      await section.getByText(say('personal.noModelFound')).waitFor();
      await section.getByRole('searchbox').fill('model-');
      await section.getByRole('button', { name: say('personal.copyModels') }).click();
      await section.getByRole('button', { name: say('app.copied') }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(names.join(','));
      await query('delete from abilities');
    });

    it('connections say what is bound, paused and closed; one is kept, and one given up', async () => {
      const user = await make();
      await query(`insert into identities (user_id, provider, subject, login_name, paused)
      values (${user.id}, 'github', 'gh${user.id}', 'octocat', false),
        (${user.id}, 'linuxdo', 'ld${user.id}', 'neo', true)`);
      const visitor = await open(user, 'connections');
      const { page } = visitor;
      const section = page.locator('#connections');
      await section.getByText(say('personal.boundAs', { name: 'octocat' })).waitFor();
      expect(await section.getByText(say('personal.notEnabled'), { exact: true }).count()).toBe(4);
      await section.getByText(say('personal.pausedAs', { name: 'neo' })).waitFor();
      await section.getByRole('button', { name: `${say('personal.keep')}: Linux DO` }).click();
      await section.getByText(say('personal.boundAs', { name: 'neo' })).waitFor();
      const unbind = section.getByRole('button', { name: `${say('personal.unbind')}: Linux DO` });
      await section.locator(':focus').waitFor();
      expect(await unbind.evaluate((own) => own === document.activeElement)).toBe(true);
      await forgetProof(user);
      await section.getByRole('button', { name: `${say('personal.unbind')}: GitHub` }).click();
      const question = page.getByRole('alertdialog');
      await question.getByRole('button', { name: say('personal.unbind') }).click();
      await prove(visitor);
      await page.getByText(say('personal.unbound', { title: 'GitHub' })).waitFor();
      expect(await query(`select 1 from identities where user_id = ${user.id} and not paused`)).toHaveLength(
        1,
      );
    });

    inLong.it('the only way in is not given up', async () => {
      const user = await make();
      await query(`update users set password_hash = null where id = ${user.id}`);
      await query(`insert into identities (user_id, provider, subject, login_name)
      values (${user.id}, 'github', 'gh${user.id}', 'octocat')`);
      const visitor = await open(user, 'connections');
      const { page } = visitor;
      await page.getByRole('button', { name: `${say('personal.unbind')}: GitHub` }).click();
      const question = page.getByRole('alertdialog');
      await question.getByRole('button', { name: say('personal.unbind') }).click();
      await question
        .getByText(view.locale === 'zh' ? '这是您唯一的登录方式' : 'your only way to sign in')
        .waitFor();
      expect(await query(`select 1 from identities where user_id = ${user.id}`)).toHaveLength(1);
    });

    inLong.it('models without a price are accepted, and no more', async () => {
      const user = await make();
      const visitor = await open(user, 'price');
      const { page } = visitor;
      const toggle = page.getByRole('switch', { name: say('personal.acceptUnpriced') });
      expect(await toggle.isChecked()).toBe(false);
      // From far away: it does not go back until the page has come anew.
      await page.route('**/api/user/self*', async (route) => {
        if (route.request().method() === 'GET') await Bun.sleep(200);
        await route.continue();
      });
      await toggle.click();
      await page.getByText(say('user.updated'), { exact: true }).waitFor();
      expect(await toggle.isChecked()).toBe(true);
      await page.unrouteAll({ behavior: 'wait' });
      await again(visitor);
      expect(await toggle.isChecked()).toBe(true);
      await toggle.click();
      await page.getByText(say('user.updated'), { exact: true }).first().waitFor();
      expect(await settingOf(user)).toMatchObject({ accept_unset_model_ratio_model: false });
    });

    it('warnings go where and when one chooses', async () => {
      const user = await make({ quota: 5_000 });
      await query(`update users set email = '${user.username}@example.com' where id = ${user.id}`);
      const visitor = await open(user, 'notifications');
      const { page } = visitor;
      const section = page.locator('#notifications');
      const save = section.getByRole('button', { name: say('app.save') });
      const threshold = section.getByLabel(say('personal.threshold'), { exact: true });
      expect(await threshold.inputValue()).toBe('100000');
      await threshold.fill('1.5');
      await save.click();
      await section.getByText(say('personal.thresholdBad')).waitFor();
      for (const chip of ['100000', '500000', '1000000', '5000000']) {
        await section.getByRole('button', { name: chip, exact: true }).click();
        expect(await threshold.inputValue()).toBe(chip);
      }
      const trial = section.getByRole('button', { name: say('personal.sendTest') });
      expect(await trial.isDisabled()).toBe(true);
      await section.getByText(say('personal.testAfterSave')).waitFor();
      await save.click();
      await page.getByText(say('user.updated'), { exact: true }).waitFor();
      const before = mail.mails.length;
      await trial.click();
      await page.getByText(say('personal.testSent')).waitFor();
      expect((await mail.nth(before + 1)).recipients).toEqual([`${user.username}@example.com`]);

      await section.getByRole('button', { name: 'Webhook', exact: true }).click();
      await save.click();
      await section.getByText(say('personal.urlNeeded')).waitFor();
      for (const bad of ['http://hooks.example.com/x', 'hooks', 'https://me:pass@hooks.example.com/']) {
        await section.getByLabel(say('personal.webhookUrl')).fill(bad);
        await section.getByText(say('personal.urlBad')).waitFor();
      }
      await section.getByLabel(say('personal.webhookUrl')).fill('https://8.8.8.8/warn');
      await section.getByLabel(say('personal.webhookSecret'), { exact: true }).fill('hook-secret-1');
      await sound(visitor, 'notifications');
      await save.click();
      await page.getByText(say('user.updated'), { exact: true }).first().waitFor();
      await section.getByPlaceholder(say('setting.secretKept')).waitFor();
      expect(await section.getByLabel(say('personal.webhookSecret'), { exact: true }).inputValue()).toBe('');
      expect(await settingOf(user)).toMatchObject({
        notify_type: 'webhook',
        quota_warning_threshold: 5_000_000,
        webhook_url: 'https://8.8.8.8/warn',
        webhook_secret: '',
        webhook_secret_set: true,
      });
      expect(await visitor.html('/personal')).not.toContain('hook-secret-1');
    });

    inLong.it('a mailbox of its own for warnings needs a code', async () => {
      const user = await make();
      const visitor = await open(user, 'notifications');
      const { page } = visitor;
      const section = page.locator('#notifications');
      const address = `warn-${user.username}@example.com`;
      await section.getByLabel(say('personal.notificationEmail')).fill(address);
      const before = mail.mails.length;
      await section.getByRole('button', { name: say('register.sendCode') }).click();
      const code = /\b\d{6}\b/.exec((await mail.nth(before + 1)).text ?? '')?.[0] ?? '';
      await section.getByRole('button', { name: say('app.save') }).click();
      await section.getByText(say('personal.codeNeeded')).waitFor();
      await section.getByLabel(say('register.code')).fill(code);
      await section.getByRole('button', { name: say('app.save') }).click();
      await page.getByText(say('user.updated'), { exact: true }).waitFor();
      expect(await settingOf(user)).toMatchObject({ notification_email: address });
    });

    inLong.it('unsaved settings of warnings are not lost by a link', async () => {
      const visitor = await open(await make(), 'notifications');
      const { page } = visitor;
      await page.locator('#notifications').getByRole('button', { name: '500000', exact: true }).click();
      if (view.width === DESK) await page.getByRole('link', { name: say('nav.token') }).click();
      else {
        await page.getByRole('button', { name: say('shell.openMenu') }).click();
        await page.getByRole('link', { name: say('nav.token') }).click();
      }
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: say('app.keepEditing') })
        .click();
      expect(new URL(page.url()).pathname).toBe('/personal');
    });

    it('language, theme, rows and density are chosen and stay', async () => {
      const user = await make();
      const visitor = await open(user, 'preferences');
      const { page } = visitor;
      const section = page.locator('#preferences');
      await section
        .getByRole('button', { name: say(view.theme === 'dark' ? 'shell.light' : 'shell.dark') })
        .click();
      const theme = view.theme === 'dark' ? 'light' : 'dark';
      expect(await page.locator('html').getAttribute('class')).toContain(theme);
      await section.getByRole('combobox', { name: say('personal.pageSize') }).selectOption('50');
      await section.getByRole('button', { name: say('table.density.compact') }).click();
      const [other, otherName] = view.locale === 'zh' ? ['en', 'English'] : ['zh', '中文'];
      // The account is told first; then the page comes anew, and only then.
      const [answer] = await Promise.all([
        page.waitForResponse((one) => one.request().method() === 'PUT'),
        page.waitForEvent('domcontentloaded'),
        section.getByRole('button', { name: otherName }).click(),
      ]);
      expect(answer.status()).toBe(200);
      expect(await page.locator('html').getAttribute('lang')).toStartWith(other ?? '');
      const cookies = Object.fromEntries(
        (await page.context().cookies()).map(({ name, value }) => [name, value]),
      );
      expect(cookies).toMatchObject({
        lang: other,
        'theme-mode': theme,
        'page-size': '50',
        density: 'compact',
      });
      expect((await (await site.api.as(user)).get('/api/user/self')).data.language).toBe(other);
    });

    it('other sessions are listed and ended, one and all', async () => {
      const user = await make();
      const phone = site.api.guest({ ip: '198.51.100.7' });
      phone.headers['user-agent'] = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
      await phone.login(user.username);
      const third = await site.api.as(user);
      const visitor = await open(user, 'sessions');
      const { page } = visitor;
      const section = page.locator('#sessions');
      const list = section.getByRole('list', { name: say('personal.sessions') });
      const firefox = say('personal.device', { browser: 'Firefox', system: 'Windows' });
      await list.getByRole('listitem').filter({ hasText: firefox }).getByText('198.51.100.7').waitFor();
      expect(await list.getByText(say('personal.thisBrowser')).count()).toBe(1);
      const all = await list.getByRole('listitem').count();
      await list
        .getByRole('button', { name: `${say('personal.endSession')}: ${firefox}, 198.51.100.7` })
        .click();
      await page.getByText(say('personal.sessionEnded')).waitFor();
      expect((await phone.get('/api/user/self')).status).toBe(401);
      await list
        .getByRole('listitem')
        .nth(all - 1)
        .waitFor({ state: 'detached' });
      await section.getByRole('button', { name: say('personal.endOthers') }).click();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: say('personal.endOthers') })
        .click();
      await page.getByText(say('personal.othersEnded')).waitFor();
      expect((await third.get('/api/user/self')).status).toBe(401);
      await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
      expect(await section.getByRole('button', { name: say('personal.endOthers') }).count()).toBe(0);
    });

    it('what applications may do is told, and withdrawn', async () => {
      const user = await make();
      const name = `Notebook ${view.width}`;
      const visitor = await open(user, 'applications');
      const { page } = visitor;
      const section = page.locator('#applications');
      await section.getByText(say('allowed.none')).waitFor();
      await allowApp(user, name);
      await again(visitor);
      await section
        .getByText(view.locale === 'zh' ? '以您的余额调用模型' : 'call models, paid from your balance')
        .waitFor();
      await section.scrollIntoViewIfNeeded();
      await sound(visitor, 'personal-applications');
      await section.getByRole('button', { name: `${say('allowed.withdraw')}: ${name}` }).click();
      const question = page.getByRole('alertdialog');
      await question.getByText(say('allowed.withdrawTokens', { n: '1' })).waitFor();
      await question.getByRole('button', { name: say('allowed.withdraw') }).click();
      await question.waitFor({ state: 'detached' });
      await section.getByText(say('allowed.none')).waitFor();
      expect(await query(`select 1 from tokens where user_id = ${user.id} and deleted_at is null`)).toEqual(
        [],
      );
      expect(visitor.complaints).toEqual([]);
    });

    it('an access token is made after a proof, shown once, made anew and revoked', async () => {
      const user = await make();
      const visitor = await open(user, 'access-token');
      const { page } = visitor;
      await forgetProof(user);
      await button(visitor, 'personal.makeToken').click();
      await prove(visitor);
      const issued = page.getByRole('dialog', { name: say('personal.issuedTitle') });
      const token = await issued.getByLabel(say('personal.accessToken')).inputValue();
      expect(token).toMatch(/^[\w-]{43}$/);
      await sound(visitor, 'access-token-dialog');
      const script = site.api.guest();
      script.headers.authorization = `Bearer ${token}`;
      expect((await script.get('/api/user/self')).data.id).toBe(user.id);
      await issued.getByRole('button', { name: say('app.close') }).click();
      await page.getByText(say('personal.accessTokenThere')).waitFor();
      expect(await page.content()).not.toContain(token);
      expect(await visitor.html('/personal')).not.toContain(token);
      await again(visitor);
      await page.getByText(say('personal.lastUsed')).waitFor();

      await button(visitor, 'personal.renew').click();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: say('personal.renew') })
        .click();
      const second = await issued.getByLabel(say('personal.accessToken')).inputValue();
      expect(second).not.toBe(token);
      expect((await script.get('/api/user/self')).status).toBe(401);
      await issued.getByRole('button', { name: say('app.close') }).click();
      await button(visitor, 'personal.revoke').click();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: say('personal.revoke') })
        .click();
      await page.getByText(say('personal.revoked')).waitFor();
      await page.getByText(say('personal.accessTokenNone')).waitFor();
      script.headers.authorization = `Bearer ${second}`;
      expect((await script.get('/api/user/self')).status).toBe(401);
    });

    inLong.it('the tabs of the settings are root’s alone, and go with his rights', async () => {
      const user = await make({ role: 10 });
      const plain = await arrive(user, '/setting?tab=system', view);
      await plain.page.getByRole('heading', { name: say('personal.title'), level: 1 }).waitFor();
      expect(await plain.page.getByRole('navigation', { name: say('setting.panels') }).count()).toBe(0);

      const { db, changes } = site.api.deps;
      const root = await rootUser();
      const setRole = (role: number) =>
        changes.commit(async (tx, touch) => {
          await tx.execute(`update users set role = ${role} where id = ${root.id}`);
          touch('users', root.id);
        });
      const visitor = await arrive(root, '/setting?tab=personal', view);
      const tabs = visitor.page.getByRole('navigation', { name: say('setting.panels') });
      await tabs.waitFor();
      try {
        await setRole(10);
        await visitor.goto('/setting?tab=personal');
        await visitor.page.getByRole('heading', { name: say('personal.title'), level: 1 }).waitFor();
        expect(await tabs.count()).toBe(0);
        expect(await visitor.html('/setting?tab=system')).not.toContain('PasswordLoginEnabled');
      } finally {
        await setRole(100);
      }
      expect(db.engine).toBe('postgres');
    });
  },
);

it('no secret stands in the page as the server sends it', async () => {
  const user = await make();
  const client = await site.api.as(user);
  const secrets = [
    (await client.post('/api/user/token')).data,
    (await client.post('/api/token/', { name: 't', unlimited_quota: true })).data.key,
  ];
  await client.put('/api/user/setting', {
    notify_type: 'webhook',
    webhook_url: 'https://8.8.8.8/warn',
    webhook_secret: 'hook-secret-2',
  });
  const hashes = await site.api.deps.db.orm.select({ id: sessions.id }).from(sessions);
  const [row] = await site.api.deps.db.orm.select({ hash: users.password_hash }).from(users);
  const visitor = await arrive(user, '/personal');
  const html = await visitor.html('/personal');
  const setting = await visitor.html('/setting');
  for (const secret of [...secrets, 'hook-secret-2', row?.hash ?? 'argon2', ...hashes.map(({ id }) => id)]) {
    expect(html).not.toContain(secret);
    expect(setting).not.toContain(secret);
  }
  expect(html).toContain('https://8.8.8.8/warn');
});
