import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { openApi, type TestApi } from '../../../tests/support/api.ts';
import { AppError } from '../../core/errors.ts';
import { createLogger } from '../../platform/logger.ts';
import { createOutgoing } from '../../platform/outgoing.ts';
import { createSms } from './service.ts';

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
}

const PHONE = '13800138000';
const CODE = '042917';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
});
afterAll(() => api.close());

const UNSET = {
  'sms.provider': 'none',
  'sms.url': '',
  'sms.access_key': '',
  'sms.secret_key': '',
  'sms.app_id': '',
  'sms.sign_name': '',
  'sms.template': '',
};

type Settings = Partial<typeof UNSET>;

/** A message service that writes down what it is asked and answers what the test says. */
const calls: Call[] = [];
let answer: () => Response = () => new Response('ok');
let base = '';
let server: Bun.Server<undefined>;
beforeAll(() => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname: path, searchParams: query } = new URL(request.url);
      const { method, headers } = request;
      calls.push({ method, path, query, headers, body: await request.text() });
      return answer();
    },
  });
  base = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.stop(true));
beforeEach(() => {
  calls.length = 0;
  lines.length = 0;
  answer = () => new Response('ok');
});

const lines: string[] = [];

/** The service over settings; what is not given is empty. */
async function smsWith(given: Settings, SMS_URL = '') {
  const { options } = api.deps;
  await options.set({ ...UNSET, ...given });
  const log = createLogger('debug', (line) => void lines.push(line));
  return createSms({ env: { SMS_URL }, options, outgoing: createOutgoing([]), log });
}
const send = async (given: Settings, SMS_URL = '') =>
  (await smsWith(given, SMS_URL)).sendCode({ phone: PHONE, code: CODE });

const signed = {
  'sms.access_key': 'AKIDEXAMPLE',
  'sms.secret_key': 'very-secret',
  'sms.sign_name': '网关',
  'sms.template': 'SMS_123',
} as const;

async function failure(work: Promise<void>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.code : String(error);
}

describe('a service by template', () => {
  it('is asked by GET with every value encoded for an address', async () => {
    await send({
      'sms.provider': 'http',
      'sms.url': `${base}/send?to={phone}&text={sign}%20{code}`,
      'sms.sign_name': '【网&关】',
    });
    const [call] = calls;
    expect(call?.method).toBe('GET');
    expect(call?.query.get('to')).toBe(PHONE);
    expect(call?.query.get('text')).toBe(`【网&关】 ${CODE}`);
  });

  it('is sent JSON or a form, as the template is one, and keeps names that it does not know', async () => {
    const settings = {
      'sms.provider': 'http',
      'sms.url': `${base}/send`,
      'sms.sign_name': 'a "b" & c',
      'sms.access_key': 'k',
      'sms.secret_key': 's',
    } as const;
    await send({
      ...settings,
      'sms.template': '{"to":"{phone}","vars":{"code":"{code}"},"sign":"{sign}","x":"{other}"}',
    });
    await send({ ...settings, 'sms.template': 'to={phone}&sign={sign}&auth={key}:{secret}' });
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      to: PHONE,
      vars: { code: CODE },
      sign: 'a "b" & c',
      x: '{other}',
    });
    expect(calls[0]?.headers.get('content-type')).toBe('application/json');
    const form = new URLSearchParams(calls[1]?.body);
    expect([form.get('to'), form.get('sign'), form.get('auth')]).toEqual([PHONE, 'a "b" & c', 'k:s']);
    expect(calls[1]?.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
  });

  it('is that of the environment where one is named there', async () => {
    await send({ 'sms.provider': 'none' }, `${base}/env?to={phone}&code={code}`);
    await send({ 'sms.provider': 'http', 'sms.url': `${base}/option` }, `${base}/env?to={phone}`);
    expect(calls.map(({ path }) => path)).toEqual(['/env', '/env']);
  });

  it('is not followed elsewhere', async () => {
    answer = () => Response.redirect(`${base}/elsewhere?x=1`);
    expect(await failure(send({ 'sms.provider': 'http', 'sms.url': `${base}/send?c={code}` }))).toBe(
      'SMS_UNSENT',
    );
    expect(calls).toHaveLength(1);
  });
});

describe('Alibaba Cloud', () => {
  const settings = () => ({ 'sms.provider': 'aliyun', 'sms.url': base, ...signed }) as const;

  it('is asked for SendSms, signed', async () => {
    answer = () => Response.json({ Code: 'OK', Message: 'OK', BizId: '1' });
    await send(settings());
    const [call] = calls;
    expect(call?.method).toBe('POST');
    expect(Object.fromEntries(call?.query ?? [])).toEqual({
      PhoneNumbers: PHONE,
      SignName: '网关',
      TemplateCode: 'SMS_123',
      TemplateParam: `{"code":"${CODE}"}`,
    });
    expect(call?.headers.get('x-acs-action')).toBe('SendSms');
    expect(call?.headers.get('x-acs-version')).toBe('2017-05-25');
    expect(call?.headers.get('x-acs-date')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(call?.headers.get('authorization')).toMatch(
      /^ACS3-HMAC-SHA256 Credential=AKIDEXAMPLE,SignedHeaders=host;.*,Signature=[\da-f]{64}$/,
    );
    expect(call?.headers.get('host')).toBe(new URL(base).host);
  });

  it('that refuses is an error, with its reason in the log and neither number nor code', async () => {
    answer = () =>
      Response.json({ Code: `isv.BUSINESS_LIMIT_CONTROL ${PHONE} ${CODE}`, Message: `${PHONE} ${CODE}` });
    expect(await failure(send(settings()))).toBe('SMS_UNSENT');
    expect(lines.join('')).toContain('isv.BUSINESS_LIMIT_CONTROL');
    expect(lines.join('')).not.toMatch(new RegExp(`${PHONE}|${CODE}|very-secret`));
  });
});

describe('Tencent Cloud', () => {
  const settings = () =>
    ({ 'sms.provider': 'tencent', 'sms.url': base, 'sms.app_id': '1400000000', ...signed }) as const;

  it('is asked for SendSms, signed', async () => {
    answer = () => Response.json({ Response: { SendStatusSet: [{ Code: 'Ok', Message: 'send success' }] } });
    await send(settings());
    const [call] = calls;
    expect(JSON.parse(call?.body ?? '')).toEqual({
      PhoneNumberSet: [`+86${PHONE}`],
      SmsSdkAppId: '1400000000',
      SignName: '网关',
      TemplateId: 'SMS_123',
      TemplateParamSet: [CODE],
    });
    expect(call?.headers.get('x-tc-action')).toBe('SendSms');
    expect(call?.headers.get('x-tc-version')).toBe('2021-01-11');
    expect(Math.abs(Number(call?.headers.get('x-tc-timestamp')) - Date.now() / 1000)).toBeLessThan(10);
    expect(call?.headers.get('authorization')).toMatch(
      /^TC3-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{4}-\d\d-\d\d\/sms\/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=[\da-f]{64}$/,
    );
  });

  it('that refuses the call or the one number is an error', async () => {
    answer = () =>
      Response.json({ Response: { Error: { Code: 'AuthFailure.SignatureFailure', Message: '' } } });
    expect(await failure(send(settings()))).toBe('SMS_UNSENT');
    answer = () =>
      Response.json({ Response: { SendStatusSet: [{ Code: 'LimitExceeded.PhoneNumberDailyLimit' }] } });
    expect(await failure(send(settings()))).toBe('SMS_UNSENT');
    answer = () => new Response('<html>', { status: 500 });
    expect(await failure(send(settings()))).toBe('SMS_UNSENT');
    const text = lines.join('');
    expect(text).toContain('AuthFailure.SignatureFailure');
    expect(text).toContain('LimitExceeded.PhoneNumberDailyLimit');
    expect(text).toContain('status 500');
  });
});

describe('no service', () => {
  it('is none of what is not wholly set', async () => {
    for (const provider of ['none', 'http', 'aliyun', 'tencent'] as const) {
      expect((await smsWith({ 'sms.provider': provider })).isSet()).toBe(false);
    }
    expect((await smsWith({ 'sms.provider': 'tencent', ...signed })).isSet()).toBe(false);
    expect((await smsWith({ 'sms.provider': 'aliyun', ...signed })).isSet()).toBe(true);
    expect(await failure(send({ 'sms.provider': 'none' }))).toBe('SMS_UNSET');
  });

  it('that cannot be reached tells neither the number nor the code to the log', async () => {
    const gone = 'http://127.0.0.1:1/send?to={phone}&c={code}';
    expect(await failure(send({ 'sms.provider': 'http', 'sms.url': gone }))).toBe('SMS_UNSENT');
    expect(lines.join('')).toContain('unreachable');
    expect(lines.join('')).not.toMatch(new RegExp(`${PHONE}|${CODE}`));
  });
});

describe('the log of development', () => {
  it('is the one place where a code is written, and only when it is chosen', async () => {
    await send({ 'sms.provider': 'log' });
    expect(lines.join('')).toContain(CODE);
    lines.length = 0;
    await send({ 'sms.provider': 'http', 'sms.url': `${base}/send?c={code}` });
    expect(lines).toEqual([]);
  });
});
