/**
 * Taking over a server that is not set up yet: by looking local, by winning a race, by a password that everybody tries.
 * And reading figures that are nobody else's business by looking local.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { createApi } from '../../src/api.ts';
import { openPostgres } from '../../src/db/client.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Runtime, runtimeOver } from '../../src/runtime.ts';
import { Client, openApi, PASSWORD, SETUP_TOKEN, type TestApi, testEnv } from '../support/api.ts';
import { callEngines, freshPostgresUrl } from '../support/database.ts';
import { freePort, type Gateway, startGateway } from '../support/gateway.ts';

const FORM = { username: 'boss', password: PASSWORD, confirmPassword: PASSWORD };
const RACERS = 60;

const racing = (clients: readonly Client[]) =>
  Promise.all(
    clients.map((client, n) =>
      client.post('/api/setup', { ...FORM, username: `boss${n}`, setup_token: SETUP_TOKEN }),
    ),
  );

/** What racers could have burned: ids of accounts, sessions, rows of the ledger and of what administrators did. */
async function burned({ db }: Pick<Runtime, 'db'>) {
  const [row] = await db.query<{ next: number; sessions: number; ledger: number; actions: number }>(
    `select nextval(pg_get_serial_sequence('users', 'id'))::int as next, (select count(*)::int from sessions) as sessions,
            (select count(*)::int from ledger) as ledger, (select count(*)::int from admin_actions) as actions`,
  );
  return row;
}

/** The winner is signed in. */
const ONE_ROOT = { next: 2, sessions: 1, ledger: 1, actions: 1 };

describe('a server that is not set up', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await openApi('postgres');
  });
  afterEach(() => api.close());
  const roots = () => api.deps.db.query('select 1 from users where role = 100');

  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['from this machine without its token', {}, {}],
    ['from this machine by its other names', {}, { host: '127.0.0.1:3000' }],
    ['from this machine over IPv6', {}, { host: '[::1]' }],
    ['with an empty token', { setup_token: '' }, {}],
    ['with the beginning of the token', { setup_token: SETUP_TOKEN.slice(0, -1) }, {}],
    ['with the token as a header', {}, { authorization: `Bearer ${SETUP_TOKEN}` }],
  ])('is not taken over %s', async (_how, fields, headers) => {
    const answer = await api.guest().call('POST', '/api/setup', { ...FORM, ...fields }, headers);
    expect(answer).toMatchObject({ status: 403, code: 'SETUP_TOKEN' });
    expect(await roots()).toHaveLength(0);
  });

  it.each(['password1', 'Password1', 'PASSW0RD', 'ｐａｓｓｗｏｒｄ１', 'qwerty123'])(
    'gets no root whose password is %s',
    async (password) => {
      const form = { ...FORM, password, confirmPassword: password, setup_token: SETUP_TOKEN };
      expect(await api.guest().post('/api/setup', form)).toMatchObject({
        success: false,
        code: 'PASSWORD_COMMON',
      });
      expect(await roots()).toHaveLength(0);
    },
  );
});

describe.each(callEngines)('a race for the set-up on %s', (engine) => {
  let api: TestApi;
  afterEach(() => api.close());

  it('has one winner, and tells all others that it is done, who burn nothing', async () => {
    api = await openApi(engine);
    const answers = await racing(Array.from({ length: RACERS }, () => api.guest()));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'SETUP_DONE')).toHaveLength(RACERS - 1);
    expect(await burned(api.deps)).toEqual(ONE_ROOT);
  });

  it('is not won by who has no token, however many they are', async () => {
    api = await openApi(engine);
    const thieves = Array.from({ length: RACERS }, () => api.guest().post('/api/setup', FORM));
    const owner = api.guest().post('/api/setup', { ...FORM, username: 'owner', setup_token: SETUP_TOKEN });
    expect((await owner).success).toBe(true);
    for (const { code = '' } of await Promise.all(thieves)) {
      expect(['SETUP_TOKEN', 'SETUP_DONE']).toContain(code);
    }
    expect(await api.deps.db.query('select username from users')).toEqual([{ username: 'owner' }]);
  });
});

it('a race between two processes burns nothing either', async () => {
  const url = await freshPostgresUrl();
  const log = createLogger('error', () => undefined);
  const processes = await Promise.all(
    [0, 1].map(async () => runtimeOver(await testEnv({ DATABASE_URL: url }), await openPostgres(url), log)),
  );
  const clients = processes.flatMap((deps) => {
    const { handle } = createApi(deps);
    return Array.from({ length: RACERS / 2 }, () => new Client(async (request) => handle(request)));
  });
  const answers = await racing(clients);
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  expect(answers.filter(({ code }) => code === 'SETUP_DONE')).toHaveLength(RACERS - 1);
  for (const deps of processes) {
    if (deps === processes[0]) expect(await burned(deps)).toEqual(ONE_ROOT);
    await deps.close();
  }
});

/** A proxy in front of the server that says nothing of whom it speaks for. Answers its address. */
async function silentProxy(port: number): Promise<{ base: string; close(): void }> {
  const proxy = net.createServer((incoming) => {
    const outgoing = net.connect(port, '127.0.0.1');
    incoming.pipe(outgoing).pipe(incoming);
    for (const socket of [incoming, outgoing]) socket.on('error', () => socket.destroy());
  });
  const own = freePort();
  await new Promise<void>((resolve) => proxy.listen(own, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${own}`, close: () => void proxy.close() };
}

describe('the figures of a server', () => {
  let gateway: Gateway;
  let proxy: Awaited<ReturnType<typeof silentProxy>>;
  beforeAll(async () => {
    gateway = await startGateway({
      databaseUrl: await freshPostgresUrl(),
      env: { METRICS_TOKEN: '', SETUP_TOKEN },
    });
    proxy = await silentProxy(gateway.options.port);
  });
  afterAll(async () => {
    proxy.close();
    await gateway.kill();
  });

  it.each<[string, Record<string, string>]>([
    ['a loopback Host', { host: 'localhost' }],
    ['another loopback Host', { host: '127.0.0.1' }],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['any bearer', { authorization: 'Bearer undefined' }],
    ['no word of who asks', {}],
  ])('are not read through a proxy that says nothing, with %s', async (_how, headers) => {
    const answer = await fetch(`${proxy.base}/metrics`, { headers });
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('tollgate_');
  });

  it('nor is the server set up through it', async () => {
    const answer = await fetch(`${proxy.base}/api/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: 'localhost' },
      body: JSON.stringify(FORM),
    });
    expect(answer.status).toBe(403);
  });
});
