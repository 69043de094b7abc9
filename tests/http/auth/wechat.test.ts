/** Signing in with a code of the site's WeChat account, in an embedded frame, and binding it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { type Answer, asDemo, type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { startWeChatServer, WECHAT_TOKEN, type WeChatServer } from '../../support/wechat-server.ts';

let server: WeChatServer;
beforeAll(() => {
  server = startWeChatServer();
});
afterAll(() => server.close());

let people = 0;
/** A code that the public account has given to somebody. */
function codeOf(openId: string): string {
  const code = `c${++people}`;
  server.codes.set(code, openId);
  return code;
}
const newOpenId = () => `oAbc-${++people}_xyz`;

describe.each(callEngines)('signing in with WeChat on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine, { PRIVATE_EGRESS: '127.0.0.0/8' });
  });
  afterAll(() => api.close());
  beforeEach(() =>
    api.deps.options.set({
      WeChatAuthEnabled: 'true',
      WeChatServerAddress: `${server.base}/`,
      WeChatServerToken: WECHAT_TOKEN,
      WeChatAccountQRCodeImageURL: `${server.base}/qr.svg`,
      RegisterEnabled: 'true',
    }),
  );
  afterEach(() => {
    server.next.length = 0;
  });

  let addresses = 0;
  const stranger = (locale: 'zh' | 'en' = 'en') => api.guest({ ip: `203.0.113.${++addresses}`, locale });
  const member = async (): Promise<[Client, TestUser]> => {
    const user = await api.createUser();
    return [await api.as(user, { ip: `198.51.100.${++addresses}`, locale: 'zh' }), user];
  };
  const stateIn = (page: Answer): string => /name="state" value="([\w-]+)"/.exec(page.text)?.[1] ?? '';
  const pathOf = (fields: Record<string, string>) => `/api/oauth/wechat?${new URLSearchParams(fields)}`;

  /** Opens the frame and sends the code from it. */
  async function login(code: string, client = stranger()): Promise<Answer> {
    const state = stateIn(await client.get('/api/oauth/wechat'));
    return client.get(pathOf({ code, state, aff: '' }));
  }

  it('shows the QR code and a box for the code on a page that runs and calls only its own', async () => {
    const zh = await stranger('zh').get('/api/oauth/wechat');
    expect(zh.status).toBe(200);
    expect(zh.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(zh.text).toContain('<html lang="zh-CN">');
    expect(zh.text).toContain(`src="${server.base}/qr.svg"`);
    expect(zh.text).toContain('使用微信扫码关注公众号');
    expect((await stranger('en').get('/api/oauth/wechat')).text).toContain('Scan with WeChat');
    const policy = (zh.headers.get('content-security-policy') ?? '').split('; ');
    const nonce = /<script nonce="([^"]+)">/.exec(zh.text)?.[1];
    expect(policy).toEqual([
      "default-src 'none'",
      `style-src 'nonce-${nonce}'`,
      `script-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      `img-src ${server.base}`,
      "frame-ancestors 'self'",
      "form-action 'none'",
      "base-uri 'none'",
    ]);
    const again = (await stranger().get('/api/oauth/wechat')).text;
    expect(again).not.toContain(nonce ?? '');
  });

  it('writes what comes from outside as text into the page', async () => {
    await api.deps.options.set({ WeChatAccountQRCodeImageURL: `${server.base}/"><script>alert(1)</script>` });
    const page = await stranger().get('/api/oauth/wechat?aff=%22%3E%3Cscript%3Ealert(2)%3C/script%3E');
    expect(page.text).not.toContain('<script>');
    expect(page.text.match(/<script/g)).toHaveLength(1);
  });

  it('asks the WeChat server with its token, and opens one account for one person', async () => {
    const openId = newOpenId();
    const client = stranger();
    server.asked.length = 0;
    const first = await login(codeOf(openId), client);
    expect(server.asked).toEqual([`/api/wechat/user?code=c${people}`]);
    expect(first.data).toMatchObject({ username: expect.stringMatching(/^wechat_[a-z0-9]{5}$/), role: 1 });
    client.userId = first.data.id;
    expect((await client.get('/api/user/self')).data.wechat_id).toBe(openId);
    expect((await login(codeOf(openId))).data.id).toBe(first.data.id);
    expect((await login(codeOf(newOpenId()))).data.id).not.toBe(first.data.id);
  });

  it('takes blanks for nobody, and around an id for nothing', async () => {
    for (const id of [' ', '\u3000\t']) expect((await login(codeOf(id))).success).toBe(false);
    const openId = newOpenId();
    const { id } = (await login(codeOf(openId))).data;
    expect((await login(codeOf(` ${openId} `))).data.id).toBe(id);
  });

  it('credits who invited', async () => {
    const inviter = await api.createUser();
    const [row] = await api.deps.db.query<{ aff_code: string }>('select aff_code from users where id = $1', [
      inviter.id,
    ]);
    const client = stranger();
    const page = await client.get(`/api/oauth/wechat?aff=${row?.aff_code}`);
    expect(page.text).toContain(`name="aff" value="${row?.aff_code}"`);
    const code = codeOf(newOpenId());
    const { data } = await client.get(pathOf({ code, state: stateIn(page), aff: row?.aff_code ?? '' }));
    client.userId = data.id;
    expect((await client.get('/api/user/self')).data.inviter_id).toBe(inviter.id);
  });

  it('refuses a code that nobody was given, a used one and none, which may be typed again', async () => {
    const client = stranger('zh');
    const state = stateIn(await client.get('/api/oauth/wechat'));
    const code = codeOf(newOpenId());
    for (const wrong of ['0000', '', '  ']) {
      expect(await client.get(pathOf({ code: wrong, state }))).toMatchObject({
        status: 200,
        code: 'CODE_WRONG',
        message: '验证码错误或已过期',
      });
    }
    expect((await client.get(pathOf({ code: ` ${code} `, state }))).success).toBe(true);
    expect((await login(code)).message).toBe('The verification code is wrong or has expired');
  });

  it('takes five wrong codes in a frame, and then wants another one', async () => {
    const client = stranger('zh');
    const state = stateIn(await client.get('/api/oauth/wechat'));
    for (let n = 0; n < 5; n++) {
      expect((await client.get(pathOf({ code: `x${n}`, state }))).code).toBe('CODE_WRONG');
    }
    server.asked.length = 0;
    const code = codeOf(newOpenId());
    expect(await client.get(pathOf({ code, state }))).toMatchObject({ status: 403, code: 'OAUTH_STATE' });
    expect(server.asked).toEqual([]);
    expect((await login(code, client)).success).toBe(true);
  });

  it('takes no more at once, and counts none that the server could not judge', async () => {
    const client = stranger();
    const state = stateIn(await client.get('/api/oauth/wechat'));
    for (let n = 0; n < 7; n++) {
      server.next.push(new Response('<html>', { status: 200 }));
      expect((await client.get(pathOf({ code: 'x', state }))).code).toBe('OAUTH_ANSWER');
    }
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, n) => client.get(pathOf({ code: `x${n}`, state }))),
    );
    expect(answers.filter(({ code }) => code === 'CODE_WRONG')).toHaveLength(5);
  });

  it('counts wrong codes by network, and stops asking after a hundred', async () => {
    const client = stranger('zh');
    expect((await login('x', client)).code).toBe('CODE_WRONG');
    const key = `critical:wechat:network:${client.headers['x-forwarded-for']}`;
    expect(await api.deps.limiter.counted(key)).toBe(1);
    await api.deps.limiter.add({ key, windowSec: 1_200 }, 99);
    server.asked.length = 0;
    expect(await login(codeOf(newOpenId()), client)).toMatchObject({
      status: 429,
      message: '请求次数过多，请稍后再试',
    });
    expect(server.asked).toEqual([]);
    // Who is known waits for none of them.
    const ip = client.headers['x-forwarded-for'];
    const neighbour = await api.as(await api.createUser(), { ip });
    const bound = await neighbour.get(`/api/oauth/wechat/bind?code=${codeOf(newOpenId())}`);
    expect(bound.success).toBe(true);
  });

  /** A browser with an account of its own. */
  const newcomer = async (ip?: string): Promise<Client> =>
    api
      .guest({ ip: ip ?? `203.0.113.${++addresses}`, locale: 'en' })
      .login((await api.createUser()).username);
  /** Guesses until it is refused; how many were heard. */
  async function guesses(client: Client, most: number): Promise<number> {
    for (let n = 0; n < most; n++) {
      const { code } = await login(`x${n}`, client);
      if (code !== 'CODE_WRONG') return code === 'RATE_LIMIT' ? n : -1;
    }
    return most;
  }
  const SITE = 'critical:wechat:site';

  it('bounds what accounts of a network guess together, and what one of them does in a day', async () => {
    await api.deps.limiter.clear(SITE);
    const [one, two] = [await newcomer(), await newcomer()];
    const ip = String(one.headers['x-forwarded-for']);
    await api.deps.limiter.add({ key: `critical:wechat:network:${ip}`, windowSec: 1_200 }, 100);
    await api.deps.limiter.add({ key: `critical:wechat:known:${ip}`, windowSec: 1_200 }, 157);
    expect(await guesses(one, 10)).toBe(3);
    expect(await guesses(await newcomer(ip), 1)).toBe(0);
    // Of the account, by all that it has, from wherever.
    const day = `critical:wechat:day:${sha256(`all-of:user:${two.userId}`)}`;
    await api.deps.limiter.add({ key: day, windowSec: 86_400 }, 98);
    two.headers['x-forwarded-for'] = ip;
    await api.deps.limiter.clear(`critical:wechat:known:${ip}`);
    expect(await guesses(two, 10)).toBe(2);
  });

  it('has each wait longer once much was guessed at the site, and hears the right ones of all others', async () => {
    await api.deps.limiter.clear(SITE);
    await api.deps.limiter.add({ key: SITE, windowSec: 3_600 }, limits.wrongOfSite + 100);
    const [guest, known] = [stranger(), await newcomer()];
    expect(await guesses(guest, 10)).toBe(1);
    // One try as the account, one as a stranger of his network.
    expect(await guesses(known, 10)).toBe(2);
    const refused = await login('x', guest);
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(60, 110);
    const ip = guest.headers['x-forwarded-for'];
    for (const client of [stranger(), await newcomer(), await newcomer(ip)])
      expect((await login(codeOf(newOpenId()), client)).success).toBe(true);
    await api.deps.limiter.clear(SITE);
  });

  it('keeps the frames that other sites open apart from those that are opened here', async () => {
    const client = stranger();
    const state = stateIn(await client.get('/api/oauth/wechat'));
    const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    const shelf = {
      key: `wechat-frame:${client.headers['x-forwarded-for']}`,
      limit: limits.begunOfNetwork,
    };
    for (let n = 1; n < limits.begunOfNetwork; n++)
      await api.deps.oneTime.put(`${shelf.key}-${n}`, '', limits.signInFlowSec, [shelf]);
    await client.call('GET', '/api/oauth/wechat', undefined, foreign);
    expect((await client.get(pathOf({ code: 'x', state }))).code).toBe('CODE_WRONG');
    await client.get('/api/oauth/wechat');
    expect((await client.get(pathOf({ code: 'x', state }))).code).toBe('OAUTH_STATE');
  });

  it('signs nobody in by a link with the code of somebody else', async () => {
    const attacker = stranger();
    const state = stateIn(await attacker.get('/api/oauth/wechat'));
    const code = codeOf(newOpenId());
    server.asked.length = 0;
    const victim = stranger('zh');
    const links: Record<string, string>[] = [
      { code },
      { code, state: '' },
      // The state is the attacker's, of his browser.
      { code, state },
    ];
    for (const fields of links) {
      expect(await victim.get(pathOf(fields))).toMatchObject({
        status: 403,
        code: 'OAUTH_STATE',
        message: '登录请求无效或已过期，请重新登录',
      });
    }
    // Also when the victim has a visit of his own.
    await victim.get('/api/oauth/wechat');
    expect(await victim.get(pathOf({ code, state }))).toMatchObject({ code: 'OAUTH_STATE' });
    expect(victim.cookies.has('session')).toBe(false);
    expect(server.asked).toEqual([]);
    expect((await attacker.get(pathOf({ code, state }))).success).toBe(true);
    // The state has served.
    expect((await attacker.get(pathOf({ code: codeOf(newOpenId()), state }))).code).toBe('OAUTH_STATE');
  });

  it('says so when the WeChat server is away, does not know us or answers something else', async () => {
    server.next.push(new Response('<html>', { status: 200 }));
    expect(await login(codeOf(newOpenId()))).toMatchObject({
      success: false,
      status: 200,
      code: 'OAUTH_ANSWER',
    });
    server.next.push(Response.json({ success: true, data: { id: 7 } }));
    expect((await login(codeOf(newOpenId()))).code).toBe('OAUTH_ANSWER');
    server.next.push(Response.redirect(`${server.base}/elsewhere`, 302));
    expect((await login(codeOf(newOpenId()))).code).toBe('OAUTH_ANSWER');
    await api.deps.options.set({ WeChatServerToken: 'an old one' });
    const refused = await login(codeOf(newOpenId()));
    expect(refused.code).toBe('OAUTH_ANSWER');
    expect(refused.text).not.toContain('an old one');
    await api.deps.options.set({ WeChatServerAddress: 'http://127.0.0.1:9' });
    expect(await login(codeOf(newOpenId()), stranger('zh'))).toMatchObject({
      code: 'OAUTH_UNREACHABLE',
      message: '无法从微信获取用户信息：无法连接',
    });
  });

  it('is off unless it is switched on and whole, and the status says so', async () => {
    const flag = async () => (await stranger().get('/api/status')).data.wechat_login;
    expect(await flag()).toBe(true);
    await api.deps.options.set({ WeChatServerToken: '' });
    expect(await flag()).toBe(false);
    await api.deps.options.set({ WeChatAuthEnabled: 'false', WeChatServerToken: WECHAT_TOKEN });
    expect(await flag()).toBe(false);
    const [client] = await member();
    for (const answer of [
      await stranger('zh').get('/api/oauth/wechat'),
      await stranger('zh').get('/api/oauth/wechat?code=1'),
      await client.get('/api/oauth/wechat/bind'),
      await client.get('/api/oauth/wechat/bind?code=1'),
    ]) {
      expect(answer).toMatchObject({
        success: false,
        code: 'OAUTH_OFF',
        message: '管理员未开启通过微信登录以及注册',
      });
    }
    await api.deps.options.reset(['WeChatServerAddress', 'WeChatServerToken']);
    const root = await api.root();
    expect(await root.put('/api/option/', { key: 'WeChatAuthEnabled', value: 'true' })).toMatchObject({
      code: 'OPTION_NEEDS',
      message: '无法启用“允许通过微信登录”，请先设置：微信服务器地址、微信服务器访问凭证',
    });
  });

  describe('binding it', () => {
    const path = (code: string) => `/api/oauth/wechat/bind?code=${code}`;

    it('has a frame of its own, and adds a way into the account', async () => {
      const [client, user] = await member();
      const page = await client.get('/api/oauth/wechat/bind');
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
      const openId = newOpenId();
      expect(await client.get(path(codeOf(openId)))).toMatchObject({ success: true, message: 'bind' });
      expect((await client.get('/api/user/self')).data.wechat_id).toBe(openId);
      expect((await login(codeOf(openId))).data.id).toBe(user.id);
    });

    it('asks who signed in long ago to prove himself, before the code is spent', async () => {
      const [client, user] = await member();
      const code = codeOf(newOpenId());
      const age = (sec: number) =>
        api.deps.db.query('update sessions set confirmed_at = confirmed_at + $2::bigint where user_id = $1', [
          user.id,
          sec,
        ]);
      await age(-700);
      expect(await client.get(path(code))).toMatchObject({ code: 'REAUTH_REQUIRED' });
      await age(700);
      expect((await client.get(path(code))).success).toBe(true);
    });

    it('refuses a second one, in both languages', async () => {
      const user = await api.createUser();
      const [zh, en] = [await api.as(user, { locale: 'zh' }), await api.as(user, { locale: 'en' })];
      await zh.get(path(codeOf(newOpenId())));
      expect(await zh.get(path(codeOf(newOpenId())))).toMatchObject({
        code: 'IDENTITY_OTHER',
        message: '您已绑定另一个微信账户，请先解绑',
      });
      expect((await en.get(path(codeOf(newOpenId())))).message).toBe(
        'You have bound another WeChat account, please unbind it first',
      );
    });

    it('takes nobody’s WeChat account away, and counts wrong codes', async () => {
      const [owner] = await member();
      const [client] = await member();
      const openId = newOpenId();
      await owner.get(path(codeOf(openId)));
      expect(await client.get(path(codeOf(openId)))).toMatchObject({ code: 'IDENTITY_TAKEN' });
      for (let n = 0; n < 5; n++) expect((await client.get(path(`x${n}`))).code).toBe('CODE_WRONG');
      const code = codeOf(newOpenId());
      expect(await client.get(path(code))).toMatchObject({ status: 429 });
      // Nobody else's are counted by it.
      const [other] = await member();
      expect((await other.get(path(code))).success).toBe(true);
    });

    it('is no thing that guests, other sites or visitors of a demo cause', async () => {
      const [client] = await member();
      const code = codeOf(newOpenId());
      expect(await stranger().get(path(code))).toMatchObject({ status: 401 });
      const foreign = { 'new-api-user': null, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      expect(await client.call('GET', path(code), undefined, foreign)).toMatchObject({
        status: 403,
        code: 'CROSS_SITE',
      });
      await asDemo(api, async () => {
        expect(await client.get(path(code))).toMatchObject({ status: 405 });
      });
      expect((await client.get('/api/user/self')).data.wechat_id).toBe('');
    });
  });
});
