import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { readAccount } from '../../../src/modules/auth/account/account.ts';
import { knownBrowser } from '../../../src/modules/auth/known-browser.ts';
import { attemptsOfArrival, attemptsOfSession } from '../../../src/modules/auth/second-factor/tries.ts';
import type { Standing } from '../../../src/modules/auth/standing.ts';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { awayFromTurn, totpCode, wrongCode } from '../../support/totp.ts';

describe.each(callEngines)('two-factor authentication on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  afterEach(() => api.deps.options.reset(['CriticalRateLimitCount']));

  let addresses = 0;
  const address = () => ({ ip: `203.0.113.${++addresses}` });

  interface Protected {
    user: TestUser;
    client: Client;
    secret: string;
    backupCodes: string[];
  }

  /** A user who has turned it on with the code of the step before this one, so that this one's is still good. */
  async function protectedUser(given: { role?: number } = {}): Promise<Protected> {
    const user = await api.createUser(given);
    const client = await api.as(user, address());
    const { data } = await client.post('/api/user/2fa/setup');
    const { secret } = data;
    await awayFromTurn();
    expect((await client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) })).success).toBe(true);
    return { user, client, secret, backupCodes: data.backup_codes };
  }

  /** A browser after the first of the two steps. */
  async function halfway(user: TestUser, locale: 'zh' | 'en' = 'zh'): Promise<Client> {
    const client = api.guest({ ...address(), locale });
    const answer = await client.post('/api/user/login', { username: user.username, password: PASSWORD });
    expect(answer.data).toEqual({ require_2fa: true });
    return client;
  }
  const second = (client: Client, code: string) => client.post('/api/user/login/2fa', { code });
  const isIn = async (client: Client, user: TestUser) => {
    client.userId = user.id;
    return (await client.get('/api/user/self')).status === 200;
  };

  describe('its set-up', () => {
    it('shows the secret, its QR code and ten backup codes once, and asks nobody for a code yet', async () => {
      const user = await api.createUser();
      const client = await api.as(user, address());
      const { data } = await client.post('/api/user/2fa/setup');
      expect(data.secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(data.otpauth).toStartWith('otpauth://totp/');
      expect(data.otpauth).toContain(user.username);
      expect(new URL(data.otpauth).searchParams.get('secret')).toBe(data.secret);
      expect(data.qr).toStartWith('<svg');
      expect(new Set(data.backup_codes).size).toBe(10);
      for (const code of data.backup_codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
      expect((await client.get('/api/user/2fa/status')).data).toEqual({
        enabled: false,
        backup_codes_left: 0,
      });
      await api.guest(address()).login(user.username);
    });

    it('keeps neither the secret nor a backup code in plain', async () => {
      const { user, secret, backupCodes } = await protectedUser();
      const rows = await api.deps.db.query(
        `select s.secret_sealed, b.hash from second_factors s join backup_codes b using (user_id) where user_id = ${user.id}`,
      );
      expect(rows).toHaveLength(10);
      const stored = JSON.stringify(rows);
      for (const text of [secret, ...backupCodes, ...backupCodes.map((code) => code.replace('-', ''))]) {
        expect(stored).not.toContain(text);
      }
    });

    it('seals the secret for its user, so that moved to another row it opens nothing', async () => {
      const { user, secret } = await protectedUser();
      const other = await api.createUser();
      await api.deps.db.query(
        `insert into second_factors (user_id, secret_sealed, enabled_at)
         select ${other.id}, secret_sealed, 1 from second_factors where user_id = ${user.id}`,
      );
      const answer = await second(await halfway(other), totpCode(secret));
      expect(answer.success).toBe(false);
      expect(answer.data).toBeUndefined();
    });

    it('needs the owner: an open browser of an hour ago is asked for a proof', async () => {
      const user = await api.createUser();
      const client = await api.as(user, address());
      await api.deps.db.query(
        `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`,
      );
      for (const path of ['setup', 'disable']) {
        expect(await client.post(`/api/user/2fa/${path}`, { code: '123456' })).toMatchObject({
          success: false,
          code: 'REAUTH_REQUIRED',
        });
      }
    });

    it('is not open to an access token, which proves no owner', async () => {
      const user = await api.createUser();
      const script = api.guest();
      script.headers.authorization = `Bearer ${await api.deps.sessions.issueAccessToken(user.id)}`;
      expect((await script.post('/api/user/2fa/setup')).code).toBe('REAUTH_REQUIRED');
    });

    it('begun anew voids what was shown before', async () => {
      const user = await api.createUser();
      const client = await api.as(user, address());
      const first = (await client.post('/api/user/2fa/setup')).data;
      const latest = (await client.post('/api/user/2fa/setup')).data;
      expect((await client.post('/api/user/2fa/enable', { code: totpCode(first.secret) })).code).toBe(
        'CODE_WRONG',
      );
      expect((await client.post('/api/user/2fa/enable', { code: totpCode(latest.secret) })).success).toBe(
        true,
      );
      const browser = await halfway(user);
      expect((await second(browser, first.backup_codes[0])).code).toBe('CODE_WRONG');
      expect((await second(browser, latest.backup_codes[0])).success).toBe(true);
    });

    it('is refused while it is on, and enabling without it', async () => {
      const { client } = await protectedUser();
      expect(await client.post('/api/user/2fa/setup')).toMatchObject({
        code: 'TWO_FACTOR_ON',
        message: '两步验证已启用',
      });
      expect((await client.post('/api/user/2fa/enable', { code: '123456' })).code).toBe('TWO_FACTOR_ON');
      const other = await api.as(await api.createUser(), { ...address(), locale: 'en' });
      expect(await other.post('/api/user/2fa/enable', { code: '123456' })).toMatchObject({
        code: 'TWO_FACTOR_SETUP',
        message: 'Please begin the set-up of two-factor authentication first',
      });
      for (const call of ['disable', 'backup_codes']) {
        expect(await other.post(`/api/user/2fa/${call}`, { code: '123456' })).toMatchObject({
          code: 'TWO_FACTOR_OFF',
          message: 'Two-factor authentication is not on',
        });
      }
    });

    it('takes no backup code for a proof that an authenticator was set up', async () => {
      const client = await api.as(await api.createUser(), address());
      const { data } = await client.post('/api/user/2fa/setup');
      expect((await client.post('/api/user/2fa/enable', { code: data.backup_codes[0] })).code).toBe(
        'CODE_WRONG',
      );
    });

    it('ends the other sessions when it is turned on and when it is turned off', async () => {
      const user = await api.createUser();
      const client = await api.as(user, address());
      const { secret, backup_codes } = (await client.post('/api/user/2fa/setup')).data;
      const before = await api.as(user);
      await client.post('/api/user/2fa/enable', { code: totpCode(secret) });
      expect((await before.get('/api/user/self')).status).toBe(401);
      expect((await client.get('/api/user/self')).status).toBe(200);
      const between = await api.as(user);
      expect((await client.post('/api/user/2fa/disable', { code: backup_codes[0] })).success).toBe(true);
      expect((await between.get('/api/user/self')).status).toBe(401);
      expect((await client.get('/api/user/self')).status).toBe(200);
      await api.guest(address()).login(user.username);
    });
  });

  describe('signing in', () => {
    it('after the password gives neither a session nor a field of the user', async () => {
      const { user } = await protectedUser();
      const client = await halfway(user);
      expect([...client.cookies.keys()]).toEqual(['visit']);
      expect(await isIn(client, user)).toBe(false);
    });

    it('is complete with a code, and answers as every sign-in does', async () => {
      const { user, secret } = await protectedUser();
      const client = await halfway(user);
      const answer = await second(client, totpCode(secret));
      expect(answer.data).toEqual({
        id: user.id,
        username: user.username,
        display_name: user.username,
        role: 1,
        status: 1,
        group: 'default',
      });
      expect([...client.cookies.keys()].sort()).toEqual(['known', 'session']);
      expect(await isIn(client, user)).toBe(true);
    });

    it('knows the browser again that has turned it off', async () => {
      const { user, client, secret } = await protectedUser();
      const isKnown = async () =>
        (await knownBrowser(
          api.deps,
          client.cookies.get('known') ?? null,
          await readAccount(api.deps, user.id),
        )) !== null;
      expect(await isKnown()).toBe(true);
      expect((await client.post('/api/user/2fa/disable', { code: totpCode(secret) })).success).toBe(true);
      expect(await isKnown()).toBe(true);
    });

    it('counts wrong codes of access tokens apart from those of sessions', async () => {
      const { id } = await api.createUser();
      const [ofSession] = attemptsOfSession(api.deps, { id, sessionId: crypto.randomUUID() });
      for (const rule of attemptsOfSession(api.deps, { id, sessionId: null })[0]) {
        await api.deps.limiter.add(rule, rule.limit);
      }
      expect((await api.deps.limiter.takeAll(ofSession)).every(({ ok }) => ok)).toBe(true);
    });

    it.each<Standing>([{ as: 'known', browser: 'own' }, { as: 'home' }])(
      'counts those of who is $as as a stranger’s where he has used up his own',
      (standing) => {
        const waysOf = (as: Standing) =>
          attemptsOfArrival(api.deps, { id: 7 }, { standing: as, ip: '203.0.113.7' });
        const ways = waysOf(standing);
        expect(ways).toHaveLength(2);
        expect(ways[1]).toEqual(waysOf({ as: 'stranger' })[0]);
      },
    );

    it.each([-1, 0, 1])('takes the code %d steps from now', async (steps) => {
      const { user, secret } = await protectedUser();
      // The step of the set-up counts as used.
      await api.deps.db.query(`update second_factors set last_step = 0 where user_id = ${user.id}`);
      const client = await halfway(user);
      await awayFromTurn();
      expect((await second(client, totpCode(secret, steps))).success).toBe(true);
    });

    it.each([-3, 3])('takes no code %d steps from now', async (steps) => {
      const { user, secret } = await protectedUser();
      await api.deps.db.query(`update second_factors set last_step = 0 where user_id = ${user.id}`);
      expect((await second(await halfway(user), totpCode(secret, steps))).code).toBe('CODE_WRONG');
    });

    it('takes spaces in a code, as authenticators show it', async () => {
      const { user, secret } = await protectedUser();
      const code = totpCode(secret);
      const answer = await second(await halfway(user), ` ${code.slice(0, 3)} ${code.slice(3)} `);
      expect(answer.success).toBe(true);
    });

    it('takes a code once, and none of an earlier step afterwards', async () => {
      const { user, secret } = await protectedUser();
      const seen = totpCode(secret);
      expect((await second(await halfway(user), seen)).success).toBe(true);
      const thief = await halfway(user);
      expect((await second(thief, seen)).code).toBe('CODE_WRONG');
      expect((await second(thief, totpCode(secret, -1))).code).toBe('CODE_WRONG');
      expect((await second(thief, totpCode(secret, 1))).success).toBe(true);
    });

    it('lets in one of ten who bring the same code at once', async () => {
      const { user, secret } = await protectedUser();
      const clients = await Promise.all(Array.from({ length: 10 }, () => halfway(user)));
      const code = totpCode(secret);
      const answers = await Promise.all(clients.map((client) => second(client, code)));
      expect(answers.filter(({ success }) => success)).toHaveLength(1);
    });

    it('takes a backup code in its place, in capitals and without its dash, once', async () => {
      const { user, client: owner, backupCodes } = await protectedUser();
      const [code = '', another = ''] = backupCodes;
      expect((await second(await halfway(user), code.toUpperCase().replace('-', ''))).success).toBe(true);
      expect((await second(await halfway(user), code)).code).toBe('CODE_WRONG');
      const racing = await Promise.all(Array.from({ length: 5 }, () => halfway(user)));
      const answers = await Promise.all(racing.map((client) => second(client, another)));
      expect(answers.filter(({ success }) => success)).toHaveLength(1);
      expect((await owner.get('/api/user/2fa/status')).data).toEqual({ enabled: true, backup_codes_left: 8 });
    });

    it('takes no backup code of another user', async () => {
      const one = await protectedUser();
      const other = await protectedUser();
      expect((await second(await halfway(one.user), other.backupCodes[0] ?? '')).code).toBe('CODE_WRONG');
    });

    it.each([
      ['zh', '验证码错误或已过期', '登录已超时或验证码错误次数过多，请重新登录'],
      [
        'en',
        'The verification code is wrong or has expired',
        'The sign-in took too long or had too many wrong codes, please sign in again',
      ],
    ] as const)('ends with the fifth wrong code, and says so in %s', async (locale, wrong, over) => {
      const { user, secret } = await protectedUser();
      const client = await halfway(user, locale);
      for (let n = 0; n < 4; n++) {
        expect(await second(client, wrongCode(secret))).toMatchObject({
          status: 200,
          success: false,
          code: 'CODE_WRONG',
          message: wrong,
        });
      }
      expect(await second(client, wrongCode(secret))).toMatchObject({
        code: 'SECOND_STEP_OVER',
        message: over,
      });
      expect(await second(client, totpCode(secret))).toMatchObject({
        code: 'SECOND_STEP_OVER',
        message: over,
      });
      expect(await isIn(client, user)).toBe(false);
    });

    it('gives fifty guesses sent at once no more tries than five', async () => {
      const { user, secret } = await protectedUser();
      await api.deps.options.set({ CriticalRateLimitCount: '1000' });
      const client = await halfway(user);
      const looked: string[] = [];
      const { lookup } = api.deps.secrets;
      // Every code that is no TOTP is looked up as a backup code: what is looked up was tried.
      api.deps.secrets.lookup = (text) => {
        looked.push(text);
        return lookup(text);
      };
      try {
        await Promise.all(Array.from({ length: 50 }, () => second(client, wrongCode(secret))));
      } finally {
        api.deps.secrets.lookup = lookup;
      }
      expect(looked.length).toBeLessThanOrEqual(5);
      expect((await second(client, totpCode(secret))).code).toBe('SECOND_STEP_OVER');
    });

    it('counts wrong codes against the account, however many sign-ins they are spread over', async () => {
      const { user, secret } = await protectedUser();
      const browsers = await Promise.all(Array.from({ length: 10 }, () => halfway(user)));
      await api.deps.options.set({ CriticalRateLimitCount: '6' });
      const answers = await Promise.all(browsers.map((client) => second(client, wrongCode(secret))));
      expect(answers.filter(({ code }) => code === 'CODE_WRONG')).toHaveLength(6);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
      const late = await second(browsers[0] ?? api.guest(), totpCode(secret));
      expect(late).toMatchObject({ status: 429, code: 'RATE_LIMIT' });
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('does not count right codes', async () => {
      const { user, secret } = await protectedUser();
      await api.deps.options.set({ CriticalRateLimitCount: '2' });
      for (let n = 0; n < 5; n++) {
        await api.deps.db.query(`update second_factors set last_step = 0 where user_id = ${user.id}`);
        expect((await second(await halfway(user), totpCode(secret))).success).toBe(true);
      }
    });

    it('can be finished in the browser that began it and in no other', async () => {
      const { user, secret } = await protectedUser();
      await halfway(user);
      for (const visit of [undefined, 'x', 'A'.repeat(43)]) {
        const other = api.guest(address());
        if (visit) other.cookies.set('visit', visit);
        expect((await second(other, totpCode(secret))).code).toBe('SECOND_STEP_OVER');
      }
    });

    it('is over when the password was changed, the user banned or cancelled meanwhile', async () => {
      const root = await api.root();
      const changed = await protectedUser();
      const begun = await halfway(changed.user);
      await root.put('/api/user/', { id: changed.user.id, password: 'An0therOne' });
      expect((await second(begun, totpCode(changed.secret))).code).toBe('SECOND_STEP_OVER');
      for (const [action, code] of [
        ['disable', 'USER_DISABLED'],
        ['delete', 'SECOND_STEP_OVER'],
      ] as const) {
        const { user, secret } = await protectedUser();
        const client = await halfway(user);
        await root.post('/api/user/manage', { id: user.id, action });
        expect((await second(client, totpCode(secret))).code).toBe(code);
      }
    });

    it('says of a banned user with a second factor what it says of any banned user', async () => {
      const { user } = await protectedUser();
      await (await api.root()).post('/api/user/manage', { id: user.id, action: 'disable' });
      const answer = await api
        .guest(address())
        .post('/api/user/login', { username: user.username, password: PASSWORD });
      expect(answer).toMatchObject({ success: false, code: 'LOGIN_WRONG' });
    });

    it('ends the session that the browser had, at its second step and not before', async () => {
      const { user, secret } = await protectedUser();
      const old = await api.createUser();
      const client = await api.as(old, address());
      const thief = api.guest(address());
      thief.cookies.set('session', client.cookies.get('session') ?? '');
      const answer = await client.post('/api/user/login', { username: user.username, password: PASSWORD });
      expect(answer.data).toEqual({ require_2fa: true });
      expect(await isIn(thief, old)).toBe(true);
      client.userId = null;
      expect((await second(client, totpCode(secret))).success).toBe(true);
      expect(await isIn(thief, old)).toBe(false);
    });

    it('takes no code before the password', async () => {
      const { secret } = await protectedUser();
      expect((await second(api.guest(address()), totpCode(secret))).code).toBe('SECOND_STEP_OVER');
    });
  });

  describe('its owner', () => {
    it('turns it off with a code, not without', async () => {
      const { user, client, secret } = await protectedUser();
      expect((await client.post('/api/user/2fa/disable', { code: wrongCode(secret) })).code).toBe(
        'CODE_WRONG',
      );
      expect((await client.post('/api/user/2fa/disable', {})).code).toBe('CODE_WRONG');
      expect((await client.post('/api/user/2fa/disable', { code: totpCode(secret) })).success).toBe(true);
      expect(await api.deps.db.query(`select 1 from backup_codes where user_id = ${user.id}`)).toEqual([]);
      await api.guest(address()).login(user.username);
    });

    it('gets new backup codes for a code; the former ones are void', async () => {
      const { user, client, secret, backupCodes } = await protectedUser();
      expect((await client.post('/api/user/2fa/backup_codes', { code: wrongCode(secret) })).code).toBe(
        'CODE_WRONG',
      );
      const { data } = await client.post('/api/user/2fa/backup_codes', { code: totpCode(secret) });
      expect(data.backup_codes).toHaveLength(10);
      const browser = await halfway(user);
      expect((await second(browser, backupCodes[0] ?? '')).code).toBe('CODE_WRONG');
      expect((await second(browser, data.backup_codes[0])).success).toBe(true);
    });

    it('proves with a code that it is he, for the next ten minutes', async () => {
      const { user, client, secret } = await protectedUser();
      await api.deps.db.query(
        `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`,
      );
      const change = () => client.put('/api/user/self', { password: 'An0therOne' });
      expect((await change()).code).toBe('REAUTH_REQUIRED');
      expect((await client.post('/api/user/confirm', { code: wrongCode(secret) })).code).toBe('CODE_WRONG');
      expect((await change()).code).toBe('REAUTH_REQUIRED');
      expect((await client.post('/api/user/confirm', { code: totpCode(secret) })).success).toBe(true);
      expect((await change()).success).toBe(true);
    });

    it('proves nothing with a code while it is off', async () => {
      const user = await api.createUser();
      const client = await api.as(user, address());
      const { secret } = (await client.post('/api/user/2fa/setup')).data;
      expect((await client.post('/api/user/confirm', { code: totpCode(secret) })).code).toBe('CODE_WRONG');
    });
  });

  describe('administrators', () => {
    it('see whether it is on and turn it off for lower roles; it is recorded and ends the user’s sessions', async () => {
      const { user, client } = await protectedUser();
      const admin = await api.as(await api.createUser({ role: 10 }), address());
      expect((await admin.get(`/api/user/${user.id}/2fa`)).data).toEqual({ enabled: true });
      expect((await admin.del(`/api/user/${user.id}/2fa`)).success).toBe(true);
      expect((await admin.get(`/api/user/${user.id}/2fa`)).data).toEqual({ enabled: false });
      expect((await client.get('/api/user/self')).status).toBe(401);
      await api.guest(address()).login(user.username);
      const [action] = await api.deps.db.query<{ actor_id: number; target: string }>(
        `select actor_id, target from admin_actions where action = 'user.two_factor_off' order by id desc limit 1`,
      );
      expect(action).toEqual({ actor_id: admin.userId ?? 0, target: `user:${user.id}` });
      const [row] = await api.deps.db.query<{ content: string }>(
        `select content from logs where user_id = ${user.id} and type = 3`,
      );
      expect(row?.content).toBe('管理员关闭了该账号的两步验证');
      expect((await admin.del(`/api/user/${user.id}/2fa`)).code).toBe('TWO_FACTOR_OFF');
      expect((await admin.del('/api/user/999999/2fa')).code).toBe('NOT_FOUND');
    });

    it('do so neither to their equals nor to themselves', async () => {
      const one = await protectedUser({ role: 10 });
      const other = await protectedUser({ role: 10 });
      expect((await one.client.del(`/api/user/${other.user.id}/2fa`)).code).toBe('USER_LEVEL');
      expect((await one.client.get(`/api/user/${other.user.id}/2fa`)).code).toBe('USER_LEVEL');
      expect((await one.client.del(`/api/user/${one.user.id}/2fa`)).code).toBe('USER_LEVEL');
      const root = await api.root();
      expect((await root.del(`/api/user/${root.userId}/2fa`)).code).toBe('USER_LEVEL');
      expect((await root.del(`/api/user/${other.user.id}/2fa`)).success).toBe(true);
    });

    it('prove themselves first', async () => {
      const { user } = await protectedUser();
      const boss = await api.createUser({ role: 10 });
      const admin = await api.as(boss, address());
      await api.deps.db.query(
        `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${boss.id}`,
      );
      expect((await admin.del(`/api/user/${user.id}/2fa`)).code).toBe('REAUTH_REQUIRED');
      expect((await admin.get(`/api/user/${user.id}/2fa`)).data).toEqual({ enabled: true });
    });
  });
});
