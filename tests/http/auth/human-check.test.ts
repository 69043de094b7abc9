import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { sha256 } from '../../../src/platform/secrets.ts';
import { type Answer, openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import {
  type HumanCheckServer,
  humanCheckOptions,
  startHumanCheckServer,
} from '../../support/human-check-server.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

let api: TestApi;
let checker: HumanCheckServer;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  checker = startHumanCheckServer();
  api = await openApi('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
  await api.createUser({ username: 'una' });
});
afterAll(async () => {
  await api.close();
  await checker.close();
  await mail.close();
});
beforeEach(() => {
  checker.answerWith(undefined);
  return api.deps.options.set({
    ...humanCheckOptions(checker),
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    ServerAddress: 'https://gate.example',
  });
});

let people = 0;
/** Everybody comes from an address of his own. */
const stranger = (locale: 'zh' | 'en' = 'en') => api.guest({ ip: `198.51.100.${++people % 250}`, locale });

/** Every call that asks for a human, and for what its token must have been earned. */
const calls: Record<
  string,
  { action: string; make: (token?: string, client?: ReturnType<typeof stranger>) => Promise<Answer> }
> = {
  'POST /api/user/login': {
    action: 'login',
    make: (token, client = stranger()) =>
      client.post(`/api/user/login${queryOf({ turnstile: token })}`, { username: 'una', password: PASSWORD }),
  },
  'POST /api/user/register': {
    action: 'register',
    make: (token, client = stranger()) =>
      client.post(`/api/user/register${queryOf({ turnstile: token })}`, {
        username: `human${++people}`,
        password: PASSWORD,
        password2: PASSWORD,
      }),
  },
  'GET /api/verification': {
    action: 'register',
    make: (token, client = stranger()) =>
      client.get(`/api/verification${queryOf({ email: `human${++people}@example.com`, turnstile: token })}`),
  },
  'GET /api/reset_password': {
    action: 'reset',
    make: (token, client = stranger()) =>
      client.get(
        `/api/reset_password${queryOf({ email: `human${++people}@example.com`, turnstile: token })}`,
      ),
  },
};
const queryOf = (fields: Record<string, string | undefined>): string =>
  `?${new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))}`;

const about = ({ status, success, code }: Answer) => ({ status, success, code });
const FAILED = { status: 200, success: false, code: 'HUMAN_CHECK_FAILED' };
const AWAY = { status: 503, success: false, code: 'HUMAN_CHECK_AWAY' };

describe.each(Object.entries(calls))('%s', (_name, { action, make }) => {
  it('lets pass who brings a token of its own, once', async () => {
    const token = checker.give({ hostname: 'gate.example', action });
    expect((await make(token)).message).toBe('');
    expect(checker.asked.at(-1)).toEqual({
      secret: 'human-secret',
      response: token,
      remoteip: expect.stringMatching(/^198\.51\.100\.\d+$/),
    });
    const times = checker.asked.length;
    expect(about(await make(token))).toEqual(FAILED);
    expect(checker.asked).toHaveLength(times);
  });

  it('asks who brings none to wait, in both languages', async () => {
    for (const token of [undefined, '']) {
      expect((await make(token)).message).toBe(
        'Retry in a few seconds, Turnstile is checking the user environment',
      );
      expect((await make(token, stranger('zh'))).message).toBe('请稍后几秒重试，Turnstile 正在检查用户环境');
    }
  });

  it('refuses a token that was made up, earned at another site or for another thing', async () => {
    expect(about(await make('made-up'))).toEqual(FAILED);
    // Nothing is kept of it: guests can make up as many as there is room for the tokens of all.
    expect(await api.deps.oneTime.get(`human:${sha256('made-up')}`)).toBeNull();
    expect(about(await make(checker.give({ hostname: 'evil.example', action })))).toEqual(FAILED);
    expect(about(await make(checker.give({ hostname: 'gate.example', action: 'other' })))).toEqual(FAILED);
    expect((await make(checker.give({ action: 'other' }), stranger('zh'))).message).toBe(
      'Turnstile 校验失败，请重试',
    );
    expect((await make(checker.give())).success).toBe(true);
  });

  it.each<[string, () => Response]>([
    ['fails', () => new Response('no', { status: 502 })],
    ['answers what is no verdict', () => Response.json({ success: 'true' })],
    ['sends somewhere else', () => Response.redirect('http://127.0.0.1:1/', 307)],
    [
      'does not know our secret',
      () => Response.json({ success: false, 'error-codes': ['invalid-input-secret'] }),
    ],
    ['has a fault of its own', () => Response.json({ success: false, 'error-codes': ['internal-error'] })],
  ])('lets nobody pass while the server %s', async (_what, answer) => {
    checker.answerWith(answer);
    const refused = await make(checker.give());
    expect(about(refused)).toEqual(AWAY);
    expect(refused.message).toBe('The human check is temporarily unavailable, please try again later');
  });

  it('lets nobody pass while the server cannot be reached, and everybody when the check is off', async () => {
    await api.deps.options.set({ TurnstileVerifyURL: 'http://127.0.0.1:1/siteverify' });
    expect(about(await make(checker.give()))).toEqual(AWAY);
    await api.deps.options.set({ TurnstileCheckEnabled: 'false' });
    expect((await make()).success).toBe(true);
  });
});

describe('the human check', () => {
  it('takes one of many calls that race with one token', async () => {
    const token = checker.give();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => calls['POST /api/user/login']?.make(token)),
    );
    expect(answers.filter((one) => one?.success)).toHaveLength(1);
    expect(answers.filter((one) => one?.code === 'HUMAN_CHECK_FAILED')).toHaveLength(9);
  });

  it('waits five seconds for the verdict, no longer', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    checker.answerWith(() => promise);
    const start = performance.now();
    expect((await calls['POST /api/user/login']?.make(checker.give()))?.code).toBe('HUMAN_CHECK_AWAY');
    expect(performance.now() - start).toBeWithin(4_500, 9_000);
    resolve(new Response());
  });

  it('is made before the password is looked at: without it nothing can be guessed', async () => {
    const client = stranger();
    const wrong = await client.post('/api/user/login', { username: 'una', password: 'Wrong0000' });
    expect(wrong.code).toBe('HUMAN_CHECK_NEEDED');
  });

  it('is told by the status, and cannot be turned on without its keys', async () => {
    const root = await api.root();
    const flag = async () => (await stranger().get('/api/status')).data.turnstile_check;
    expect(await flag()).toBe(true);
    expect((await stranger().get('/api/status')).data.turnstile_site_key).toBe('site-key');
    await api.deps.options.reset(['TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey']);
    expect(await flag()).toBe(false);
    const refused = await root.put('/api/option/', { key: 'TurnstileCheckEnabled', value: 'true' });
    expect(refused.code).toBe('OPTION_NEEDS');
    expect(refused.message).toContain('Turnstile 站点密钥、Turnstile 私密密钥');
    // However it came to be on: without keys nobody could ever pass.
    await api.deps.options.set({ TurnstileCheckEnabled: 'true' });
    expect(await flag()).toBe(false);
    expect((await calls['POST /api/user/login']?.make())?.success).toBe(true);
    expect(JSON.stringify((await stranger().get('/api/status')).data)).not.toContain('human-secret');
  });
});
