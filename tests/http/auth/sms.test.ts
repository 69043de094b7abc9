import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { givePass, passCaptcha } from '../../support/captcha.ts';
import { callEngines } from '../../support/database.ts';
import { forgetMinute, type SmsServer, startSmsServer } from '../../support/sms-server.ts';

let sms: SmsServer;
beforeAll(() => {
  sms = startSmsServer();
});
afterAll(() => sms.close());

let people = 0;
/** Someone in a network of his own, so that tests do not share their budgets. */
const strangerOf = (api: TestApi, locale: 'zh' | 'en' = 'en') =>
  api.guest({ ip: `${20 + (++people >> 8)}.${people & 255}.7.7`, locale });
const newNumber = () => `138${String(++people).padStart(8, '0')}`;

const ask = (client: Client, mobile: unknown) => client.post('/api/sms/code', { mobile });

describe.each(callEngines)('POST /api/sms/code on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    sms.isBroken = false;
    await api.deps.options.set({
      PhoneLoginEnabled: 'true',
      PhoneRegisterEnabled: 'true',
      RegisterEnabled: 'true',
      'sms.provider': 'http',
      'sms.url': sms.template,
    });
  });

  /** The answer to who has solved a captcha and asks. */
  async function askProperly(mobile: string, client = strangerOf(api)) {
    await givePass(api, client);
    return ask(client, mobile);
  }

  it('sends six digits to the number, for a captcha that was solved', async () => {
    const phone = newNumber();
    const client = strangerOf(api);
    await passCaptcha(api, client);
    const answer = await ask(client, ` ${phone} `);
    expect([answer.success, answer.message]).toEqual([true, '']);
    expect(answer.text).not.toContain(sms.codeOf(phone));
    expect(sms.codeOf(phone)).toMatch(/^\d{6}$/);
  });

  it('needs a captcha, and a new one for each code', async () => {
    const client = strangerOf(api);
    const before = sms.messages.length;
    const bare = await ask(client, newNumber());
    expect([bare.success, bare.code, bare.message]).toEqual([
      false,
      'CAPTCHA_NEEDED',
      'Please solve the slide captcha first',
    ]);
    expect((await ask(strangerOf(api, 'zh'), newNumber())).message).toBe('请先完成滑块验证');
    expect(sms.messages).toHaveLength(before);
    expect((await askProperly(newNumber(), client)).success).toBe(true);
    expect((await ask(client, newNumber())).code).toBe('CAPTCHA_NEEDED');
  });

  it('takes no pass of another network or browser, nor one pass twice at once', async () => {
    const client = strangerOf(api);
    await passCaptcha(api, client);
    const neighbour = api.guest({ ip: client.headers['x-forwarded-for'] ?? '' });
    for (const other of [strangerOf(api), neighbour]) {
      expect((await ask(other, newNumber())).code).toBe('CAPTCHA_NEEDED');
    }
    const racing = await Promise.all(Array.from({ length: 8 }, () => ask(client, newNumber())));
    expect(racing.filter(({ success }) => success)).toHaveLength(1);
  });

  it('says in both languages what is wrong with a number, before a captcha is spent', async () => {
    const client = strangerOf(api);
    await passCaptcha(api, client);
    for (const empty of ['', '  ', undefined, null]) {
      expect((await ask(client, empty)).message).toBe('Please enter phone number');
    }
    const wrong = [
      '12345678901',
      '1380013800',
      '138001380000',
      '+8613800138000',
      '23800138000',
      '13８00138000',
      'x',
    ];
    for (const number of wrong) {
      expect((await ask(client, number)).message).toBe('Please enter a correct phone number');
    }
    expect((await ask(strangerOf(api, 'zh'), '')).message).toBe('请输入手机号');
    expect((await ask(strangerOf(api, 'zh'), '1')).message).toBe('请输入正确的手机号');
    expect((await ask(client, newNumber())).success).toBe(true);
  });

  it('answers alike for a number that has an account and one that has none', async () => {
    const known = newNumber();
    const user = await api.createUser();
    await api.deps.db.query(`update users set phone = '${known}' where id = ${user.id}`);
    const one = await askProperly(known);
    const other = await askProperly(newNumber());
    expect({ ...one, headers: null }).toEqual({ ...other, headers: null });
    expect(sms.codeOf(known)).toMatch(/^\d{6}$/);
  });

  it('sends one a minute and five a day to a number for one network, the same code while it lives', async () => {
    const phone = newNumber();
    const client = strangerOf(api);
    const ip = client.headers['x-forwarded-for'];
    expect((await askProperly(phone, client)).success).toBe(true);
    const again = await askProperly(phone, client);
    expect([again.status, again.code]).toEqual([429, 'RATE_LIMIT']);
    expect(Number(again.headers.get('retry-after'))).toBeWithin(1, 61);
    // The minute is waited for by forgetting it: what is left counts days.
    const codes = new Set([sms.codeOf(phone)]);
    const statuses = [];
    for (let n = 0; n < 5; n++) {
      await forgetMinute(api, phone, ip);
      statuses.push((await askProperly(phone, client)).status);
      codes.add(sms.codeOf(phone));
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    expect(codes.size).toBe(1);
    // What he has used up is not used up for others.
    expect((await askProperly(phone)).status).toBe(200);
  });

  it('sends three a minute to a number for all networks together', async () => {
    const phone = newNumber();
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await askProperly(phone)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('sends twenty a day for one network', async () => {
    const client = strangerOf(api);
    const statuses = [];
    for (let n = 0; n < 21; n++) statuses.push((await askProperly(newNumber(), client)).status);
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
  });

  it('says clearly that the service did not send, and nothing of why', async () => {
    sms.isBroken = true;
    const answer = await askProperly(newNumber());
    expect([answer.success, answer.code, answer.message]).toEqual([
      false,
      'SMS_UNSENT',
      'The text message could not be sent, please try again later',
    ]);
    expect((await askProperly(newNumber(), strangerOf(api, 'zh'))).message).toBe('短信发送失败，请稍后再试');
  });

  it('sends nothing where no service is set, or nothing could be done with a code', async () => {
    await api.deps.options.set({ 'sms.provider': 'none' });
    const unset = await askProperly(newNumber());
    expect([unset.code, unset.message]).toEqual([
      'SMS_UNSET',
      'The administrator has not set up text messages, so none can be sent',
    ]);
    await api.deps.options.set({
      'sms.provider': 'http',
      PhoneLoginEnabled: 'false',
      RegisterEnabled: 'false',
    });
    expect((await askProperly(newNumber())).code).toBe('LOGIN_METHOD_CLOSED');
    await api.deps.options.set({ RegisterEnabled: 'true' });
    expect((await askProperly(newNumber())).success).toBe(true);
  });

  it('stops at two hundred an hour for the whole site', async () => {
    const rule = { key: 'message:phone:site:3600', limit: 200, windowSec: 3_600 };
    const { remaining } = await api.deps.limiter.peek(rule);
    await api.deps.limiter.add(rule, remaining + 1);
    const before = sms.messages.length;
    expect((await askProperly(newNumber())).status).toBe(429);
    expect(sms.messages).toHaveLength(before);
    await api.deps.limiter.clear(rule.key);
  });
});
