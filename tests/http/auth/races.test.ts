/** What ends an account's ways in ends those that are just being opened as well, and what was asked for by them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Owner } from '../../../src/core/actor.ts';
import { takeTime } from '../../../src/db/brief.ts';
import { holdActor } from '../../../src/db/hold-way-in.ts';
import { users } from '../../../src/db/schema/index.ts';
import { issueAccessToken, updateSelf } from '../../../src/modules/auth/account/self.ts';
import { issueCode } from '../../../src/modules/auth/codes.ts';
import { bindEmail } from '../../../src/modules/auth/mail/bind.ts';
import { bind, unbind } from '../../../src/modules/auth/oauth/service.ts';
import { signIn } from '../../../src/modules/auth/sign-in.ts';
import {
  type Answer,
  type Client,
  openApi,
  PASSWORD,
  type TestApi,
  type TestUser,
} from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { beforeTurn, untilBlocked } from '../../support/waits.ts';

const NEW_PASSWORD = 'Passw0rd2';

describe.each(callEngines)('ways in that are opened and ended at once on %s', (engine) => {
  let api: TestApi;
  let verify: TestApi['deps']['passwords']['verify'];
  beforeAll(async () => {
    api = await openApi(engine);
    verify = api.deps.passwords.verify;
  });
  afterEach(() => {
    api.deps.passwords.verify = verify;
  });
  afterAll(() => api.close());

  let addresses = 0;
  const ip = () => `198.51.100.${++addresses}`;
  const signedIn = async (user: TestUser): Promise<Client> => api.as(user, { ip: ip() });
  const rowOf = async ({ id }: TestUser) => {
    const [row] = await api.deps.db.orm.select().from(users).where(eq(users.id, id));
    if (!row) throw new Error('no such user');
    return row;
  };

  /** Once, when the next password has been found right and nothing has come of it yet. */
  const afterVerifying = (work: () => Promise<unknown>): void => {
    api.deps.passwords.verify = async (password, hash) => {
      api.deps.passwords.verify = verify;
      const right = await verify(password, hash);
      await work();
      return right;
    };
  };

  it('begins no session with a password that was changed while it was looked at', async () => {
    const user = await api.createUser();
    const owner = await signedIn(user);
    afterVerifying(async () => {
      expect((await owner.put('/api/user/self', { password: NEW_PASSWORD })).success).toBe(true);
    });
    const thief = api.guest({ ip: ip() });
    const login = await thief.post('/api/user/login', { username: user.username, password: PASSWORD });
    expect(login).toMatchObject({ success: false, code: 'SESSION_EXPIRED' });
    expect(thief.cookies.size).toBe(0);
    expect((await owner.get('/api/user/sessions')).data).toHaveLength(1);
  });

  it('begins none for who is banned meanwhile', async () => {
    const user = await api.createUser();
    const root = await api.root();
    afterVerifying(() => root.post('/api/user/manage', { id: user.id, action: 'disable' }));
    const login = await api
      .guest({ ip: ip() })
      .post('/api/user/login', { username: user.username, password: PASSWORD });
    expect(login.success).toBe(false);
    await root.post('/api/user/manage', { id: user.id, action: 'enable' });
    expect(await api.deps.db.query(`select id from sessions where user_id = ${user.id}`)).toHaveLength(0);
  });

  const partyOf = ({ id }: TestUser) =>
    ({
      provider: 'github',
      title: { zh: 'GitHub', en: 'GitHub' },
      issuers: [''],
      prefix: 'github',
      subject: String(id),
      loginName: 'octocat',
      displayName: '',
      email: '',
    }) as const;

  it('binds no third party to an account that was cancelled meanwhile', async () => {
    const user = await api.createUser();
    const owner = { id: user.id, sessionId: await sessionIdOf(await signedIn(user)) };
    await (await api.root()).post('/api/user/manage', { id: user.id, action: 'delete' });
    await expect(bind(api.deps, owner, partyOf(user), 'en')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await api.deps.db.query(`select id from identities where user_id = ${user.id}`)).toHaveLength(0);
  });

  /** The hash of the id that its cookie carries; there is no other of its user's. */
  const sessionIdOf = async ({ userId }: Client): Promise<string> => {
    const [row] = await api.deps.db.query<{ id: string }>(
      `select id from sessions where user_id = ${userId}`,
    );
    return row?.id ?? '';
  };

  const LASTING: readonly [string, (user: TestUser, owner: Owner) => Promise<unknown>][] = [
    [
      'a password',
      (_, owner) =>
        updateSelf(
          api.deps,
          { ...owner, userAgent: '' },
          { password: NEW_PASSWORD, originalPassword: PASSWORD },
        ),
    ],
    ['a name', (_, owner) => updateSelf(api.deps, { ...owner, userAgent: '' }, { displayName: 'Thief' })],
    ['a third party', (user, owner) => bind(api.deps, owner, partyOf(user), 'en')],
    [
      'a mailbox',
      async ({ id }, owner) => {
        const given = {
          email: `late${id}@example.com`,
          flowId: 'flow',
          locale: 'en',
          password: PASSWORD,
        } as const;
        const code = await issueCode(api.deps, { channel: 'mail', subject: given.email, flowId: 'flow' });
        return bindEmail(api.deps, owner, { ...given, code });
      },
    ],
  ];
  it.each(LASTING)('gives an account %s by no session that was ended meanwhile', async (_what, give) => {
    const user = await api.createUser();
    const sessionId = await sessionIdOf(await signedIn(user));
    const owner = { id: user.id, sessionId, ip: ip() };
    const before = await rowOf(user);
    await api.deps.db.query(`delete from sessions where user_id = ${user.id}`);
    await expect(give(user, owner)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    expect(await rowOf(user)).toEqual(before);
    expect(await api.deps.db.query(`select 1 from identities where user_id = ${user.id}`)).toEqual([]);
  });

  it('takes no third party from an account by a session that was ended meanwhile', async () => {
    const user = await api.createUser();
    const owner = { id: user.id, sessionId: await sessionIdOf(await signedIn(user)) };
    await bind(api.deps, owner, partyOf(user), 'en');
    await api.deps.db.query(`delete from sessions where user_id = ${user.id}`);
    await expect(unbind(api.deps, owner, 'github')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    expect(await api.deps.db.query(`select 1 from identities where user_id = ${user.id}`)).toHaveLength(1);
  });

  it('begins none without the second factor that was turned on meanwhile', async () => {
    const user = await api.createUser();
    const account = await rowOf(user);
    await api.deps.db.query(
      `insert into second_factors (user_id, secret_sealed, enabled_at) values (${user.id}, 'sealed', 1)`,
    );
    const arrival = { ip: ip(), userAgent: '', oldSessionId: null, language: null };
    const codeOf = async (withFactor: boolean) =>
      signIn(api.deps, account, { ...arrival, withFactor }).then(
        () => 'in',
        ({ code }) => code,
      );
    expect(await codeOf(false)).toBe('SESSION_EXPIRED');
    expect(await codeOf(true)).toBe('in');
  });

  it('lets one of two who bring the same old password set a new one', async () => {
    const user = await api.createUser();
    const [first, second] = [await signedIn(user), await signedIn(user)];
    await api.deps.db.query(`update sessions set confirmed_at = 0 where user_id = ${user.id}`);
    const change = (client: Client, password: string) =>
      client.put('/api/user/self', { password, original_password: PASSWORD });
    afterVerifying(async () => {
      expect((await change(first, NEW_PASSWORD)).success).toBe(true);
    });
    expect(await change(second, 'Passw0rd3')).toMatchObject({ success: false, code: 'REAUTH_REQUIRED' });
    const login = { username: user.username, password: NEW_PASSWORD };
    expect((await api.guest({ ip: ip() }).post('/api/user/login', login)).success).toBe(true);
    expect((await second.get('/api/user/self')).status).toBe(401);
  });

  it('makes no access token for a session or a token that is over', async () => {
    const user = await api.createUser();
    const client = await signedIn(user);
    const [session] = await api.deps.db.query<{ id: string }>(
      `select id from sessions where user_id = ${user.id}`,
    );
    const codeOf = (by: { sessionId: string | null; accessToken?: string }) =>
      issueAccessToken(api.deps, { id: user.id, ip: ip(), ...by }).then(
        () => 'made',
        ({ code }) => code,
      );
    const byToken = async () => {
      const [token] = await api.deps.db.query<{ hash: string }>(
        `select hash from access_tokens where user_id = ${user.id}`,
      );
      return { sessionId: null, accessToken: token?.hash ?? '' };
    };
    expect(await codeOf(await byToken())).toBe('SESSION_EXPIRED');
    expect(await codeOf({ sessionId: session?.id ?? '' })).toBe('made');
    const first = await byToken();
    expect(await codeOf(first)).toBe('made');
    // It was replaced by the one that was made with it.
    expect(await codeOf(first)).toBe('SESSION_EXPIRED');
    const second = await byToken();
    expect((await client.put('/api/user/self', { password: NEW_PASSWORD })).success).toBe(true);
    expect(await codeOf(second)).toBe('SESSION_EXPIRED');
  });

  it('leaves no access token to who makes one after another while the password changes', async () => {
    const user = await api.createUser();
    const owner = await signedIn(user);
    const thief = api.guest({ ip: ip() });
    let token: string = (await owner.post('/api/user/token')).data;
    let isOver = false;
    const loop = (async () => {
      for (let tries = 0; tries < 500 && !isOver; tries++) {
        thief.headers.authorization = `Bearer ${token}`;
        const made = await thief.post('/api/user/token');
        if (!made.success) break;
        token = made.data;
      }
    })();
    expect((await owner.put('/api/user/self', { password: NEW_PASSWORD })).success).toBe(true);
    isOver = true;
    await loop;
    thief.headers.authorization = `Bearer ${token}`;
    expect((await thief.get('/api/user/self')).status).toBe(401);
    expect((await owner.get('/api/user/token/status')).data).toBeNull();
  });

  describe('what an administrator asked for, who when its turn comes', () => {
    let root: Client;
    let user: TestUser;
    beforeAll(async () => {
      root = await api.root();
      user = await api.createUser();
      await root.post('/api/user/confirm', { password: PASSWORD });
    });

    const DEEDS = {
      'quota for another': (client: Client) => client.put('/api/user/', { id: user.id, add_quota: 500 }),
      'a password for another': (client: Client) =>
        client.put('/api/user/', { id: user.id, password: NEW_PASSWORD }),
      'an account': (client: Client) => client.post('/api/user/', { username: 'late', password: PASSWORD }),
      codes: (client: Client) => client.post('/api/redemption/', { name: 'late', quota: 500, count: 2 }),
    };
    const manage = (action: string) => (admin: TestUser) =>
      root.post('/api/user/manage', { id: admin.id, action });
    const LOSSES = {
      'is disabled': manage('disable'),
      'is demoted': manage('demote'),
      'is cancelled': manage('delete'),
      'has signed out': (_: TestUser, client: Client) => client.get('/api/user/logout'),
      'has made his token anew': ({ id }: TestUser) => api.deps.sessions.issueAccessToken(id),
    };
    const state = async (except: TestUser) =>
      JSON.stringify([
        await api.deps.db.query(
          `select id, quota, password_hash from users where id <> ${except.id} order by id`,
        ),
        await api.deps.db.query('select id from redemptions'),
        await api.deps.db.query(`select id from admin_actions where actor_id = ${except.id}`),
      ]);

    it.each<[keyof typeof LOSSES, keyof typeof DEEDS]>([
      ['is disabled', 'quota for another'],
      ['is disabled', 'a password for another'],
      ['is disabled', 'an account'],
      ['is disabled', 'codes'],
      ['is demoted', 'quota for another'],
      ['is cancelled', 'quota for another'],
      ['has signed out', 'quota for another'],
      ['has made his token anew', 'quota for another'],
    ])('%s, is not done: %s', async (loss, deed) => {
      const admin = await api.createUser({ role: 10 });
      const client = await signedIn(admin);
      if (loss === 'has made his token anew') {
        client.headers.authorization = `Bearer ${await api.deps.sessions.issueAccessToken(admin.id)}`;
      }
      const before = await state(admin);
      beforeTurn(api.deps.db, () => LOSSES[loss](admin, client));
      expect(await DEEDS[deed](client)).toMatchObject({ status: 401, code: 'SESSION_EXPIRED' });
      expect(await state(admin)).toBe(before);
    });

    it('has more rights than he was let in with, is done', async () => {
      const actor = { id: root.userId ?? 0, role: 10, ip: '', wayIn: null };
      expect(await api.deps.db.orm.transaction((tx) => holdActor(tx, actor))).toBe(true);
    });

    // PGlite does one thing after the other anyway.
    if (engine === 'postgres') {
      it('has begun it, keeps his rights until it is done', async () => {
        const admin = await api.createUser({ role: 10 });
        const sessionId = await sessionIdOf(await signedIn(admin));
        const actor = { id: admin.id, role: 10, ip: '', wayIn: { id: admin.id, sessionId } };
        let demoting: Promise<Answer> | undefined;
        await api.deps.db.orm.transaction(async (tx) => {
          await takeTime(tx);
          expect(await holdActor(tx, actor)).toBe(true);
          demoting = manage('demote')(admin);
          await untilBlocked(api.deps.db, 1);
          expect(await holdActor(tx, actor)).toBe(true);
        });
        expect((await demoting)?.success).toBe(true);
      });
    }
  });
});
