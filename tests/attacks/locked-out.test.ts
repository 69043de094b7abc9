/** Keeping somebody out of his own account by being wrong in his name; and what is left to who really guesses. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { secretText } from '../../src/core/ids.ts';
import { limits } from '../../src/core/limits.ts';
import { nowSec } from '../../src/core/time.ts';
import { type Answer, type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../support/api.ts';
import { patience } from '../support/patience.ts';
import { totpCode } from '../support/totp.ts';

const TRIES = 4;

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  await api.deps.options.set({
    CriticalRateLimitCount: String(TRIES),
    ApiRateLimitAddress: '100000',
    PhoneLoginEnabled: 'true',
    'sms.provider': 'log',
    TelegramOAuthEnabled: 'true',
    TelegramBotName: 'gate_bot',
    TelegramBotToken: '4242:AAtest-token_of-the-bot',
    WeChatAuthEnabled: 'true',
    WeChatServerAddress: 'https://wechat.example',
    WeChatServerToken: 'token',
    GitHubOAuthEnabled: 'true',
    GitHubClientId: 'id',
    GitHubClientSecret: 'secret',
  });
});
afterAll(() => api.close());

let networks = 0;
/** An address in a network that nobody has used yet. */
const newAddress = (): string => `198.${18 + (++networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}`;
const stranger = (ip = newAddress()): Client => api.guest({ ip, locale: 'en' });

const guess = (client: Client, username: string, password = 'Wrong0000') =>
  client.post('/api/user/login', { username, password });
const logIn = (client: Client, { username }: TestUser) => guess(client, username, PASSWORD);

/** Somebody who has signed in with his browser, and left. */
async function owner(ip = newAddress()) {
  const user = await api.createUser();
  const browser = stranger(ip);
  await browser.login(user.username);
  await browser.get('/api/user/logout');
  browser.cookies.delete('session');
  browser.userId = null;
  return { user, browser, ip };
}

/** Wrong passwords from so many networks, one after the other in each. */
async function flood(username: string, from: number, each = TRIES): Promise<void> {
  for (let n = 0; n < from; n++) {
    const client = stranger();
    for (let i = 0; i < each; i++) await guess(client, username);
  }
}

describe('wrong passwords in his name', () => {
  it('from another network do not keep him out of a browser that nobody knows', async () => {
    const user = await api.createUser();
    await flood(user.username, 1, TRIES + 2);
    expect((await logIn(stranger(), user)).success).toBe(true);
  });

  it('in a browser of his, by whoever has a copy of its marks, leave him what strangers have', async () => {
    const { user, browser } = await owner();
    const thief = stranger();
    thief.cookies.set('known', browser.cookies.get('known') ?? '');
    for (let n = 0; n < TRIES; n++) await guess(thief, user.username);
    expect((await logIn(browser, user)).success).toBe(true);
  });

  it('from many networks do not either', async () => {
    const user = await api.createUser();
    await flood(user.username, 12);
    expect((await logIn(stranger(), user)).success).toBe(true);
  });

  it('from his own network do not keep him out of his own browser', async () => {
    const { user, browser, ip } = await owner();
    const attacker = stranger(ip);
    for (let n = 0; n < TRIES * 8; n++) await guess(attacker, user.username);
    expect((await logIn(attacker, user)).status).toBe(429);
    expect((await logIn(browser, user)).success).toBe(true);
  });

  it('do keep who sits where root was once, and is no more', async () => {
    const ip = newAddress();
    await stranger(ip).login('root');
    const elsewhere = newAddress();
    await stranger(elsewhere).login('root');
    await api.deps.db.query(`update sessions set seen_at = 1, created_at = 1 where ip = '${ip}'`);
    await flood('root', 12);
    await guess(stranger(ip), 'root');
    expect((await guess(stranger(ip), 'root', PASSWORD)).status).toBe(429);
  });

  it('at other names from his own network do not keep him out of his own browser', async () => {
    const { user, browser, ip } = await owner();
    for (let n = 0; n < TRIES * 8; n++) await guess(stranger(ip), `nobody${n}`);
    expect((await logIn(browser, user)).success).toBe(true);
  });

  it('do not keep root out where he has a session, without any cookie', async () => {
    const ip = newAddress();
    await stranger(ip).login('root');
    await flood('root', 12);
    // A slip of his own does not slow him either.
    await guess(stranger(ip), 'root');
    expect((await guess(stranger(ip), 'root', PASSWORD)).success).toBe(true);
  });

  it(
    'all at once do not fill the line for passwords before him',
    async () => {
      const { user, browser } = await owner();
      const flooding = Array.from({ length: 120 }, (_, n) => guess(stranger(), `somebody${n}`));
      const entered = await logIn(browser, user);
      expect(entered.success).toBe(true);
      await Promise.all(flooding);
    },
    patience(120_000),
  );

  it(
    'from one holder of many small networks do not fill it before a stranger',
    async () => {
      const user = await api.createUser();
      const attackers = Array.from({ length: 60 }, (_, n) => stranger(`2001:db8:77:${n.toString(16)}::1`));
      const flooding = attackers.map((client, n) => guess(client, `someone${n}`));
      expect((await logIn(stranger(), user)).success).toBe(true);
      await Promise.all(flooding);
    },
    patience(120_000),
  );

  it('do not keep him from proving himself in his session', async () => {
    const { user } = await owner();
    const session = await api.as(user, { ip: newAddress() });
    await flood(user.username, 3);
    expect((await session.post('/api/user/confirm', { password: PASSWORD })).success).toBe(true);
  });

  it('nor do right ones, proved over and over in one session, keep strangers from the hashes', async () => {
    const { user } = await owner();
    const session = await api.as(user, { ip: newAddress() });
    for (let n = 0; n < limits.reauthenticationsOfSession; n++) {
      expect((await session.post('/api/user/confirm', { password: PASSWORD })).success).toBe(true);
    }
    const later = await session.post('/api/user/confirm', { password: PASSWORD });
    expect(later.status).toBe(429);
    expect(Number(later.headers.get('retry-after'))).toBeGreaterThan(2);
    // Elsewhere he is not hindered by it.
    const other = await api.as(user, { ip: newAddress() });
    expect((await other.post('/api/user/confirm', { password: PASSWORD })).success).toBe(true);
  });

  it('in a stolen session do not keep him from signing in', async () => {
    const { user, browser } = await owner();
    const thief = await api.as(user, { ip: newAddress() });
    for (let n = 0; n < TRIES * 2; n++) await thief.post('/api/user/confirm', { password: 'Wrong0000' });
    expect((await logIn(browser, user)).success).toBe(true);
    expect((await logIn(stranger(), user)).success).toBe(true);
  });
});

describe('wrong codes in his name', () => {
  const protect = async (user: TestUser): Promise<string> => {
    const client = await api.as(user, { ip: newAddress() });
    const { secret } = (await client.post('/api/user/2fa/setup')).data;
    await client.post('/api/user/2fa/enable', { code: totpCode(secret) });
    await api.deps.db.query(`update second_factors set last_step = 0 where user_id = ${user.id}`);
    return secret;
  };

  it('of the second factor, by who has his password, do not keep him out of his own browser', async () => {
    const { user, browser } = await owner();
    const secret = await protect(user);
    const enter = async (client: Client, code: string) => {
      await logIn(client, user);
      return client.post('/api/user/login/2fa', { code });
    };
    // He has signed in with it since he turned it on.
    expect((await enter(browser, totpCode(secret))).success).toBe(true);
    await api.deps.db.query(`update second_factors set last_step = 0 where user_id = ${user.id}`);
    for (let n = 0; n < TRIES + 2; n++) await enter(stranger(), '000000');
    expect((await enter(browser, totpCode(secret))).success).toBe(true);
  });

  it('of the second factor are his no more where somebody was in before it was turned on', async () => {
    const user = await api.createUser();
    // Who has his password has signed in with many browsers.
    const thieves = Array.from({ length: 4 }, () => stranger());
    for (const thief of thieves) {
      await thief.login(user.username);
      thief.cookies.delete('session');
    }
    await protect(user);
    const codes: (string | undefined)[] = [];
    for (const thief of thieves) {
      for (let n = 0; n < TRIES; n++) {
        await logIn(thief, user);
        codes.push((await thief.post('/api/user/login/2fa', { code: '000000' })).code);
      }
    }
    expect(codes.filter((code) => code === 'CODE_WRONG')).toHaveLength(TRIES);
    expect(codes.at(-1)).toBe('RATE_LIMIT');
  });

  it('of the second factor stay his own in the browser that turned it on', async () => {
    const { user, browser } = await owner();
    await logIn(browser, user);
    browser.userId = user.id;
    const { secret } = (await browser.post('/api/user/2fa/setup')).data;
    expect((await browser.post('/api/user/2fa/enable', { code: totpCode(secret) })).success).toBe(true);
    await api.deps.db.query(`update second_factors set last_step = 0 where user_id = ${user.id}`);
    for (let n = 0; n < TRIES + 2; n++) {
      const thief = stranger();
      await logIn(thief, user);
      await thief.post('/api/user/login/2fa', { code: '000000' });
    }
    browser.cookies.delete('session');
    browser.userId = null;
    await logIn(browser, user);
    expect((await browser.post('/api/user/login/2fa', { code: totpCode(secret) })).success).toBe(true);
  });

  it('of the second factor are few in a day, from wherever they come', async () => {
    const { user } = await owner();
    await protect(user);
    await api.deps.options.set({ CriticalRateLimitCount: '1000' });
    try {
      const codes: (string | undefined)[] = [];
      for (let n = 0; n < limits.factorTriesADay + 10; n++) {
        const thief = stranger();
        await logIn(thief, user);
        codes.push((await thief.post('/api/user/login/2fa', { code: '000000' })).code);
      }
      expect(codes.filter((code) => code === 'CODE_WRONG')).toHaveLength(limits.factorTriesADay);
    } finally {
      await api.deps.options.set({ CriticalRateLimitCount: String(TRIES) });
    }
  });

  it('are not his wrong passwords, and those are no wrong codes', async () => {
    const user = await api.createUser();
    const secret = await protect(user);
    const client = stranger();
    for (let n = 0; n < TRIES - 1; n++) await guess(client, user.username);
    await logIn(client, user);
    for (let n = 0; n < TRIES - 1; n++) await client.post('/api/user/login/2fa', { code: '000000' });
    expect((await client.post('/api/user/login/2fa', { code: totpCode(secret) })).success).toBe(true);
  });

  it('of his phone do not use up the code that he was sent', async () => {
    const phone_number = '13912345678';
    await api.createUser({ username: 'phoned' });
    await api.deps.db.query("update users set phone = '13912345678' where username = 'phoned'");
    const { issueCode } = await import('../../src/modules/auth/codes.ts');
    const flowId = secretText(256);
    const code = await issueCode(api.deps, { channel: 'phone', subject: phone_number, flowId });
    const wrong = code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 3; n++) {
      const thief = stranger();
      for (let i = 0; i < 5; i++) await thief.post('/api/user/login/mobile', { phone_number, code: wrong });
    }
    const browser = stranger();
    browser.cookies.set('visit', flowId);
    expect((await browser.post('/api/user/login/mobile', { phone_number, code })).success).toBe(true);
  });
});

describe('what a neighbour is wrong with on purpose keeps nobody else out behind his address:', () => {
  /** More than a network may be wrong with what can be guessed. */
  const MANY = TRIES * limits.attemptsOfNetwork + 1;
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const text = 'A'.repeat(43);
  const proof = { clientDataJSON: text, authenticatorData: text, signature: text };

  it.each<[string, string, (client: Client) => Promise<Answer>]>([
    [
      'codes that were not sent to him',
      'CODE_WRONG',
      (client) => client.post('/api/user/login/mobile', { phone_number: '13900000000', code: '1' }),
    ],
    ['states of third parties', 'OAUTH_STATE', (client) => client.get('/api/oauth/github?code=x&state=y')],
    ['states of frames of WeChat', 'OAUTH_STATE', (client) => client.get('/api/oauth/wechat?code=x&state=y')],
    [
      'signatures of Telegram',
      'TELEGRAM_PROOF',
      (client) => client.get(`/api/oauth/telegram/login?id=1&auth_date=${nowSec()}&hash=${'0'.repeat(64)}`),
    ],
    [
      'proofs of passkeys',
      'PASSKEY_FAILED',
      (client) =>
        client.post('/api/user/login/passkey', {
          response: { id: text, rawId: text, type: 'public-key', response: proof },
        }),
    ],
    [
      'tokens of frames',
      'EMBED_TOKEN',
      (client) =>
        client.call('POST', '/api/oauth/embed_session', { token: 'x' }, { 'sec-fetch-site': 'same-origin' }),
    ],
    [
      'secrets of applications',
      'invalid_client',
      (client) => client.call('POST', '/api/oauth/token', 'client_id=app_x&client_secret=oas_x', FORM),
    ],
    [
      'answers to captchas that nobody was shown',
      'CAPTCHA_WRONG',
      (client) => client.post('/api/captcha/check', { captcha_key: 'x', position: { x: 1, y: 1 } }),
    ],
  ])('%s', async (_what, refusal, wrong) => {
    const ip = newAddress();
    const neighbour = stranger(ip);
    for (let n = 0; n < MANY; n++) await wrong(neighbour);
    expect((await wrong(stranger(ip))).text).toContain(`"${refusal}"`);
  });

  it('codes of quota, in an account of his', async () => {
    const ip = newAddress();
    const redeem = (client: Client) => client.post('/api/user/topup', { key: 'of-nobody' });
    const [neighbour, other] = [
      await api.as(await api.createUser(), { ip }),
      await api.as(await api.createUser(), { ip }),
    ];
    for (let n = 0; n < TRIES; n++) await redeem(neighbour);
    expect([(await redeem(neighbour)).code, (await redeem(other)).code]).toEqual([
      'RATE_LIMIT',
      'REDEMPTION_INVALID',
    ]);
  });
});

describe('what a neighbour begins shuts nothing for anybody else behind his address:', () => {
  it.each<[string, (client: Client) => Promise<Answer>]>([
    ['third parties', (client) => client.post('/api/oauth/github/start')],
    ['frames of WeChat', (client) => client.get('/api/oauth/wechat')],
    ['passkeys', (client) => client.post('/api/user/login/passkey/begin')],
    ['captchas', (client) => client.get('/api/captcha')],
    ['requests of applications', (client) => client.post('/api/request_bind')],
  ])('%s, more than anybody has of his own', async (_what, begin) => {
    const { user, browser, ip } = await owner();
    const session = await api.as(user, { ip });
    const neighbour = stranger(ip);
    await Promise.all(Array.from({ length: limits.begunOfOne + 1 }, () => begin(neighbour)));
    const after: [string, number][] = [];
    for (const [who, client] of Object.entries({ browser, session, new: stranger(ip) }))
      after.push([who, (await begin(client)).status]);
    expect(after.filter(([, status]) => status !== 200)).toEqual([]);
  });

  it('calls, for a browser that was signed in before', async () => {
    const { user, browser, ip } = await owner();
    const neighbour = stranger(ip);
    await api.deps.options.set({ ApiRateLimitAddress: '3' });
    try {
      for (let n = 0; n < 4; n++) await neighbour.get('/api/status');
      expect((await logIn(stranger(ip), user)).status).toBe(429);
      expect((await logIn(browser, user)).success).toBe(true);
    } finally {
      await api.deps.options.set({ ApiRateLimitAddress: '100000' });
    }
  });
});

describe('who really guesses', () => {
  it('has one counter for name, mail and phone of an account', async () => {
    const user = await api.createUser();
    await api.deps.db.query(
      `update users set email = 'one@mail.example', phone = '13800000001' where id = ${user.id}`,
    );
    const client = stranger();
    for (const name of [user.username, 'one@mail.example', '13800000001']) {
      for (let n = 0; n < 2; n++) await guess(client, name);
    }
    for (const name of [user.username, 'one@mail.example', '13800000001']) {
      expect((await guess(client, name, PASSWORD)).success).toBe(false);
    }
  });

  it('does not learn from refusals which names exist, or are of one account', async () => {
    const user = await api.createUser();
    await api.deps.db.query(`update users set email = 'two@mail.example' where id = ${user.id}`);
    const told = async (names: readonly string[]) => {
      const client = stranger();
      const answers: string[] = [];
      for (const name of names) {
        for (let n = 0; n < TRIES + 2; n++) answers.push((await guess(client, name)).code ?? '');
      }
      return answers;
    };
    expect(await told([user.username, 'two@mail.example'])).toEqual(
      await told(['nobody-there', 'nobody@mail.example']),
    );
  });

  it('waits longer in each network, the more was wrong at the account from all', async () => {
    const user = await api.createUser();
    await flood(user.username, 20, 1);
    const client = stranger();
    expect((await guess(client, user.username)).code).toBe('LOGIN_WRONG');
    const second = await guess(client, user.username);
    expect(second.status).toBe(429);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(10);
  });

  it('has no more networks than a large one around them', async () => {
    const user = await api.createUser();
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < TRIES * 8 + 4; n++) {
      codes.push((await guess(stranger(`2001:db8:99:${n.toString(16)}::1`), user.username)).code);
    }
    expect(codes.at(-1)).toBe('RATE_LIMIT');
  });

  it.each([
    ['another account’s', (mine: string) => mine],
    ['a forged', (mine: string) => mine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['a senseless', () => `${'1.'.repeat(50)}~~~`],
  ])('gets no counter of his own by %s mark of a browser', async (_which, made) => {
    const victim = await owner();
    const other = await owner();
    const mark = _which === 'a forged' ? victim.browser : other.browser;
    const attacker = stranger();
    attacker.cookies.set('known', made(mark.cookies.get('known') ?? ''));
    for (let n = 0; n < TRIES; n++) await guess(attacker, victim.user.username);
    expect((await logIn(attacker, victim.user)).status).toBe(429);
  });

  it('loses the counters that he made while he knew the password', async () => {
    const { user, browser } = await owner();
    const session = await api.as(user, { ip: newAddress() });
    const changed = { password: 'Changed0word', original_password: PASSWORD };
    expect((await session.put('/api/user/self', changed)).success).toBe(true);
    const client = stranger();
    client.cookies.set('known', browser.cookies.get('known') ?? '');
    for (let n = 0; n < TRIES; n++) await guess(client, user.username);
    expect((await guess(client, user.username, 'Changed0word')).status).toBe(429);
    // The browser that changed it is known still.
    const own = stranger(String(client.headers['x-forwarded-for']));
    own.cookies.set('known', session.cookies.get('known') ?? '');
    expect((await guess(own, user.username, 'Changed0word')).success).toBe(true);
  });
});

it('the counters are few, whatever is tried', async () => {
  expect(root.userId).not.toBeNull();
  const client = stranger();
  const taken: string[] = [];
  const { takeAll } = api.deps.limiter;
  api.deps.limiter.takeAll = (rules) => {
    taken.push(...rules.map(({ key }) => key));
    return takeAll(rules);
  };
  try {
    await guess(client, 'x'.repeat(1_000));
  } finally {
    api.deps.limiter.takeAll = takeAll;
  }
  expect(taken.length).toBeWithin(1, 11);
  expect(taken.every((key) => key.length < 150)).toBe(true);
});
