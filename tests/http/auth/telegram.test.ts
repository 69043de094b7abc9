/** Signing in with what Telegram's widget says of somebody, and binding it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import { nowSec } from '../../../src/core/time.ts';
import { asDemo, type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const TOKEN = '4242:AAtest-token_of-the-bot';

/** As Telegram signs: every field but the hash, sorted, under the hash of the bot's token. */
function signed(fields: Record<string, string>, token = TOKEN): Record<string, string> {
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('\n');
  const key = createHash('sha256').update(token).digest();
  return { ...fields, hash: createHmac('sha256', key).update(text).digest('hex') };
}

let people = 0;
const someoneAtTelegram = (given: Record<string, string> = {}): Record<string, string> => ({
  id: String(7_000_000_000 + ++people),
  first_name: 'Ann',
  last_name: '李',
  username: `ann${people}`,
  photo_url: 'https://t.me/i/userpic/320/a.jpg',
  auth_date: String(nowSec()),
  ...given,
});

const pathOf = (call: 'login' | 'bind', fields: Record<string, string>) =>
  `/api/oauth/telegram/${call}?${new URLSearchParams(fields)}`;

describe.each(callEngines)('signing in with Telegram on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  beforeEach(() =>
    api.deps.options.set({
      TelegramOAuthEnabled: 'true',
      TelegramBotName: 'gate_bot',
      TelegramBotToken: TOKEN,
      RegisterEnabled: 'true',
      SelfUseModeEnabled: 'false',
    }),
  );

  let addresses = 0;
  const stranger = (locale: 'zh' | 'en' = 'en') => api.guest({ ip: `203.0.113.${++addresses}`, locale });
  const login = (fields: Record<string, string>, client = stranger()) => client.get(pathOf('login', fields));
  const telegramIdOf = async (client: Client): Promise<string> =>
    (await client.get('/api/user/self')).data.telegram_id;
  const member = async (locale: 'zh' | 'en' = 'en'): Promise<[Client, TestUser]> => {
    const user = await api.createUser();
    return [await api.as(user, { ip: `198.51.100.${++addresses}`, locale }), user];
  };

  it('makes an account by the number that never changes, and opens the same one ever after', async () => {
    const fields = someoneAtTelegram();
    const client = stranger();
    const first = await login(signed(fields), client);
    expect(first.data).toMatchObject({
      username: expect.stringMatching(/^tg_[a-z0-9]{9}$/),
      display_name: 'Ann 李',
      role: 1,
    });
    client.userId = first.data.id;
    expect((await client.get('/api/user/self')).data).toMatchObject({
      telegram_id: fields.id,
      id: first.data.id,
    });
    const renamed = { ...fields, username: 'somebody', first_name: 'Else', auth_date: String(nowSec() - 1) };
    expect((await login(signed(renamed))).data.id).toBe(first.data.id);
  });

  it('leaves the language of our page out of the signature', async () => {
    const fields = signed(someoneAtTelegram());
    expect((await login({ ...fields, lang: 'zh' })).success).toBe(true);
  });

  it('credits who invited', async () => {
    const inviter = await api.createUser();
    const [row] = await api.deps.db.query<{ aff_code: string }>('select aff_code from users where id = $1', [
      inviter.id,
    ]);
    const client = stranger();
    const { data } = await login({ ...signed(someoneAtTelegram()), aff: row?.aff_code ?? '' }, client);
    client.userId = data.id;
    expect((await client.get('/api/user/self')).data.inviter_id).toBe(inviter.id);
  });

  it('takes fields that Telegram leaves out', async () => {
    const { id = '', auth_date = '' } = someoneAtTelegram();
    expect((await login(signed({ id, auth_date }))).success).toBe(true);
  });

  it('refuses forged fields, those of another bot and an unsigned language of theirs', async () => {
    const fields = someoneAtTelegram();
    const good = signed(fields);
    const forged: Record<string, string>[] = [
      { ...good, id: '1' },
      { ...good, username: 'root' },
      { ...good, auth_date: String(nowSec() - 2) },
      { ...good, hash: '0'.repeat(64) },
      signed(fields, '4242:another-token'),
      signed(fields, ''),
      signed({ ...fields, lang: 'zh' }),
    ];
    for (const each of forged) {
      expect(await login(each, stranger('zh'))).toMatchObject({
        status: 200,
        success: false,
        code: 'TELEGRAM_PROOF',
        message: 'Telegram 登录信息无效或已过期，请重试',
      });
      expect((await login(each)).message).toBe(
        'The Telegram sign-in is not valid or has expired, please try again',
      );
    }
    expect((await login(good)).success).toBe(true);
  });

  it('refuses a value that could be read as other fields than those that were signed', async () => {
    // Telegram signed this for somebody whose name has line breaks; read otherwise it speaks of account 1.
    const mine = signed({ auth_date: String(nowSec()), first_name: 'a\nid=1\nlast_name=b', id: '99' });
    const { hash = '', auth_date = '' } = mine;
    const read = { auth_date, first_name: 'a', id: '1', last_name: 'b\nid=99', hash };
    for (const each of [mine, read]) {
      expect(await login(each)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    }
  });

  it.each([301, 3_600, -62])('refuses what was signed %p seconds ago', async (age) => {
    const fields = signed(someoneAtTelegram({ auth_date: String(nowSec() - age) }));
    expect(await login(fields)).toMatchObject({ success: false, code: 'TELEGRAM_PROOF' });
  });

  it.each([290, -50])('takes what was signed %p seconds ago', async (age) => {
    expect((await login(signed(someoneAtTelegram({ auth_date: String(nowSec() - age) })))).success).toBe(
      true,
    );
  });

  it('takes the same fields once, of many who bring them at once', async () => {
    const fields = signed(someoneAtTelegram());
    const answers = await Promise.all(Array.from({ length: 5 }, () => login(fields)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'TELEGRAM_PROOF')).toHaveLength(4);
    expect((await login({ ...fields, lang: 'en' })).code).toBe('TELEGRAM_PROOF');
  });

  it('refuses fields that are no widget’s, or not of its shape', async () => {
    const fields = signed(someoneAtTelegram());
    for (const odd of [
      { ...fields, role: '100' },
      { ...fields, id: '7x' },
      { ...fields, hash: fields.hash?.toUpperCase() ?? '' },
      { ...fields, auth_date: '' },
      { hash: fields.hash ?? '' },
    ]) {
      expect(await login(odd)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    }
    expect((await login(fields)).success).toBe(true);
  });

  it('signs nobody in by a link of another site', async () => {
    const fields = signed(someoneAtTelegram());
    const client = stranger();
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await client.call('GET', pathOf('login', fields), undefined, { 'sec-fetch-site': site });
      expect(answer).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    }
    expect(client.cookies.size).toBe(0);
    const own = await client.call('GET', pathOf('login', fields), undefined, {
      'sec-fetch-site': 'same-origin',
    });
    expect(own.success).toBe(true);
  });

  it('makes no account where registration is closed, and opens those that there are', async () => {
    const known = someoneAtTelegram();
    await login(signed(known));
    await api.deps.options.set({ RegisterEnabled: 'false' });
    expect(await login(signed(someoneAtTelegram()), stranger('zh'))).toMatchObject({
      code: 'REGISTER_CLOSED',
      message: '管理员关闭了新用户注册',
    });
    expect((await login(signed({ ...known, last_name: 'x' }))).success).toBe(true);
  });

  it('is closed to who was banned', async () => {
    const fields = someoneAtTelegram();
    const { data } = await login(signed(fields));
    await api.deps.db.query('update users set status = 2 where id = $1', [data.id]);
    const answer = await login(signed({ ...fields, last_name: 'x' }), stranger('zh'));
    expect(answer).toMatchObject({ success: false, code: 'USER_DISABLED', message: '用户已被封禁' });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it('is off unless it is switched on and whole, and the status says so', async () => {
    const status = async () => (await stranger().get('/api/status')).data;
    expect(await status()).toMatchObject({
      telegram_oauth: true,
      telegram_bot_name: 'gate_bot',
      telegram_bot_id: '4242',
    });
    expect((await stranger().get('/api/status')).text).not.toContain(TOKEN);
    await api.deps.options.set({ TelegramOAuthEnabled: 'false' });
    expect(await status()).toMatchObject({ telegram_oauth: false });
    expect(await login(signed(someoneAtTelegram()), stranger('zh'))).toMatchObject({
      success: false,
      code: 'OAUTH_OFF',
      message: '管理员未开启通过 Telegram 登录以及注册',
    });
    await api.deps.options.set({ TelegramOAuthEnabled: 'true', TelegramBotToken: '' });
    expect(await status()).toMatchObject({ telegram_oauth: false, telegram_bot_id: '' });
    // Anybody can sign with no key at all.
    expect((await login(signed(someoneAtTelegram(), ''))).code).toBe('OAUTH_OFF');
  });

  it('cannot be switched on without a bot', async () => {
    await api.deps.options.reset(['TelegramOAuthEnabled', 'TelegramBotName', 'TelegramBotToken']);
    const root = await api.root();
    const turnOn = () => root.put('/api/option/', { key: 'TelegramOAuthEnabled', value: 'true' });
    expect(await turnOn()).toMatchObject({
      success: false,
      code: 'OPTION_NEEDS',
      message: '无法启用“允许通过 Telegram 登录”，请先设置：Telegram Bot 名称、Telegram 机器人令牌',
    });
    expect(await root.put('/api/option/', { key: 'TelegramBotToken', value: 'no token' })).toMatchObject({
      success: false,
      code: 'OPTION_INVALID',
    });
    await root.put('/api/option/', { key: 'TelegramBotName', value: 'gate_bot' });
    await root.put('/api/option/', { key: 'TelegramBotToken', value: TOKEN });
    expect((await turnOn()).success).toBe(true);
  });

  describe('binding it', () => {
    it('adds a way into the account of who is signed in', async () => {
      const [client, user] = await member();
      const fields = someoneAtTelegram();
      expect(await client.get(pathOf('bind', signed(fields)))).toMatchObject({
        success: true,
        message: 'bind',
      });
      expect(await telegramIdOf(client)).toBe(fields.id ?? '');
      expect((await login(signed({ ...fields, last_name: 'x' }))).data.id).toBe(user.id);
    });

    it('asks who signed in long ago to prove himself, and leaves the fields good for it', async () => {
      const [client, user] = await member();
      const path = pathOf('bind', signed(someoneAtTelegram()));
      await api.deps.db.query('update sessions set confirmed_at = confirmed_at - 700 where user_id = $1', [
        user.id,
      ]);
      expect(await client.get(path)).toMatchObject({ success: false, code: 'REAUTH_REQUIRED' });
      await api.deps.db.query('update sessions set confirmed_at = confirmed_at + 700 where user_id = $1', [
        user.id,
      ]);
      expect((await client.get(path)).success).toBe(true);
    });

    it('takes no account of Telegram that is another’s, and only one', async () => {
      const [zh] = await member('zh');
      const [en] = await member('en');
      const fields = someoneAtTelegram();
      await zh.get(pathOf('bind', signed(fields)));
      const again = (more: Record<string, string>) => pathOf('bind', signed({ ...fields, ...more }));
      expect(await en.get(again({ last_name: 'x' }))).toMatchObject({
        code: 'IDENTITY_TAKEN',
        message: 'That third-party account is bound to another user',
      });
      expect((await zh.get(again({ last_name: 'y' }))).success).toBe(true);
      expect(await zh.get(pathOf('bind', signed(someoneAtTelegram())))).toMatchObject({
        code: 'IDENTITY_OTHER',
      });
      expect(await telegramIdOf(en)).toBe('');
    });

    it('is no thing that guests, other sites or visitors of a demo cause', async () => {
      const [client] = await member();
      const path = pathOf('bind', signed(someoneAtTelegram()));
      expect(await stranger().get(path)).toMatchObject({ status: 401 });
      const foreign = { 'new-api-user': null, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      expect(await client.call('GET', path, undefined, foreign)).toMatchObject({
        status: 403,
        code: 'CROSS_SITE',
      });
      await asDemo(api, async () => {
        expect(await client.get(path)).toMatchObject({ status: 405 });
      });
      expect(await telegramIdOf(client)).toBe('');
      expect((await client.get(path)).success).toBe(true);
    });
  });
});
