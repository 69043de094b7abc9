/**
 * GETs that do something, made by who may make them and did not mean to: a link that leads to a page whose address has
 * the name of a call in it, which the page's loader then makes on the server; and a link to the call itself. And what a
 * page has its visitors' browsers ask for without a word, which is counted for all who sit behind the same address.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { adoptContext, contextOf } from '../../src/http/context.ts';
import { markInProcess } from '../../src/http/guard.ts';
import type { LimitRule } from '../../src/platform/limiter.ts';
import type { Client } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { actingReads, leastOf } from '../support/contract.ts';
import { sentPage } from '../support/pages.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let root: Client;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
  await site.api.deps.db.query("insert into channels (type, name, status) values (1, 'asked', 1)");
}, patience(120_000));
afterAll(() => site.close());
beforeEach(async () => {
  root = await site.api.root();
});

/** Stands in a frame of whichever sites the operator lets embed it; what acts is the code that the frame sends. */
const FRAME = '/api/oauth/wechat/';
const CODE_OF_FRAME = `${FRAME}?code=1234&state=guessed`;

/** As browsers say it where a page of another site has them fetch what its visitor may go to next. */
const AHEAD = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-purpose': 'prefetch',
};

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

/** How another site has a visitor's browser make a call: the last over plain http, where nothing need be said. */
const FOREIGN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  AHEAD,
  { ...BROWSER, referer: 'http://elsewhere.example/' },
  BROWSER,
];

/** Its callers are gateways, of which some call themselves browsers. */
const OF_GATEWAYS = '/api/user/epay/notify';

let visitors = 0;

/** What the calls above would change. */
const state = async (): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['users', 'sessions', 'access_tokens', 'jobs', 'channels', 'admin_actions', 'identities', 'logs'].map(
        (table) =>
          site.api.deps.db.query(
            `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${table} t`,
          ),
      ),
    ),
  );

describe('the address of a page', () => {
  it.each([
    '/channel/edit/test',
    '/channel/edit/update_balance',
    '/channel/edit/fetch_models%2F1',
    '/channel/edit/test%2F1',
    '/channel/edit/..%2Fuser%2Ftoken',
    '/user/edit/token',
    '/user/edit/logout',
    '/user/edit/..%2Fuser%2Flogout',
    '/token/edit/..%2Fuser%2Flogout',
    '/token/edit/0x1',
    '/token/edit/1e3',
    '/token/code/page',
    '/admin-log/export',
    '/admin-log/..%2Fexport',
    '/oauth/state',
    '/terms/..%2Fuser%2Ftoken',
  ])('%s makes no call that does something, and is no page', async (path) => {
    const before = await state();
    const page = await sentPage(site, path, { client: root });
    expect(page.status).toBe(404);
    expect(page.words).toContain('Page does not exist');
    expect(await state()).toBe(before);
    expect((await root.get('/api/user/self')).status).toBe(200);
  });
});

describe('a call that does something', () => {
  it.each(actingReads)('%s is refused to a page’s loader', async (path) => {
    const before = await state();
    const request = new Request(`http://localhost${path.replace(':id', '1').replace(':provider', 'github')}`);
    const context = contextOf(new Request('http://localhost/'), site.api.deps.env);
    context.viewer = {
      id: root.userId ?? 0,
      username: 'root',
      displayName: 'root',
      role: 100,
      group: 'default',
      sessionId: 'of-the-page',
    };
    adoptContext(request, context);
    markInProcess(request);
    const answer = await site.api.handle(request);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'UNKNOWN_ROUTE' });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await state()).toBe(before);
  });

  // Guests' ones too: what they count, they count against the visitor's address.
  it.each(actingReads.map((path) => (path === FRAME ? CODE_OF_FRAME : path)))(
    '%s is refused to the page of another site',
    async (path) => {
      const before = await state();
      const address = path.replace(':id', '1').replace(':provider', 'github');
      const who = leastOf('GET', path.replace(/\?.*/, '')) === 'guest' ? site.api.guest() : root;
      for (const headers of path === OF_GATEWAYS ? FOREIGN.slice(0, -1) : FOREIGN) {
        const answer = await who.call('GET', address, undefined, { 'new-api-user': null, ...headers });
        expect([answer.status, answer.code]).toEqual([403, 'CROSS_SITE']);
      }
      expect(await state()).toBe(before);
    },
  );

  it.each<[how: string, path: string, headers: Record<string, string>]>([
    ['by its Sec-Fetch-Site', CODE_OF_FRAME, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['of a sibling’s page', CODE_OF_FRAME, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    ['by its Origin alone', CODE_OF_FRAME, { origin: 'https://elsewhere.example' }],
    ['fetched ahead', CODE_OF_FRAME, AHEAD],
    ['by a picture over plain http', CODE_OF_FRAME, BROWSER],
    ['with an empty code', `${FRAME}?code=`, { 'sec-fetch-site': 'cross-site' }],
    ['with two codes', `${FRAME}?code=1&code=2&state=x`, { 'sec-fetch-site': 'cross-site' }],
    ['spelled otherwise', `${FRAME}?c%6Fde=1&state=x`, { 'sec-fetch-site': 'cross-site' }],
    ['without the last stroke', '/api/oauth/wechat?code=1&state=x', { 'sec-fetch-site': 'cross-site' }],
  ])('of the frame’s code by another site uses up no wrong tries, %s', async (_how, path, headers) => {
    const { deps } = site.api;
    await deps.options.set({
      WeChatAuthEnabled: 'true',
      WeChatServerAddress: 'https://wechat.example',
      WeChatServerToken: 'token',
      CriticalRateLimitCount: '3',
    });
    const visitor = site.api.guest({ ip: `198.51.100.${++visitors}` });
    for (let n = 0; n < 5; n++) {
      const answer = await visitor.call('GET', path, undefined, headers);
      expect([answer.status, answer.code]).toEqual([403, 'CROSS_SITE']);
    }
    const ofOurs: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin' },
      { ...BROWSER, referer: `http://localhost${FRAME}` },
    ];
    for (const by of ofOurs)
      expect((await visitor.call('GET', CODE_OF_FRAME, undefined, by)).code).toBe('OAUTH_STATE');
    // The frame itself may stand in another site's page, and tells us, over plain http, that it is ours.
    const frame = await visitor.call('GET', FRAME, undefined, { 'sec-fetch-site': 'cross-site' });
    expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(frame.headers.get('referrer-policy')).toBe('same-origin');
  });

  it('stands in the list above', () => {
    const served = createApi(site.api.deps).routes.filter(({ method }) => method === 'GET');
    const paths = new Set(served.map(({ path }) => path));
    expect(actingReads.filter((path) => !paths.has(path))).toEqual([]);
  });
});

describe('a page of another site', () => {
  const FORM = 'application/x-www-form-urlencoded';
  const ELSEWHERE = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'empty',
  };
  const OWN = 'http://site.example';
  const FLOW = `visit=${'x'.repeat(43)}`;
  const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  /** The names of all that is counted meanwhile, without whom it is counted for. */
  const countedBy = async (work: () => Promise<unknown>): Promise<string[]> => {
    const { limiter } = site.api.deps;
    const { takeAll } = limiter;
    const keys = new Set<string>();
    Object.assign(limiter, {
      takeAll: (rules: readonly LimitRule[]) => {
        for (const { key } of rules) keys.add(key.replace(/:[\d.]+(?=:|$)/, ''));
        return takeAll(rules);
      },
    });
    await work().finally(() => Object.assign(limiter, { takeAll }));
    return [...keys].sort();
  };

  it('counts none of the calls that it has made against who visits it', async () => {
    await site.api.deps.options.set({
      GitHubOAuthEnabled: 'true',
      GitHubClientId: 'id',
      GitHubClientSecret: 'secret',
      WeChatAuthEnabled: 'true',
      WeChatServerAddress: 'https://wechat.example',
      WeChatServerToken: 'token',
      PhoneLoginEnabled: 'true',
    });
    const calls = createApi(site.api.deps).routes.filter(
      ({ method, path }) => leastOf(method, path) === 'guest',
    );
    expect(calls.length).toBeGreaterThan(40);
    const counted = await countedBy(async () => {
      for (const { method, path } of calls) {
        const ip = `198.51.101.${++visitors % 250}`;
        const address = path.replace(':provider', 'github').replace(/:\w+/g, '1');
        // What such a page loads brings no cookies of ours.
        const ask = (headers: Record<string, string>, body?: string) =>
          site.api.guest({ ip }).call(method, address, body, headers);
        // Without asking first, a browser sends no body at all or a form.
        await ask(ELSEWHERE);
        if (method === 'GET') for (const headers of FOREIGN.slice(1)) await ask(headers);
        else await ask({ ...ELSEWHERE, 'content-type': FORM }, 'client_id=x&client_secret=y');
      }
    });
    expect(counted.filter((name) => !name.endsWith(':elsewhere'))).toEqual([]);
    expect(counted).toContain('api:address:elsewhere');
  });

  it('is not taken for ours where our own, without scripts, signs somebody in', async () => {
    const headers = { ...BROWSER, origin: OWN, host: new URL(OWN).host };
    const body = new URLSearchParams({ username: 'nobody', password: 'x', agreed: 'true' });
    const ask = () => site.handle(new Request(`${site.base}/login`, { method: 'POST', headers, body }));
    const counted = await countedBy(ask);
    expect(counted).toContain('api:address');
    expect(counted.filter((name) => name.endsWith(':elsewhere'))).toEqual([]);
  });

  type CountedPage = [how: string, headers: Record<string, string>, after: string];
  it.each<CountedPage>([
    ['that a page of another site has loaded', ELSEWHERE, ':elsewhere'],
    ['that it shows in a frame', { ...LINK, 'sec-fetch-dest': 'iframe' }, ':elsewhere'],
    ['to which its link leads', LINK, ':linked'],
    ['that it has fetched ahead', AHEAD, ':elsewhere'],
    ...['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name): CountedPage => {
      return [`that it has fetched ahead, as ${name} says`, { ...LINK, [name]: 'prefetch' }, ':elsewhere'];
    }),
    ['that it has drawn ahead', { ...LINK, 'sec-purpose': 'prefetch;prerender' }, ':elsewhere'],
    ['that it has loaded over plain http', BROWSER, ':elsewhere'],
    ['to which it leads there', { ...BROWSER, referer: 'http://elsewhere.example/' }, ':elsewhere'],
    ['to which he comes back there while he signs in', { ...BROWSER, cookie: FLOW }, ':linked'],
    ['of which he knows the address', { ...LINK, 'sec-fetch-site': 'none' }, ''],
    ['that our own leads to', { ...LINK, 'sec-fetch-site': 'same-origin' }, ''],
    ['that our own leads to over plain http', { ...BROWSER, referer: `${OWN}/login` }, ''],
    ['of a desktop program', { ...ELSEWHERE, 'sec-fetch-site': 'none' }, ''],
    ['of a caller that is no browser', {}, ''],
  ])('counts a page %s apart from what he opens here himself', async (_how, given, after) => {
    const headers: Record<string, string> = {
      ...given,
      'x-forwarded-for': `198.51.100.${++visitors}`,
      host: new URL(OWN).host,
    };
    const ask = (path: string) => site.handle(new Request(site.base + path, { headers }));
    expect(await countedBy(() => ask('/nowhere'))).toEqual([`pages${after}`]);
    expect(await countedBy(() => ask('/terms/terms-of-service.html'))).toContain(`kept-pages${after}`);
  });
});
