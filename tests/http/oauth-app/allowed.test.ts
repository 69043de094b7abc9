/** What users let applications do: told, and withdrawn. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Tx } from '../../../src/db/client.ts';
import { insertToken } from '../../../src/modules/token/service.ts';
import { type Answer, type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines, takeAllTime } from '../../support/database.ts';
import {
  authorizeQuery,
  bearer,
  pkce,
  REDIRECT,
  refresh,
  registerApp,
  signInAt,
  type TestApp,
  ticketIn,
} from '../../support/oauth-app.ts';
import { untilBlocked } from '../../support/waits.ts';

const ORIGIN = 'https://app.example';
const ALL = 'profile tokens:create relay embed';

describe.each(callEngines)('on %s', (kind) => {
  let api: TestApi;
  let root: Client;
  let app: TestApp;
  let user: Client;
  beforeAll(async () => {
    api = await openApi(kind);
    takeAllTime(api.deps.db);
    root = await api.root();
    await root.post('/api/supplier/admin/', { name: 'Any', base_url: 'https://any.example' });
    app = await registerApp(root, { homepage: 'https://notebook.example/' });
    await api.deps.options.set({ EmbedOrigins: ORIGIN, CriticalRateLimitCount: '1000' });
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    user = await api.as(await api.createUser({ quota: 1_000_000 }));
  });

  const grants = (of: Client = user, locale = 'en') =>
    of.call('GET', '/api/oauth/grants', undefined, { 'accept-language': locale });
  const withdraw = (id: number, by: Client = user) => by.del(`/api/oauth/grants/${id}`);
  /** The lines of his own log that applications wrote. */
  const logged = async (of: Client = user): Promise<string[]> =>
    (
      await api.deps.db.query<{ text: string }>(
        `select other->'text'->>'en' as text from logs where user_id = ${of.userId} and type = 4 order by id`,
      )
    ).map(({ text }) => text);
  /** A frame of the console inside the application. */
  const framed = async (access: string): Promise<Client> => {
    const { data } = await bearer(api, access).post('/api/oauth/embed_token', { origin: ORIGIN });
    const begun = await api
      .guest()
      .call('POST', '/api/oauth/embed_session', { token: data.token }, { 'sec-fetch-site': 'same-origin' });
    return bearer(api, begun.data.bearer);
  };
  /** Whether the relay knows whose it is. */
  const relays = async (key: string): Promise<boolean> =>
    (await api.deps.relay.callers.find(key.replace(/^sk-/, ''), { ip: '198.18.0.1', apart: '' })) !== null;

  it('lists what each may do, in words, since when, when last used, and the tokens that it made', async () => {
    expect((await grants()).data).toEqual([]);
    const { access } = await signInAt(api, app, user, ALL);
    const [fresh] = (await grants()).data;
    expect(fresh).toMatchObject({
      id: app.id,
      name: 'Notebook',
      homepage: 'https://notebook.example/',
      used_at: 0,
    });
    expect(fresh.scopes).toEqual(['profile', 'tokens:create', 'relay', 'embed']);
    expect(fresh.may.slice(0, 3)).toEqual([
      'see your user name and display name',
      'create API tokens for you',
      'call models, paid from your balance',
    ]);
    expect(fresh.may).toHaveLength(5);
    await bearer(api, access).post('/api/token/', { name: 'made by it' });
    await user.post('/api/token/', { name: 'his own' });
    const [used] = (await grants(user, 'zh')).data;
    expect(used).toMatchObject({ tokens: 1, created_at: fresh.created_at });
    expect(used.used_at).toBeGreaterThan(fresh.created_at - 60);
    expect(used.may[0]).toBe('查看您的用户名和显示名称');
    // Nobody else’s, and nothing for the application itself.
    expect((await grants(root)).data).toEqual([]);
    expect(await grants(bearer(api, access))).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    expect(await withdraw(app.id, bearer(api, access))).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    expect(await withdraw(app.id, root)).toMatchObject({ success: false, code: 'NOT_FOUND' });
    expect(await withdraw(999_999)).toMatchObject({ success: false, code: 'NOT_FOUND' });
    expect(await logged()).toEqual([
      'Allowed the application “Notebook” to sign in, and to see your user name and display name; create API tokens for you; call models, paid from your balance; show your console inside the application, and read what it shows: balance, statements, logs, names of tokens; see there the whole keys of the tokens that it made for you, change and delete them',
    ]);
  });

  it('ends all of it at once: sign-ins, frames and the tokens that it made; nothing of his own, or of others', async () => {
    const other = await registerApp(root, { name: 'Other' });
    const neighbour = await api.as(await api.createUser());
    const [mine, again, others, theirs] = [
      await signInAt(api, app, user, ALL),
      await signInAt(api, app, user, ALL),
      await signInAt(api, other, user, ALL),
      await signInAt(api, app, neighbour, ALL),
    ];
    const frame = await framed(mine.access);
    const keyOf = async (client: Client) =>
      `sk-${(await client.post('/api/token/', { name: 'k' })).data.key}`;
    const [made, own, ofOthers, ofTheirs, inFrame] = [
      await keyOf(bearer(api, mine.access)),
      await keyOf(user),
      await keyOf(bearer(api, others.access)),
      await keyOf(bearer(api, theirs.access)),
      `sk-${(await frame.call('POST', '/api/token/', { name: 'f' }, { 'sec-fetch-site': 'same-origin' })).data.key}`,
    ];
    for (const key of [made, own, ofOthers, ofTheirs, inFrame, mine.access])
      expect(await relays(key)).toBe(true);
    expect(await withdraw(app.id)).toMatchObject({ success: true });
    for (const key of [made, inFrame, mine.access, again.access])
      expect([key, await relays(key)]).toEqual([key, false]);
    for (const key of [own, ofOthers, ofTheirs, others.access])
      expect([key, await relays(key)]).toEqual([key, true]);
    expect((await bearer(api, mine.access).get('/api/oauth/userinfo')).status).toBe(401);
    expect((await frame.get('/api/user/self')).status).toBe(401);
    for (const { refresh: token } of [mine, again])
      expect((await refresh(api, app, token)).body.error).toBe('invalid_grant');
    expect((await refresh(api, other, others.refresh)).status).toBe(200);
    expect((await grants()).data.map(({ id }: { id: number }) => id)).toEqual([other.id]);
    expect((await logged()).at(-1)).toBe(
      'Withdrew what the application “Notebook” was allowed, and deleted the 2 tokens that it had made',
    );
    expect(await withdraw(app.id)).toMatchObject({ code: 'NOT_FOUND' });
    // He is asked again.
    expect(ticketIn(await user.get(authorizeQuery(app, pkce().challenge)))).not.toBe('');
  });

  it('leaves nothing that is being made just then', async () => {
    for (let round = 0; round < 5; round++) {
      const { access, refresh: token } = await signInAt(api, app, user, ALL);
      const client = bearer(api, access);
      const [code, gone, made, renewed] = await Promise.all([
        user.get(authorizeQuery(app, pkce().challenge)),
        withdraw(app.id),
        client.post('/api/token/', { name: `round ${round}` }),
        refresh(api, app, token),
      ]);
      expect(gone.success).toBe(true);
      expect([200, 303, 403]).toContain(code.status);
      if (made.success) expect(await relays(`sk-${made.data.key}`)).toBe(false);
      if (renewed.status === 200) expect(await relays(renewed.body.access_token ?? '')).toBe(false);
      const left = await api.deps.db.query(
        `select 1 from oauth_grants where user_id = ${user.userId}
         union all select 1 from tokens where user_id = ${user.userId} and oauth_app_id is not null and deleted_at is null`,
      );
      expect(left).toEqual([]);
    }
  });

  it('is over for a redirect address that is answered later, too', async () => {
    const asked = await registerApp(root, { redirect_uris: [REDIRECT] });
    await signInAt(api, asked, user);
    await withdraw(asked.id);
    // Without a question no code goes out.
    expect((await user.get(authorizeQuery(asked, pkce().challenge))).status).toBe(200);
  });

  it('ends with all other ways into an account, with the tokens that it made', async () => {
    const { access } = await signInAt(api, app, user, ALL);
    const made = (await bearer(api, access).post('/api/token/', { name: 'made' })).data.key;
    const own = (await user.post('/api/token/', { name: 'his own' })).data.key;
    const changed = await root.put('/api/user/', { id: user.userId, password: 'An0therPass' });
    expect(changed.success).toBe(true);
    expect(await relays(made)).toBe(false);
    expect(await relays(own)).toBe(true);
  });

  if (kind === 'postgres') {
    /** A transaction that waits until it is told to go on. */
    async function standing(doing: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
      const [done, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const over = api.deps.db.orm.transaction(async (tx) => {
        await doing(tx);
        done.resolve();
        await end.promise;
      });
      await Promise.race([done.promise, over]);
      return async () => {
        end.resolve();
        await over;
      };
    }

    it('leaves no token that is made while root removes the application', async () => {
      const going = await registerApp(root);
      await signInAt(api, going, user);
      const { id } = going;
      const late = await api.createUser();
      const endSignIn = await standing((tx) =>
        tx.execute(`select 1 from oauth_grants where app_id = ${id} for update`),
      );
      const endConsent = await standing((tx) =>
        tx.execute(
          `insert into oauth_consents (user_id, app_id, scopes) values (${late.id}, ${id}, array['tokens:create'])`,
        ),
      );
      const gone = root.del(`/api/oauth_app/admin/${id}`);
      await untilBlocked(api.deps.db, 1);
      // What was allowed has been looked for by now, without this.
      await endConsent();
      const maker = { id: late.id, group: 'default', sessionId: null, isHimself: false, appId: id };
      const endToken = await standing((tx) => insertToken(api.deps, tx, maker, { name: 'late' }));
      await endSignIn();
      await untilBlocked(api.deps.db, 1);
      await endToken();
      expect((await gone).success).toBe(true);
      const left = await api.deps.db.query(
        `select 1 from tokens where oauth_app_id = ${id} and deleted_at is null`,
      );
      expect(left).toEqual([]);
    });

    const erase = () => root.del(`/api/user/${user.userId}`);

    it('is withdrawn while its user is erased: neither waits for the other for ever', async () => {
      const { access } = await signInAt(api, app, user, ALL);
      await bearer(api, access).post('/api/token/', { name: 'made' });
      let both: Promise<[Answer, Answer]> | undefined;
      await api.deps.db.orm.transaction(async (tx) => {
        // The erasure has his tokens, and goes no further.
        await tx.execute(`select 1 from users where id = ${user.userId} for update`);
        const erased = erase();
        await untilBlocked(api.deps.db, 1);
        both = Promise.all([erased, withdraw(app.id)]);
        await untilBlocked(api.deps.db, 2);
      });
      const [erased, withdrawn] = (await both) ?? [];
      expect(erased).toMatchObject({ success: true });
      expect(withdrawn).toMatchObject({ success: false, code: 'NOT_FOUND' });
    });

    it('begins nothing for a user who is just being erased', async () => {
      await signInAt(api, app, user);
      await api.deps.db.query(
        `insert into custom_models (user_id, supplier_id, key_sealed, key_hint, key_base_url)
         select ${user.userId}, id, 'x', '…', '' from suppliers limit 1`,
      );
      let both: Promise<[Answer, Answer]> | undefined;
      await api.deps.db.orm.transaction(async (tx) => {
        // The erasure has his row, and goes no further.
        await tx.execute(`select 1 from custom_models where user_id = ${user.userId} for update`);
        const erased = erase();
        await untilBlocked(api.deps.db, 1);
        both = Promise.all([erased, user.get(authorizeQuery(app, pkce().challenge))]);
        await untilBlocked(api.deps.db, 2);
      });
      const [erased, begun] = (await both) ?? [];
      expect(erased).toMatchObject({ success: true });
      expect(begun?.status).not.toBe(303);
      expect(begun?.status).toBeLessThan(500);
      expect(await api.deps.db.query(`select 1 from oauth_grants where user_id = ${user.userId}`)).toEqual(
        [],
      );
    });
  }
});
