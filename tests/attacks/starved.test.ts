/** One visitor who asks so much that nothing is left for the others: pages, and look-ups of keys that are nobody's. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { relayKey } from '../../src/core/ids.ts';
import { limits } from '../../src/core/limits.ts';
import { shareOfKeys } from '../../src/core/share.ts';
import { createKeptPages } from '../../src/http/kept-pages.ts';
import { createCallers } from '../../src/modules/token/callers.ts';
import { memoryLimiter } from '../../src/platform/memory-limiter.ts';
import { ownCredential } from '../../src/platform/own-proof.ts';
import { authenticate } from '../../src/relay/entry/admit.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../support/api.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { type Gateway, setUp, startGateway } from '../support/gateway.ts';
import { bearer as bearerOf, registerApp, signInAt } from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';

const GUESSES = 600;
/** Those that were wrong, those that were under way when the last of them was counted, and a few that come slowly. */
const LOOKUPS_MAX = limits.badKeysAMinute + limits.lookupsOfOneAtOnce + 4 * limits.slowLookupsASecond;

/** Counts the look-ups that `work` makes the database do. */
async function lookupsOf({ deps }: TestApi, work: () => Promise<unknown>): Promise<number> {
  const { orm } = deps.db;
  const { select } = orm;
  let count = 0;
  Object.assign(orm, {
    select: (...given: Parameters<typeof select>) => {
      count++;
      return select.apply(orm, given);
    },
  });
  try {
    await work();
  } finally {
    Object.assign(orm, { select });
  }
  return count;
}

const many = <T>(make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: GUESSES }, (_, n) => make(n)));

describe('bearers that are nobody’s', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
    await api.deps.options.set({ ApiRateLimitAddress: '1000000' });
  });
  afterAll(() => api.close());

  const bearer = (client: Client, token: string, path = '/api/user/self') =>
    client.call('GET', path, undefined, { authorization: `Bearer ${token}` });
  const from = (ip: string) => api.guest({ ip, locale: 'en' });

  it.each<[string, (n: number) => string, string]>([
    ['at once from one address', () => '203.0.113.1', '/api/user/self'],
    ['of calls that are open to guests', () => '203.0.113.2', '/api/notice'],
    ['of calls that are none', () => '203.0.113.3', '/api/nothing'],
    ['from one subscriber of IPv6', (n) => `2001:db8:1:1::${n.toString(16)}`, '/api/user/self'],
  ])('cost the database few look-ups, %s', async (_how, ip, path) => {
    const count = await lookupsOf(api, () => many((n) => bearer(from(ip(n)), `guess-${path}-${n}`, path)));
    expect(count).toBeLessThanOrEqual(LOOKUPS_MAX);
  });

  it('cost no more one after the other, and are told when to come again', async () => {
    const client = from('203.0.113.4');
    let last: Awaited<ReturnType<typeof bearer>> | undefined;
    const count = await lookupsOf(api, async () => {
      for (let n = 0; n < limits.badKeysAMinute * 2; n++) last = await bearer(client, `serial-${n}`);
    });
    expect(count).toBeLessThanOrEqual(LOOKUPS_MAX + 10 * limits.slowLookupsASecond);
    expect(last?.status).toBe(429);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('leave who has one, behind the same address and elsewhere, where he was', async () => {
    const user = await api.createUser();
    const token = await api.deps.sessions.issueAccessToken(user.id);
    const near = from('203.0.113.5');
    expect((await bearer(near, token)).status).toBe(200);
    await many((n) => bearer(near, `more-${n}`));
    expect((await bearer(near, token)).status).toBe(200);
    expect((await bearer(from('203.0.113.6'), token)).status).toBe(200);
  });

  it.each<[string, (n: number) => string]>([
    ['access tokens of programs', (n) => `${'x'.repeat(39)}${String(n).padStart(4, '0')}`],
    ['access tokens of applications', (n) => `oat_${'x'.repeat(44)}${String(n).padStart(4, '0')}`],
    ['sessions of frames', (n) => `oab_${'x'.repeat(39)}${String(n).padStart(4, '0')}`],
  ])('keep no new %s out behind the same address, here or at the relay', async (what, madeUp) => {
    await api.deps.options.set({ EmbedOrigins: 'https://app.example' });
    const app = await registerApp(await api.root());
    const limiter = memoryLimiter();
    const relay = { ...api.deps.relay, limiter, callers: createCallers({ ...api.deps, limiter }) };
    const calls = (token: string) =>
      authenticate({ headers: new Headers({ authorization: `Bearer ${token}` }), ip: '203.0.113.7' }, relay);
    const made = async (): Promise<string> => {
      const user = await api.createUser();
      if (what.endsWith('programs')) return api.deps.sessions.issueAccessToken(user.id);
      const scope = what.endsWith('frames') ? 'embed' : 'relay';
      const { access } = await signInAt(api, app, await api.as(user), scope);
      if (scope === 'relay') return access;
      const { data } = await bearerOf(api, access).post('/api/oauth/embed_token', {
        origin: 'https://app.example',
      });
      const own = { 'sec-fetch-site': 'same-origin' };
      const begun = await api.guest().call('POST', '/api/oauth/embed_session', { token: data.token }, own);
      return begun.data.bearer;
    };
    const tokens = await Promise.all(Array.from({ length: limits.slowLookupsASecond + 2 }, made));
    const near = from('203.0.113.7');
    near.headers['sec-fetch-site'] = 'same-origin';
    await many((n) => bearer(near, madeUp(n), '/api/oauth/userinfo'));
    await many((n) => calls(madeUp(n)).catch(() => null));
    const path = what.endsWith('applications') ? '/api/oauth/userinfo' : '/api/user/self';
    for (const token of tokens) {
      expect((await bearer(near, token, path)).status).toBe(200);
      if (what.endsWith('applications')) expect((await calls(token)).caller.appId).toBe(app.id);
    }
  });
});

describe('bearers that are somebody’s', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
    await api.deps.options.set({ ApiRateLimitSession: '5' });
  });
  afterAll(() => api.close());

  const bearer = (client: Client, token: string, path = '/api/user/2fa/status') =>
    client.call('GET', path, undefined, { authorization: `Bearer ${token}` });
  const holder = async () => {
    const user = await api.createUser();
    return { user, token: await api.deps.sessions.issueAccessToken(user.id) };
  };

  it.each<[string, (n: number) => string]>([
    ['from one address', () => '203.0.113.1'],
    ['from as many as there are', (n) => `198.18.${n >> 8}.${n & 255}`],
  ])('cost the database one look-up at once, however many calls are refused, %s', async (_how, ip) => {
    const { token } = await holder();
    let answers: { status: number }[] = [];
    const count = await lookupsOf(api, async () => {
      answers = await many((n) => bearer(api.guest({ ip: ip(n) }), token));
    });
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(GUESSES - 5);
    // The look-up, and what the five calls read themselves.
    expect(count).toBeLessThanOrEqual(1 + 2 * 5);
  });

  it('of a browser cost no more', async () => {
    const client = await api.as(await api.createUser());
    // Beyond its own calls it has those of strangers.
    await api.deps.options.set({ ApiRateLimitAddress: '1' });
    const count = await lookupsOf(api, () => many(() => client.get('/api/user/2fa/status')));
    await api.deps.options.reset(['ApiRateLimitAddress']);
    expect(count).toBeLessThanOrEqual(1 + 2 * 6);
  });

  it.each<[string, (user: TestUser, own: Client) => Promise<unknown>]>([
    ['revoked', (_user, own) => own.del('/api/user/token')],
    ['made anew', (_user, own) => own.post('/api/user/token')],
    ['of a new password', (_user, own) => own.put('/api/user/self', { password: 'Another1pass' })],
    [
      'of one who was banned',
      async ({ id }) => (await api.root()).post('/api/user/manage', { id, action: 'disable' }),
    ],
    ['of one who was erased', async ({ id }) => (await api.root()).del(`/api/user/${id}`)],
  ])('open nothing from the moment on when they are %s', async (_how, end) => {
    const { user, token } = await holder();
    const client = api.guest({ ip: '203.0.113.9' });
    expect((await bearer(client, token)).status).toBe(200);
    expect(await end(user, await api.as(user))).toMatchObject({ success: true });
    expect((await bearer(client, token)).status).toBe(401);
  });
});

describe('relay keys that are nobody’s', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
  });
  afterAll(() => api.close());

  /** A relay of its own, with counters of its own, whose keys are asked for from `ip`. */
  const openRelay = () => {
    const limiter = memoryLimiter();
    const deps = { ...api.deps.relay, limiter, callers: createCallers({ ...api.deps, limiter }) };
    const bring = (given: Pick<Parameters<typeof authenticate>[0], 'headers' | 'key'>, ip: string) =>
      authenticate({ ...given, ip }, deps).then(
        () => 'in',
        (error: { code: string }) => error.code,
      );
    const ask = (key: string, ip: string, header = 'authorization') =>
      bring({ headers: new Headers({ [header]: key }) }, ip);
    return Object.assign(ask, { bring });
  };
  const guess = (n: number): string => `${'g'.repeat(44)}${String(n).padStart(4, '0')}`;

  it.each<[string, (n: number) => [key: string, ip: string, header?: string]]>([
    ['as a bearer', (n) => [`Bearer sk-${guess(n)}`, '203.0.113.1']],
    ['in the header of Anthropic', (n) => [guess(n), '203.0.113.1', 'x-api-key']],
    ['in the header of Google', (n) => [guess(n), '203.0.113.1', 'x-goog-api-key']],
    ['from one subscriber of IPv6', (n) => [guess(n), `2001:db8:2:2::${n.toString(16)}`, 'x-api-key']],
  ])('cost the database few look-ups, %s', async (_how, call) => {
    const ask = openRelay();
    const count = await lookupsOf(api, () => many((n) => ask(...call(n))));
    expect(count).toBeLessThanOrEqual(LOOKUPS_MAX);
  });

  it('leave a key that was good before, behind the same address', async () => {
    const ask = openRelay();
    const mine = await api.as(await api.createUser());
    const { key } = (await mine.post('/api/token/', { name: 'call', unlimited_quota: true })).data;
    expect(await ask(key, '203.0.113.1')).toBe('in');
    await many((n) => ask(guess(n), '203.0.113.1'));
    // The copy in memory is dropped, and the key has to be looked up again.
    await mine.put('/api/user/self', { display_name: 'renamed' });
    expect(await ask(key, '203.0.113.1')).toBe('in');
    expect(await ask(key, '203.0.113.2')).toBe('in');
  });

  const page = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
  const plainPage = { 'user-agent': 'Mozilla/5.0', referer: 'http://evil.example/' };
  /** A key that another user had, and deleted. */
  const gone = () => ownCredential(api.deps.secrets, 'relay-key', shareOfKeys(1), relayKey());
  it.each<[string, Record<string, string>, boolean, 'made before' | 'made now', typeof guess]>([
    ['in an address that a page of another site had loaded', page, true, 'made before', guess],
    ['in an address that such a page had loaded over plain http', plainPage, true, 'made before', guess],
    ['in the address of a program', {}, true, 'made before', guess],
    ['in a header of such a page', page, false, 'made before', guess],
    ['in the header of a neighbour', {}, false, 'made now', guess],
    ['in the header of a neighbour who had them', {}, false, 'made now', gone],
  ])(
    'keep nobody out behind the same address who is not known here yet: %s',
    async (_how, headers, inAddress, made, wrong) => {
      const { bring } = openRelay();
      const mine = await api.as(await api.createUser());
      const keys: string[] = [];
      for (let n = 0; n < 10; n++) {
        const { id, key } = (await mine.post('/api/token/', { name: `c${n}`, unlimited_quota: true })).data;
        const old = key.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
        const lookup = api.deps.secrets.lookup(old);
        if (made === 'made before') {
          await api.deps.db.query('update tokens set key_lookup = $1 where id = $2', [lookup, id]);
        }
        keys.push(made === 'made before' ? old : key);
      }
      await many((n) => {
        const key = wrong(n);
        const given = inAddress ? { key, headers } : { headers: { ...headers, 'x-api-key': key } };
        return bring({ ...given, headers: new Headers(given.headers) }, '203.0.113.1');
      });
      const good = keys.map((key) => bring({ headers: new Headers({ 'x-api-key': key }) }, '203.0.113.1'));
      expect(new Set(await Promise.all(good))).toEqual(new Set(['in']));
    },
  );

  it('do not keep a hundred good keys out that come at once', async () => {
    const ask = openRelay();
    const mine = await api.as(await api.createUser());
    const keys: string[] = [];
    for (let n = 0; n < 150; n++) {
      keys.push((await mine.post('/api/token/', { name: `c${n}`, unlimited_quota: true })).data.key);
    }
    const answers = await Promise.all(keys.map((key) => ask(key, '203.0.113.1')));
    expect(new Set(answers)).toEqual(new Set(['in']));
  });
});

describe('pages', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ databaseUrl: await freshPostgresUrl() });
    await setUp(gateway);
  });
  afterAll(() => gateway.kill());

  const page = (path: string, ip: string, headers: Record<string, string> = {}) =>
    fetch(gateway.base + path, { redirect: 'manual', headers: { ...headers, 'x-forwarded-for': ip } }).then(
      async (answer) => ({ status: answer.status, headers: answer.headers, text: await answer.text() }),
    );
  const tally = (answers: readonly { status: number }[], status: number) =>
    answers.filter((answer) => answer.status === status).length;

  const overLimit = 400 - limits.pagesAMinute;
  it.each<[string, (n: number) => string, (n: number) => string, number]>([
    ['from one address', (n) => `/model-hub?keyword=${n}`, () => '198.51.100.1', overLimit],
    ['of pages that are none', (n) => `/no-such-page-${n}`, () => '198.51.100.2', overLimit],
    ['that lead elsewhere', (n) => `/token?keyword=${n}`, () => '198.51.100.3', overLimit],
    [
      'from one subscriber of IPv6',
      (n) => `/login?next=/${n}`,
      (n) => `2001:db8:3:3::${n.toString(16)}`,
      overLimit,
    ],
    [
      'from one holder of many small networks',
      (n) => `/login?next=/x${n}`,
      (n) => `2001:db8:4:${n.toString(16)}::1`,
      // Of eight networks' worth of pages; he waits in one line.
      0,
    ],
  ])(
    'asked for by the hundred %s leave the others theirs',
    async (_how, path, ip, refusedMin) => {
      const flood = Array.from({ length: 400 }, (_, n) => page(path(n), ip(n)));
      const others = await Promise.all([1, 2, 3].map((n) => page('/model-hub', `203.0.113.${100 + n}`)));
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
      const answers = await Promise.all(flood);
      const refused = answers.filter(({ status }) => status === 429 || status === 503);
      expect(refused.length).toBeGreaterThanOrEqual(refusedMin);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    },
    patience(120_000),
  );

  it('that are alike for all guests are made once for hundreds of them', async () => {
    const guests = await Promise.all(
      Array.from({ length: 300 }, (_, n) => page('/login', `192.0.2.${n % 250}`)),
    );
    expect(tally(guests, 200)).toBe(300);
    const nonces = guests.map(
      ({ headers }) => /'nonce-([\w-]+)'/.exec(headers.get('content-security-policy') ?? '')?.[1],
    );
    expect(new Set(nonces).size).toBe(300);
    for (const [n, { text, headers }] of guests.entries()) {
      expect(text).toContain(`nonce="${nonces[n]}"`);
      expect(text).toContain(String(headers.get('x-request-id')));
    }
  });

  it('that are kept are bounded as well, whatever a browser brings', async () => {
    const answers = [];
    for (let n = 0; n < limits.keptPagesAMinute + 60; n += 60) {
      const round = Array.from({ length: 60 }, (_, i) =>
        page('/reset', '192.0.2.252', { cookie: `tz=${(n + i) % 2 ? 'Asia/Tokyo' : 'aSia/tokyo'}` }),
      );
      answers.push(...(await Promise.all(round)));
    }
    expect(tally(answers, 200)).toBe(limits.keptPagesAMinute);
    expect(tally(answers, 429)).toBe(60);
    expect((await page('/reset', '192.0.2.253')).status).toBe(200);
  });

  it('that are kept for guests are nobody’s own', async () => {
    const [zh, en, dark] = await Promise.all([
      page('/login', '192.0.2.1', { cookie: 'lang=zh' }),
      page('/login', '192.0.2.1', { cookie: 'lang=en' }),
      page('/login', '192.0.2.1', { cookie: 'lang=en; theme-mode=dark' }),
    ]);
    expect(zh.text).toContain('lang="zh');
    expect(en.text).toContain('lang="en');
    expect(dark.text).toContain('dark');
    const expired = await page('/login', '192.0.2.1', { authorization: 'Bearer nobody' });
    expect(expired.headers.get('cache-control')).toBe('no-store');
  });
});

it('a page is kept for seconds, and made once for all who wait', async () => {
  let now = 0;
  let made = 0;
  const pages = createKeptPages(() => now);
  const make = async () => {
    const nonce = `n${++made}`;
    const headers = {
      'content-security-policy': `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`,
      'x-request-id': `made-${made}`,
    };
    return new Response(`<p nonce="${nonce}">made-${made}</p>`, { headers });
  };
  await Promise.all(Array.from({ length: 50 }, (_, n) => pages.answer('a', `id-${n}`, make)));
  expect(made).toBe(1);
  const again = await pages.answer('a', 'id-x', make);
  expect(await again.text()).toContain('>id-x</p>');
  expect(again.headers.get('content-security-policy')).not.toContain("'nonce-n1'");
  now = limits.pageKeptMs + 1;
  await pages.answer('a', 'id-y', make);
  expect(made).toBe(2);
  const own = async () => new Response('mine', { headers: { 'set-cookie': 'a=b' } });
  await pages.answer('b', 'id', own);
  expect(await (await pages.answer('b', 'id', make)).text()).toContain('<p');
});
