/** What a user chooses of his notifications, and trying it out. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Resolve } from '../../../src/platform/names.ts';
import { asDemo, type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { startReceivers } from './support.ts';

const DEFAULTS = {
  notify_type: 'email',
  quota_warning_threshold: 100_000,
  webhook_url: '',
  webhook_secret: '',
  webhook_secret_set: false,
  notification_email: '',
  accept_unset_model_ratio_model: false,
};

const receivers = startReceivers();

/** Names as the test's own DNS has them; each look-up takes the next list, the last one stays. */
const dns: Record<string, string[][]> = {
  'hook.test': [['127.0.0.1']],
  'inside.test': [['10.0.0.7']],
  'half.test': [['127.0.0.1', '192.168.1.1']],
};
const askers: unknown[] = [];
const resolve: Resolve = async (name, asker) => {
  askers.push(asker);
  const answers = dns[name] ?? [];
  return (answers.length > 1 ? answers.shift() : answers[0]) ?? Promise.reject(new Error('no such name'));
};

describe.each(callEngines)('notification settings on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
    await receivers.serve(api, resolve);
    await api.deps.options.set({ ServerAddress: 'https://gate.example' });
  });
  afterAll(() => api.close());

  let people = 0;
  const someone = async (locale: 'zh' | 'en' = 'en'): Promise<[Client, TestUser]> => {
    const user = await api.createUser({ quota: 600_000 });
    return [await api.as(user, { ip: `198.51.100.${++people}`, locale }), user];
  };
  const settingOf = async (client: Client) => JSON.parse((await client.get('/api/user/self')).data.setting);
  const put = (client: Client, fields: Record<string, unknown>) => client.put('/api/user/setting', fields);
  const trying = (client: Client) => client.post('/api/user/setting/test');

  it('begin with mail below the spec’s threshold, or the operator’s', async () => {
    const [client] = await someone();
    expect(await settingOf(client)).toEqual(DEFAULTS);
    await api.deps.options.set({ QuotaRemindThreshold: '777' });
    try {
      expect(await settingOf(client)).toEqual({ ...DEFAULTS, quota_warning_threshold: 777 });
    } finally {
      await api.deps.options.reset(['QuotaRemindThreshold']);
    }
  });

  it('are stored, taken back as GET gave them, and kept where null or nothing stands', async () => {
    const [client] = await someone();
    const chosen = {
      notify_type: 'webhook',
      quota_warning_threshold: 500_000,
      webhook_url: `${receivers.hook.base}/w`,
      accept_unset_model_ratio_model: true,
    };
    expect((await put(client, { ...chosen, webhook_secret: 'topsecret', role: 100, quota: 1 })).message).toBe(
      '',
    );
    const stored = await settingOf(client);
    expect(stored).toEqual({ ...DEFAULTS, ...chosen, webhook_secret_set: true });
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null]));
    for (const same of [stored, nulls, {}]) {
      expect((await put(client, same)).success).toBe(true);
      expect(await settingOf(client)).toEqual(stored);
    }
    expect((await put(client, { quota_warning_threshold: ' 250 ' })).success).toBe(true);
    expect((await settingOf(client)).quota_warning_threshold).toBe(250);
    expect((await client.get('/api/user/self')).data).toMatchObject({ role: 1, quota: 600_000 });
  });

  it('keep the secret sealed and never show it, to nobody', async () => {
    const [client, user] = await someone();
    await put(client, { webhook_secret: 'topsecret' });
    const [row] = await api.deps.db.query<{ text: string }>(
      'select setting::text as text from users where id = $1',
      [user.id],
    );
    expect(row?.text).not.toContain('topsecret');
    const sealed: string = JSON.parse(row?.text ?? '').webhook_secret_sealed;
    const root = await api.root();
    for (const answer of [
      await client.get('/api/user/self'),
      await root.get(`/api/user/${user.id}`),
      await root.get(`/api/user/search?keyword=${user.username}`),
    ]) {
      expect(answer.success).toBe(true);
      expect(answer.text).not.toContain('topsecret');
      expect(answer.text).not.toContain(sealed);
    }
  });

  it('send a secret to no other host than it was given for', async () => {
    const [zh] = await someone('zh');
    const [en] = await someone('en');
    for (const client of [zh, en])
      await put(client, { webhook_url: `${receivers.hook.base}/a`, webhook_secret: 'topsecret' });
    const moved = { webhook_url: 'https://hook.test/a', webhook_secret: '' };
    expect(await put(zh, moved)).toMatchObject({
      code: 'NOTIFY_SECRET_AGAIN',
      message: '修改 Webhook 地址时需要重新填写密钥',
    });
    expect((await put(en, moved)).message).toBe('Changing the webhook address needs the secret again');
    expect((await put(zh, { webhook_url: `${receivers.hook.base}/b` })).success).toBe(true);
    expect((await put(zh, { ...moved, webhook_secret: 'another' })).success).toBe(true);
    // Without an address there is no secret either, so that none waits for the next one.
    expect((await put(en, { webhook_url: '' })).success).toBe(true);
    expect(await settingOf(en)).toEqual(DEFAULTS);
    expect((await put(en, moved)).success).toBe(true);
  });

  it('tell the relay at once that a model without a price is accepted', async () => {
    const [client] = await someone();
    const { key } = (await client.post('/api/token/', { name: 'test', unlimited_quota: true })).data;
    const accepts = async () =>
      (await api.deps.relay.callers.find(key, { ip: '203.0.113.1', apart: '' }))?.acceptUnset;
    expect(await accepts()).toBe(false);
    await put(client, { accept_unset_model_ratio_model: true });
    expect(await accepts()).toBe(true);
  });

  it.each([[-1], [1.5], ['-5'], ['1e3'], ['many'], [''], [9_007_199_254_740_992]])(
    'refuse the threshold %p',
    async (threshold) => {
      const [zh] = await someone('zh');
      const [en] = await someone('en');
      expect(await put(zh, { quota_warning_threshold: threshold })).toMatchObject({
        status: 200,
        code: 'NOTIFY_THRESHOLD',
        message: '额度预警阈值必须是非负整数',
      });
      expect((await put(en, { quota_warning_threshold: threshold })).message).toBe(
        'The quota warning threshold must be a whole number, 0 or more',
      );
      expect(await settingOf(en)).toEqual(DEFAULTS);
    },
  );

  it.each([
    'http://hook.test/w',
    'hook.test/w',
    'ftp://hook.test/',
    'javascript:alert(1)',
    'https://',
    'https://user:pass@hook.test/',
    `https://hook.test/${'x'.repeat(490)}`,
  ])('refuse %p as a webhook', async (url) => {
    const [zh] = await someone('zh');
    const [en] = await someone('en');
    expect(await put(zh, { webhook_url: url })).toMatchObject({
      status: 200,
      code: 'NOTIFY_WEBHOOK',
      message: 'Webhook 地址必须以 https:// 开头，最多 500 个字符，且不含用户名和密码',
    });
    expect((await put(en, { webhook_url: url })).message).toBe(
      'The webhook address must begin with https://, have at most 500 characters, and hold no user name or password',
    );
  });

  it.each([
    'https://10.0.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[fe80::1]/',
    'https://167772161/',
    'https://0xa.1/',
    'https://012.0.0.1/',
  ])('refuse %p, which lies inside', async (url) => {
    const [zh] = await someone('zh');
    const [en] = await someone('en');
    expect(await put(zh, { webhook_url: url })).toMatchObject({
      code: 'NOTIFY_WEBHOOK_PRIVATE',
      message: 'Webhook 地址不能指向内网',
    });
    expect((await put(en, { webhook_url: url })).message).toBe(
      'The webhook address must not lie in a private network',
    );
  });

  it('refuse another type, and the webhook without an address', async () => {
    const [zh] = await someone('zh');
    const [en] = await someone('en');
    expect(await put(en, { notify_type: 'pigeon' })).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    expect(await put(zh, { notify_type: 'webhook' })).toMatchObject({
      code: 'NOTIFY_WEBHOOK_NEEDED',
      message: '请填写 Webhook 地址',
    });
    expect((await put(en, { notify_type: 'webhook' })).message).toBe('Please enter the webhook address');
  });

  it('take another mailbox than the account’s only with the code that went there', async () => {
    const [client, user] = await someone('zh');
    const [own, other] = [`own${user.id}@example.com`, `other${user.id}@example.com`];
    await api.deps.db.query('update users set email = $2 where id = $1', [user.id, own]);
    expect((await put(client, { notification_email: ` ${own.toUpperCase()}` })).success).toBe(true);
    expect((await settingOf(client)).notification_email).toBe(own);
    for (const notification_email_code of [undefined, null, '', '000000x']) {
      expect(await put(client, { notification_email: other, notification_email_code })).toMatchObject({
        code: 'CODE_WRONG',
        message: '验证码错误或已过期',
      });
    }
    const at = receivers.mail.mails.length;
    await client.get(`/api/verification?email=${other}`);
    const code = /\b\d{6}\b/.exec((await receivers.mail.nth(at + 1)).text ?? '')?.[0] ?? '';
    expect((await put(client, { notification_email: other, notification_email_code: code })).success).toBe(
      true,
    );
    expect((await settingOf(client)).notification_email).toBe(other);
    // What is there already needs no proof again.
    expect((await put(client, { notification_email: other, quota_warning_threshold: 1 })).success).toBe(true);
    expect((await put(client, { notification_email: '' })).success).toBe(true);
    expect((await settingOf(client)).notification_email).toBe('');
    expect((await put(client, { notification_email: 'no address' })).message).toBe('邮箱格式不正确');
  });

  it('are no thing that guests, other sites or visitors of a demo change', async () => {
    expect(await put(api.guest(), {})).toMatchObject({ status: 401 });
    const [client] = await someone();
    const foreign = { 'new-api-user': null, 'sec-fetch-site': 'cross-site' };
    expect(await client.call('PUT', '/api/user/setting', { notify_type: 'email' }, foreign)).toMatchObject({
      status: 403,
      code: 'CROSS_SITE',
    });
    await asDemo(api, async () => {
      expect(await put(client, { quota_warning_threshold: 5 })).toMatchObject({ status: 405 });
    });
  });

  describe('tried out', () => {
    it('by webhook, bring a signed and dated message with the secret as bearer', async () => {
      const [client, user] = await someone('en');
      await put(client, {
        notify_type: 'webhook',
        webhook_url: `${receivers.hook.base}/w?x=1`,
        webhook_secret: 's3cret',
      });
      expect((await trying(client)).message).toBe('');
      expect(askers.at(-1)).toEqual({ who: `user:${user.id}`, network: `198.51.100.${people}` });
      const [got] = receivers.hook.received;
      expect(got).toMatchObject({ method: 'POST', path: '/w?x=1' });
      const message = JSON.parse(got?.body ?? '');
      expect(message).toEqual({
        type: 'test',
        title: expect.stringContaining('Test notification of'),
        content: expect.stringContaining('You have $1.20 left'),
        values: [],
        timestamp: expect.any(Number),
        user_id: user.id,
        quota: 600_000,
        threshold: 100_000,
      });
      expect(message.content).toContain('https://gate.example/topup');
      expect(Math.abs(message.timestamp - Date.now() / 1000)).toBeLessThan(30);
      expect(got?.headers.get('authorization')).toBe('Bearer s3cret');
      expect(got?.headers.get('content-type')).toBe('application/json');
      expect(got?.headers.get('x-webhook-timestamp')).toBe(String(message.timestamp));
      expect(got?.headers.get('x-webhook-signature')).toBe(
        createHmac('sha256', 's3cret').update(`${message.timestamp}.${got?.body}`).digest('hex'),
      );
    });

    it('without a secret carry neither bearer nor signature', async () => {
      const [client] = await someone('zh');
      await put(client, { notify_type: 'webhook', webhook_url: `${receivers.hook.base}/` });
      expect((await trying(client)).success).toBe(true);
      const [got] = receivers.hook.received;
      expect(got?.headers.get('authorization')).toBeNull();
      expect(got?.headers.get('x-webhook-signature')).toBeNull();
      expect(JSON.parse(got?.body ?? '').title).toContain('测试通知');
    });

    it('say why nothing arrived, and nothing of what the other side said', async () => {
      const [client] = await someone('en');
      await put(client, { notify_type: 'webhook', webhook_url: `${receivers.hook.base}/` });
      receivers.hook.next.push(new Response('inner secrets', { status: 500 }));
      expect(await trying(client)).toMatchObject({
        status: 200,
        code: 'NOTIFY_UNSENT',
        message: 'The notification could not be sent: it answered with status 500',
      });
      // No redirect is followed, wherever it leads.
      receivers.hook.next.push(Response.redirect('https://10.0.0.1/', 302));
      expect((await trying(client)).message).toBe(
        'The notification could not be sent: it answered with status 302',
      );
      expect(receivers.hook.received).toHaveLength(2);
      receivers.hook.next.push(new Response('x'.repeat(200_000)));
      expect((await trying(client)).message).toBe(
        'The notification could not be sent: the answer is too large',
      );
    });

    it('do not follow a name that has moved inside since it was stored', async () => {
      dns['moving.test'] = [['127.0.0.1'], ['169.254.169.254']];
      const [client] = await someone('zh');
      // It is vouched for under another name, so that the first try already ends at the certificate.
      const url = `https://moving.test:${receivers.hook.port}/`;
      expect((await put(client, { notify_type: 'webhook', webhook_url: url })).success).toBe(true);
      expect((await trying(client)).message).toBe('通知发送失败：无法连接');
      expect((await trying(client)).message).toBe('通知发送失败：域名无法解析，或指向内网');
      expect(receivers.hook.received).toEqual([]);
    });

    it('tell a name inside from one that is not there neither when it is stored nor when it is called', async () => {
      const told = ['inside.test', 'half.test', 'nowhere.test'].map(async (name) => {
        const [client] = await someone('en');
        const stored = await put(client, { notify_type: 'webhook', webhook_url: `https://${name}/` });
        return [stored.success, (await trying(client)).message];
      });
      const reason = 'the name does not resolve, or leads into a private network';
      expect(await Promise.all(told)).toEqual(
        Array.from({ length: 3 }, () => [true, `The notification could not be sent: ${reason}`]),
      );
    });

    it('go to the checked address though the name says another one to who asks again', async () => {
      dns['hook.test'] = [['127.0.0.1'], ['10.0.0.9']];
      try {
        const [client] = await someone();
        await put(client, { notify_type: 'webhook', webhook_url: `${receivers.hook.base}/` });
        expect((await trying(client)).success).toBe(true);
        expect(receivers.hook.received).toHaveLength(1);
        expect((await trying(client)).message).toContain('private network');
        expect(receivers.hook.received).toHaveLength(1);
      } finally {
        dns['hook.test'] = [['127.0.0.1']];
      }
    });

    it('by mail, go to the notification mailbox, else to the account’s, else nowhere', async () => {
      const [client, user] = await someone('zh');
      expect(await trying(client)).toMatchObject({
        code: 'NOTIFY_NOWHERE',
        message: '请先绑定邮箱，或设置通知方式',
      });
      const own = `tried${user.id}@example.com`;
      await api.deps.db.query('update users set email = $2 where id = $1', [user.id, own]);
      const at = receivers.mail.mails.length;
      expect((await trying(client)).success).toBe(true);
      expect(await receivers.mail.nth(at + 1)).toMatchObject({
        recipients: [own],
        subject: expect.stringContaining('测试通知'),
        text: expect.stringContaining('您当前剩余额度为 ¥8.76'),
      });
      const other = `else${user.id}@example.com`;
      await api.deps.db.query(
        `update users set setting = setting || jsonb_build_object('notification_email', $2::text) where id = $1`,
        [user.id, other],
      );
      expect((await trying(client)).success).toBe(true);
      expect((await receivers.mail.nth(at + 2)).recipients).toEqual([other]);
    });

    it('are tried three times in ten minutes', async () => {
      const [client] = await someone('zh');
      await put(client, { notify_type: 'webhook', webhook_url: `${receivers.hook.base}/` });
      for (let n = 0; n < 3; n++) expect((await trying(client)).success).toBe(true);
      expect(await trying(client)).toMatchObject({ status: 429, message: '请求次数过多，请稍后再试' });
      expect(receivers.hook.received).toHaveLength(3);
    });
  });
});
