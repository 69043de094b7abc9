/** Signing in by what a device holds, alone or after the password; and who adds, names and removes it. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import { limits } from '../../../src/core/limits.ts';
import { takeTime } from '../../../src/db/brief.ts';
import { users } from '../../../src/db/schema/index.ts';
import { setRootPassword } from '../../../src/modules/auth/password/root-password.ts';
import { passwordMark } from '../../../src/modules/auth/second-factor/pending.ts';
import { signIn } from '../../../src/modules/auth/sign-in.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import {
  type Answer,
  type Client,
  openApi,
  PASSWORD,
  type TestApi,
  type TestUser,
} from '../../support/api.ts';
import { Authenticator, type Odd } from '../../support/authenticator.ts';
import { takeAllTime } from '../../support/database.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { totpCode } from '../../support/totp.ts';
import { untilBlocked } from '../../support/waits.ts';

const ORIGIN = 'http://localhost';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
  takeAllTime(api.deps.db);
  await api.root();
});
afterAll(() => api.close());

const query = (text: string) => api.deps.db.query(text);
let networks = 0;
/** A browser that nobody is known in, from a network of its own. */
const browser = () => api.guest({ ip: `198.51.${++networks >> 8}.${networks & 255}` });

const begin = async (client: Client) => (await client.post('/api/user/passkeys/begin')).data;
const add = (client: Client, name: string, response: object) =>
  client.post('/api/user/passkeys', { name, response });
const listed = async (client: Client) => (await client.get('/api/user/passkeys')).data.items;

interface Holder {
  user: TestUser;
  client: Client;
  device: Authenticator;
}

/** A user with a passkey. */
async function holder(given: Parameters<TestApi['createUser']>[0] = {}): Promise<Holder> {
  const user = await api.createUser(given);
  const client = await api.as(user);
  const device = new Authenticator(ORIGIN);
  const added = await add(client, 'phone', device.register(await begin(client)));
  if (!added.success) throw new Error(added.text);
  return { user, client, device };
}

const askProof = async (guest: Client, body: object = {}) =>
  (await guest.post('/api/user/login/passkey/begin', body)).data;
async function signInBy({ device }: Pick<Holder, 'device'>, odd: Odd = {}, guest = browser()) {
  const response = device.prove(await askProof(guest), odd);
  const answer = await guest.post('/api/user/login/passkey', { response });
  return { answer, guest, response };
}

describe('a passkey', () => {
  it('is added, named, used, and shows when', async () => {
    const { user, client, device } = await holder();
    const [first, ...others] = await listed(client);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: 'phone', host: 'localhost', here: true, used_at: 0 });
    expect((await client.put(`/api/user/passkeys/${first.id}`, { name: ' my phone ' })).success).toBe(true);
    const { answer, guest } = await signInBy({ device });
    expect(answer.data).toMatchObject({ id: user.id, username: user.username });
    guest.userId = user.id;
    expect((await guest.get('/api/user/self')).data.id).toBe(user.id);
    const [used] = await listed(client);
    expect(used.name).toBe('my phone');
    expect(used.used_at).toBeGreaterThan(0);
  });

  it('is asked for by a name that says nothing of its owner, and never twice of one device', async () => {
    const { client, device } = await holder({ username: 'handled' });
    const options = await begin(client);
    expect(options).toMatchObject({
      attestation: 'none',
      rp: { id: 'localhost' },
      user: { name: 'handled' },
    });
    expect(options.excludeCredentials.map(({ id }: { id: string }) => id)).toEqual([
      device.credentials[0]?.id,
    ]);
    // A keyed hash: of its own for each user, and the same each time.
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
    expect((await begin(client)).user.id).toBe(options.user.id);
    expect((await begin((await holder()).client)).user.id).not.toBe(options.user.id);
    expect(JSON.stringify(await askProof(browser()))).not.toContain(device.credentials[0]?.id ?? '?');
  });

  it('is both factors: where a code is asked for after a password, it lets in alone', async () => {
    const mine = await holder();
    const { secret } = (await mine.client.post('/api/user/2fa/setup')).data;
    await mine.client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
    expect((await signInBy(mine)).answer.data.id).toBe(mine.user.id);
  });

  it('of a kind that does not count lets in again and again', async () => {
    const mine = await holder();
    for (let n = 0; n < 2; n++) expect((await signInBy(mine, { counter: 0 })).answer.success).toBe(true);
  });

  it('has a name of 1 to 50 letters, and there are at most twenty', async () => {
    const { client, device, user } = await holder();
    const [{ id }] = await listed(client);
    for (const name of ['', '  ', 'x'.repeat(51)]) {
      expect((await client.put(`/api/user/passkeys/${id}`, { name })).code).toBe('PASSKEY_NAME');
      expect((await add(client, name, device.register(await begin(client)))).code).toBe('PASSKEY_NAME');
    }
    await query(
      `insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id)
       select ${user.id}, 'n', 'c' || n, '', 0, 'localhost' from generate_series(1, 19) n`,
    );
    expect((await client.post('/api/user/passkeys/begin')).code).toBe('PASSKEY_TOO_MANY');
  });

  it('belongs to its owner: nobody else names or removes it', async () => {
    const { client } = await holder();
    const [{ id }] = await listed(client);
    const other = await api.as(await api.createUser());
    expect((await other.put(`/api/user/passkeys/${id}`, { name: 'mine' })).code).toBe('NOT_FOUND');
    expect((await other.del(`/api/user/passkeys/${id}`)).code).toBe('NOT_FOUND');
    expect(await listed(other)).toEqual([]);
    expect((await listed(client))[0].name).toBe('phone');
  });

  it('that is removed lets nobody in, and the other sessions end', async () => {
    const mine = await holder();
    const { guest } = await signInBy(mine);
    guest.userId = mine.user.id;
    const [{ id }] = await listed(mine.client);
    expect((await mine.client.del(`/api/user/passkeys/${id}`)).success).toBe(true);
    expect((await guest.get('/api/user/self')).status).toBe(401);
    expect((await mine.client.get('/api/user/self')).status).toBe(200);
    expect((await signInBy(mine)).answer.code).toBe('PASSKEY_FAILED');
  });

  it('is added and removed by who has just shown that it is he', async () => {
    const { client, user } = await holder();
    const [{ id }] = await listed(client);
    await query(`update sessions set confirmed_at = 1 where user_id = ${user.id}`);
    expect((await client.post('/api/user/passkeys/begin')).code).toBe('REAUTH_REQUIRED');
    expect((await client.del(`/api/user/passkeys/${id}`)).code).toBe('REAUTH_REQUIRED');
    const script = api.guest();
    await client.post('/api/user/confirm', { password: PASSWORD });
    script.headers.authorization = `Bearer ${(await client.post('/api/user/token')).data}`;
    expect((await script.post('/api/user/passkeys/begin')).code).toBe('REAUTH_REQUIRED');
    expect((await client.del(`/api/user/passkeys/${id}`)).success).toBe(true);
  });

  it('goes with its account', async () => {
    const mine = await holder();
    expect((await mine.client.call('DELETE', '/api/user/self', {})).success).toBe(true);
    expect((await signInBy(mine)).answer.code).toBe('PASSKEY_FAILED');
    expect(await query(`select 1 from passkeys where user_id = ${mine.user.id}`)).toEqual([]);
  });

  it.each<[what: string, recover: (mine: Holder) => Promise<unknown>]>([
    [
      'its owner changes his password',
      async ({ client }) => {
        const own = { password: 'Renewed77x', original_password: PASSWORD };
        return (await client.put('/api/user/self', own)).success && own.password;
      },
    ],
    [
      'an administrator sets his password',
      async ({ user }) => {
        const set = { id: user.id, password: 'Renewed77x' };
        return (await (await api.root()).put('/api/user/', set)).success && set.password;
      },
    ],
    [
      'he resets it by mail',
      async ({ user }) => {
        const [row] = (await query(
          `update users set email = '${user.username}@mail.test' where id = ${user.id} returning password_hash`,
        )) as [{ password_hash: string }];
        const mail = `${user.username}@mail.test`;
        const kept = `${user.id}:${passwordMark(row)}:${mail}`;
        await api.deps.oneTime.put(`reset:${sha256('link')}`, kept, 60);
        return (await browser().post('/api/user/reset', { email: mail, token: 'link' })).data;
      },
    ],
  ])(
    'is asked for after the password, and is no way in by itself any more, once %s',
    async (_what, recover) => {
      const mine = await holder();
      const bystander = await holder();
      const password = await recover(mine);
      expect((await signInBy(mine)).answer.code).toBe('PASSKEY_SECOND_ONLY');
      const guest = browser();
      expect((await guest.post('/api/user/login', { username: mine.user.username, password })).data).toEqual({
        require_2fa: true,
        passkey: true,
        code: false,
      });
      const response = mine.device.prove(await askProof(guest, { second: true }));
      const { data } = await guest.post('/api/user/login/passkey', { second: true, response });
      expect(data.id).toBe(mine.user.id);
      guest.userId = data.id;
      const [kept] = await listed(guest);
      expect(kept).toMatchObject({ name: 'phone', second_only: true });
      expect((await guest.del(`/api/user/passkeys/${kept.id}`)).success).toBe(true);
      expect((await add(guest, 'anew', mine.device.register(await begin(guest)))).success).toBe(true);
      expect((await signInBy(mine)).answer.success).toBe(true);
      expect((await signInBy(bystander)).answer.success).toBe(true);
    },
  );

  it('is no way in by itself for a sign-in that was under way when the password was made anew', async () => {
    const mine = await holder();
    const account = (await api.deps.db.orm.select().from(users).where(eq(users.id, mine.user.id)))[0];
    if (!account) throw new Error('no such user');
    const [{ id: passkeyId }] = await listed(mine.client);
    const arrival = {
      ip: '',
      userAgent: '',
      oldSessionId: null,
      withFactor: true,
      language: null,
      passkeyId,
    };
    await expect(signIn(api.deps, account, arrival)).resolves.toBeString();
    await query(`update passkeys set second_only = true where id = ${passkeyId}`);
    await expect(signIn(api.deps, account, arrival)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
  });

  it('is neither joined nor taken away by the password alone, and no codes come in its place', async () => {
    const user = await api.createUser();
    const open = await api.as(user);
    const early = await begin(open);
    const { secret } = (await open.post('/api/user/2fa/setup')).data;
    const client = await api.as(user);
    const device = new Authenticator(ORIGIN);
    expect((await add(client, 'phone', device.register(await begin(client)))).success).toBe(true);
    const [{ id }] = await listed(open);
    const refused = [
      await open.post('/api/user/passkeys/begin'),
      await add(open, 'planted', new Authenticator(ORIGIN).register(early)),
      await open.del(`/api/user/passkeys/${id}`),
      await open.post('/api/user/2fa/setup'),
      await open.post('/api/user/2fa/enable', { code: totpCode(secret) }),
    ];
    expect(refused.map(({ code }) => code)).toEqual(Array(5).fill('PASSKEY_SESSION'));
    // A new password keeps the session what it was.
    const own = { password: 'Renewed77x', original_password: PASSWORD };
    expect((await open.put('/api/user/self', own)).success).toBe(true);
    expect((await open.del(`/api/user/passkeys/${id}`)).code).toBe('PASSKEY_SESSION');
    // One that was made for another host is asked of nobody.
    await api.deps.options.set({ ServerAddress: 'https://gate.example' });
    expect((await open.del(`/api/user/passkeys/${id}`)).success).toBe(true);
    await api.deps.options.reset(['ServerAddress']);
  });

  it('is not removed by a session that proved none, once codes are asked for no more', async () => {
    const mine = await holder();
    const { secret } = (await mine.client.post('/api/user/2fa/setup')).data;
    await mine.client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
    const [{ id }] = await listed(mine.client);
    await query(`update sessions set with_passkey = false where user_id = ${mine.user.id}`);
    let removing: Promise<Answer> | undefined;
    await api.deps.db.orm.transaction(async (tx) => {
      await takeTime(tx);
      await tx.execute(`select 1 from users where id = ${mine.user.id} for update`);
      removing = mine.client.call('DELETE', `/api/user/passkeys/${id}`, { code: totpCode(secret) });
      await untilBlocked(api.deps.db, 1);
      await tx.execute(`delete from second_factors where user_id = ${mine.user.id}`);
    });
    expect((await removing)?.code).toBe('PASSKEY_SESSION');
    expect(await listed(mine.client)).toHaveLength(1);
  });

  it('is told to the mailbox of the account, in the language of its owner', async () => {
    const server = await startMailServer();
    await api.deps.options.set({ SMTPServer: '127.0.0.1', SMTPPort: String(server.port) });
    const user = await api.createUser();
    await query(`update users set email = 'mine@example.com', language = 'zh' where id = ${user.id}`);
    const client = await api.as(user, { locale: 'en' });
    await add(client, 'planted', new Authenticator(ORIGIN).register(await begin(client)));
    const mail = await server.nth(1);
    expect(mail).toMatchObject({
      recipients: ['mine@example.com'],
      subject: expect.stringContaining('通行密钥'),
    });
    expect(mail.text).toContain(user.username);
    // Each one works, and a few are told of in a day.
    for (let n = 2; n <= limits.lettersOfKind + 2; n++)
      expect(
        (await add(client, `${n}`, new Authenticator(ORIGIN).register(await begin(client)))).success,
      ).toBe(true);
    await query(`update users set email = 'left@example.com' where id = ${user.id}`);
    await add(client, 'last', new Authenticator(ORIGIN).register(await begin(client)));
    await server.nth(limits.lettersOfKind + 1);
    expect(server.mails.filter(({ recipients }) => recipients.includes('mine@example.com'))).toHaveLength(
      limits.lettersOfKind,
    );
    await api.deps.options.reset(['SMTPServer', 'SMTPPort']);
    await server.close();
  });

  it('lets nobody in as root any more once who holds the machine sets root’s password', async () => {
    const client = await api.root();
    const device = new Authenticator(ORIGIN);
    expect((await add(client, 'phone', device.register(await begin(client)))).success).toBe(true);
    expect(await setRootPassword(api.deps, PASSWORD)).not.toBeNull();
    expect((await signInBy({ device })).answer.code).toBe('PASSKEY_FAILED');
  });

  it('is added by no session that ends while it is being added', async () => {
    const { client, user, device } = await holder();
    const response = device.register(await begin(client));
    const { orm } = api.deps.db;
    let adding: Promise<Answer> | undefined;
    await orm.transaction(async (tx) => {
      await takeTime(tx);
      await tx.execute(`select 1 from users where id = ${user.id} for update`);
      adding = add(client, 'late', response);
      // It waits for the row by now: everything before that has been asked.
      await untilBlocked(api.deps.db, 1);
      await tx.execute(`delete from sessions where user_id = ${user.id}`);
    });
    expect((await adding)?.code).toBe('SESSION_EXPIRED');
    expect(await query(`select 1 from passkeys where name = 'late'`)).toEqual([]);
  });

  it('of a banned user is refused as he is', async () => {
    const mine = await holder();
    await query(`update users set status = 2 where id = ${mine.user.id}`);
    expect((await signInBy(mine)).answer.code).toBe('USER_DISABLED');
  });
});

describe('what is no proof', () => {
  it.each<[what: string, odd: Odd]>([
    ['of another site’s page', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['of another challenge', { challenge: 'AAAA' }],
    ['of nobody who was asked who he is', { verified: false }],
    ['of a counter that went back', { counter: 3 }],
    ['under another’s handle', { userHandle: 'AAAA' }],
  ])('is a sign-in %s', async (_what, odd) => {
    const mine = await holder();
    const [credential] = mine.device.credentials;
    if (credential) credential.counter = 3;
    expect((await signInBy(mine)).answer.success).toBe(true);
    const { answer } = await signInBy(mine, odd);
    expect([answer.status, answer.code]).toEqual([200, 'PASSKEY_FAILED']);
  });

  it('is one that was used, or was asked for in another browser', async () => {
    const mine = await holder();
    const { guest, response } = await signInBy(mine);
    expect((await guest.post('/api/user/login/passkey', { response })).code).toBe('PASSKEY_FAILED');
    const [asking, bringing] = [browser(), browser()];
    await askProof(bringing);
    const stolen = mine.device.prove(await askProof(asking));
    expect((await bringing.post('/api/user/login/passkey', { response: stolen })).code).toBe(
      'PASSKEY_FAILED',
    );
    expect((await browser().post('/api/user/login/passkey', { response: stolen })).code).toBe(
      'PASSKEY_FAILED',
    );
  });

  it('is the second of two copies that count alike', async () => {
    const mine = await holder();
    const guests = [browser(), browser(), browser()];
    const options = await Promise.all(guests.map((guest) => askProof(guest)));
    const answers = await Promise.all(
      guests.map((guest, n) =>
        guest.post('/api/user/login/passkey', { response: mine.device.prove(options[n], { counter: 7 }) }),
      ),
    );
    expect(answers.map((answer) => answer.code ?? 'ok').sort()).toEqual([
      'PASSKEY_FAILED',
      'PASSKEY_FAILED',
      'ok',
    ]);
  });

  it.each<[what: string, odd: Odd]>([
    ['of another site’s page', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['of another challenge', { challenge: 'AAAA' }],
    // To judge them means to call addresses that stand in them.
    ['with certificates', { fmt: 'packed', x5c: [new Uint8Array([1, 2, 3])] }],
    ['of an unknown form', { fmt: 'apple' }],
  ])('is a new key %s', async (_what, odd) => {
    const client = await api.as(await api.createUser());
    const device = new Authenticator(ORIGIN);
    expect((await add(client, 'x', device.register(await begin(client), odd))).code).toBe('PASSKEY_FAILED');
    expect(await listed(client)).toEqual([]);
  });

  it('is a new key twice, another session’s, or one that another has', async () => {
    const { client, user, device } = await holder();
    const options = await begin(client);
    const response = device.register(options);
    const elsewhere = await api.as(user);
    expect((await add(elsewhere, 'x', response)).code).toBe('PASSKEY_FAILED');
    expect((await add(client, 'second', response)).success).toBe(true);
    expect((await add(client, 'third', response)).code).toBe('PASSKEY_FAILED');
    const thief = await api.as(await api.createUser());
    const copy = device.register(await begin(thief));
    await query(`update passkeys set credential_id = '${copy.id}' where name = 'second'`);
    expect((await add(thief, 'x', copy)).code).toBe('PASSKEY_KNOWN');
  });
});

describe('the second step', () => {
  async function protectedHolder() {
    const mine = await holder();
    const { secret } = (await mine.client.post('/api/user/2fa/setup')).data;
    await mine.client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
    const guest = browser();
    const first = { username: mine.user.username, password: PASSWORD };
    expect((await guest.post('/api/user/login', first)).data).toEqual({ require_2fa: true, passkey: true });
    return { ...mine, guest, secret };
  }
  it('offers a passkey to whoever has one that works here, and to nobody else', async () => {
    const { user, secret } = await protectedHolder();
    const first = { username: user.username, password: PASSWORD };
    const asked = async (host?: string) => {
      if (host) await query(`update passkeys set rp_id = '${host}' where user_id = ${user.id}`);
      return (await browser().post('/api/user/login', first)).data;
    };
    expect(secret).not.toBe('');
    expect(await asked('elsewhere.example')).toEqual({ require_2fa: true });
    expect(await asked(new URL(ORIGIN).hostname)).toEqual({ require_2fa: true, passkey: true });
    await query(`delete from passkeys where user_id = ${user.id}`);
    expect(await asked()).toEqual({ require_2fa: true });
  });

  it('takes a code of whoever adds or removes one, in an account that asks for codes', async () => {
    const user = await api.createUser();
    const client = await api.as(user);
    const { secret } = (await client.post('/api/user/2fa/setup')).data;
    await client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
    const device = new Authenticator(ORIGIN);
    for (const body of [undefined, {}, { code: '000000' }]) {
      expect((await client.post('/api/user/passkeys/begin', body)).code).toBe('CODE_WRONG');
    }
    const options = await client.post('/api/user/passkeys/begin', { code: totpCode(secret) });
    expect((await add(client, 'phone', device.register(options.data))).success).toBe(true);
    const [{ id }] = await listed(client);
    const remove = (body?: object) => client.call('DELETE', `/api/user/passkeys/${id}`, body);
    for (const body of [undefined, {}, { code: totpCode(secret) }]) {
      expect((await remove(body)).code).toBe('CODE_WRONG');
    }
    expect(await listed(client)).toHaveLength(1);
    expect((await remove({ code: totpCode(secret, 1) })).success).toBe(true);
    expect(await listed(client)).toEqual([]);
  });

  const second = (guest: Client, response: object) =>
    guest.post('/api/user/login/passkey', { second: true, response });

  it('takes one of the account in the place of the code, also of a device that asks nobody who he is', async () => {
    const { guest, device, user } = await protectedHolder();
    const options = await askProof(guest, { second: true });
    expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([device.credentials[0]?.id]);
    expect((await second(guest, device.prove(options, { verified: false }))).data.id).toBe(user.id);
  });

  it('takes none of another account, and none that was asked for to sign in alone', async () => {
    const { guest } = await protectedHolder();
    const other = await holder();
    const options = await askProof(guest, { second: true });
    expect((await second(guest, other.device.prove(options))).code).toBe('CODE_WRONG');
    const alone = await askProof(guest);
    expect((await second(guest, other.device.prove(alone))).code).toBe('CODE_WRONG');
  });

  it('is over after five wrong ones, and is none without a password', async () => {
    const { guest, device } = await protectedHolder();
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 5; n++) {
      const options = await askProof(guest, { second: true });
      codes.push((await second(guest, device.prove(options, { challenge: 'AAAA' }))).code);
    }
    expect(codes).toEqual([...Array(4).fill('CODE_WRONG'), 'SECOND_STEP_OVER']);
    for (const stranger of [guest, browser()]) {
      const answer = await stranger.post('/api/user/login/passkey/begin', { second: true });
      expect(answer.code).toBe('SECOND_STEP_OVER');
    }
  });

  it('is a passkey alone in an account that asks for no codes', async () => {
    const { user, device } = await holder();
    const guest = browser();
    const first = { username: user.username, password: PASSWORD };
    const halfway = await guest.post('/api/user/login', first);
    expect(halfway.data).toEqual({ require_2fa: true, passkey: true, code: false });
    expect(guest.cookies.has('session')).toBe(false);
    expect((await guest.post('/api/user/login/2fa', { code: '000000' })).code).toBe('CODE_WRONG');
    const options = await askProof(guest, { second: true });
    expect((await second(guest, device.prove(options, { verified: false }))).data.id).toBe(user.id);
    expect(guest.cookies.has('session')).toBe(true);
  });

  it('is asked for at another host too, unless the public address is another by now', async () => {
    const { user } = await holder();
    const first = { username: user.username, password: PASSWORD };
    const login = async () => (await browser().post('/api/user/login', first)) as Answer;
    await query(`update passkeys set rp_id = 'elsewhere.example' where user_id = ${user.id}`);
    const refused = await login();
    expect([refused.code, refused.message]).toEqual([
      'PASSKEY_ELSEWHERE',
      '该账号登录需要通行密钥，请从 elsewhere.example 打开控制台登录',
    ]);
    try {
      await api.deps.options.set({ ServerAddress: 'https://gate.example' });
      expect((await login()).data.id).toBe(user.id);
      await api.deps.options.set({ ServerAddress: 'https://elsewhere.example' });
      expect((await login()).code).toBe('PASSKEY_ELSEWHERE');
      // An address at which nobody can use one any more.
      await api.deps.options.set({ ServerAddress: 'http://elsewhere.example' });
      expect((await login()).data.id).toBe(user.id);
    } finally {
      await api.deps.options.reset(['ServerAddress']);
    }
  });

  it('is asked for by a sign-in that was under way when the passkey came', async () => {
    const { user } = await holder();
    await query(`delete from passkeys where user_id = ${user.id}`);
    const account = (await api.deps.db.orm.select().from(users).where(eq(users.id, user.id)))[0];
    if (!account) throw new Error('no such user');
    const arrival = { ip: '', userAgent: '', oldSessionId: null, withFactor: false, language: null };
    const services = { ...api.deps, sessions: api.deps.sessions };
    await expect(signIn(services, account, arrival)).resolves.toBeString();
    await query(
      `insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id)
       values (${user.id}, 'came', 'came-${user.id}', '', 0, 'localhost')`,
    );
    await expect(signIn(services, account, arrival)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
  });

  it('says where an account has none', async () => {
    const { guest, client, secret } = await protectedHolder();
    const [{ id }] = await listed(client);
    await client.call('DELETE', `/api/user/passkeys/${id}`, { code: totpCode(secret) });
    expect((await guest.post('/api/user/login/passkey/begin', { second: true })).code).toBe('PASSKEY_NONE');
  });
});

describe('the address', () => {
  it.each([
    ['http://192.0.2.7:3000', 'ip', '192.0.2.7'],
    ['https://[2001:db8::1]', 'ip', '2001:db8::1'],
    ['http://gate.example', 'insecure', 'gate.example'],
    ['https://gate.example', 'elsewhere', 'gate.example'],
  ])('%s says why there can be none: %s', async (address, obstacle, host) => {
    const { client, device } = await holder();
    await api.deps.options.set({ ServerAddress: address });
    try {
      const { data } = await client.get('/api/user/passkeys');
      expect(data).toMatchObject({ obstacle, host, items: [{ here: false, host: 'localhost' }] });
      expect((await browser().get('/api/status')).data.passkey_login).toBe(false);
      expect((await client.post('/api/user/passkeys/begin')).code).toBe('PASSKEY_SITE');
      expect((await browser().post('/api/user/login/passkey/begin')).code).toBe('PASSKEY_SITE');
      const response = device.prove({ challenge: 'AAAA' });
      expect((await browser().post('/api/user/login/passkey', { response })).code).toBe('PASSKEY_SITE');
    } finally {
      await api.deps.options.reset(['ServerAddress']);
    }
    expect((await browser().get('/api/status')).data.passkey_login).toBe(true);
  });

  it('is changed to another host only when it is said what that costs', async () => {
    const root = await api.root();
    await holder();
    await api.deps.options.set({ ServerAddress: 'http://localhost' });
    const change = (value: string, more: object = {}) =>
      root.put('/api/option/', { key: 'ServerAddress', value, ...more });
    try {
      const [{ n }] = (await query("select count(*)::int as n from passkeys where rp_id = 'localhost'")) as [
        { n: number },
      ];
      const refused = await change('https://gate.example');
      expect(refused.code).toBe('OPTION_PASSKEYS_LEFT');
      expect(refused.message).toContain(String(n));
      expect(api.deps.options.get('ServerAddress')).toBe('http://localhost');
      // The same host by another way costs nothing.
      expect((await change('https://localhost')).success).toBe(true);
      expect((await change('https://gate.example', { confirm: true })).success).toBe(true);
      // Those of the former host are lost already.
      expect((await change('https://other.example')).success).toBe(true);
    } finally {
      await api.deps.options.reset(['ServerAddress']);
    }
  });
});

describe('an administrator', () => {
  it('sees and removes those of users below him: recorded, and their sessions end', async () => {
    const admin = await api.as(await api.createUser({ role: 10 }));
    const mine = await holder();
    const { data } = await admin.get(`/api/user/${mine.user.id}/passkeys`);
    expect(data).toMatchObject([{ name: 'phone' }]);
    const gone = await admin.del(`/api/user/${mine.user.id}/passkeys/${data[0].id}`);
    expect(gone.success).toBe(true);
    expect((await mine.client.get('/api/user/self')).status).toBe(401);
    expect((await signInBy(mine)).answer.code).toBe('PASSKEY_FAILED');
    expect((await admin.del(`/api/user/${mine.user.id}/passkeys/${data[0].id}`)).code).toBe('NOT_FOUND');
  });

  it('leaves alone his peers, those above, himself, and another user’s by the wrong name', async () => {
    const admin = await holder({ role: 10 });
    const peer = await holder({ role: 10 });
    const [{ id: own }] = await listed(admin.client);
    const [{ id: theirs }] = await listed(peer.client);
    const remove = (userId: number, id: number) => admin.client.del(`/api/user/${userId}/passkeys/${id}`);
    expect((await admin.client.get(`/api/user/${peer.user.id}/passkeys`)).code).toBe('USER_LEVEL');
    expect((await remove(peer.user.id, theirs)).code).toBe('USER_LEVEL');
    expect((await remove(admin.user.id, own)).code).toBe('USER_LEVEL');
    const user = await api.createUser();
    expect((await remove(user.id, theirs)).code).toBe('NOT_FOUND');
    await query(`update sessions set confirmed_at = 1 where user_id = ${admin.user.id}`);
    expect((await remove(user.id, theirs)).code).toBe('REAUTH_REQUIRED');
    expect(await listed(peer.client)).toHaveLength(1);
  });
});
