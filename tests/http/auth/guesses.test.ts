/** Wrong tries that are sent at once count like those one after the other, by whatever call one guesses. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../../src/core/time.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const TRIES = 3;

/** One guess each, of something else every time (but for the password), so that only the address is the same. */
const guesses: Record<
  string,
  { refusal: string; guess: (client: Client, n: number) => Promise<{ code?: string }> }
> = {
  'a password': {
    refusal: 'LOGIN_WRONG',
    guess: (client, n) => client.post('/api/user/login', { username: 'nobody', password: `Passw0rd${n}` }),
  },
  'the code of a phone number': {
    refusal: 'CODE_WRONG',
    guess: (client, n) =>
      client.post('/api/user/login/mobile', { phone_number: `1390000000${n % 10}`, code: '123456' }),
  },
  'the state of a third party': {
    refusal: 'OAUTH_STATE',
    guess: (client, n) => client.get(`/api/oauth/github?code=c&state=guess${n}`),
  },
  'the state of a frame of WeChat': {
    refusal: 'OAUTH_STATE',
    guess: (client, n) => client.get(`/api/oauth/wechat?code=c&state=guess${n}`),
  },
  'the signature of Telegram': {
    refusal: 'TELEGRAM_PROOF',
    guess: (client, n) =>
      client.get(
        `/api/oauth/telegram/login?id=${n + 1}&auth_date=${nowSec()}&hash=${String(n % 10).repeat(64)}`,
      ),
  },
};

describe.each(callEngines)('guesses sent at once on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
    await api.deps.options.set({
      CriticalRateLimitCount: String(TRIES),
      PhoneLoginEnabled: 'true',
      'sms.provider': 'log',
      TelegramOAuthEnabled: 'true',
      TelegramBotName: 'gate_bot',
      TelegramBotToken: '4242:AAtest-token_of-the-bot',
      WeChatAuthEnabled: 'true',
      WeChatServerAddress: 'https://wechat.example',
      WeChatServerToken: 'token',
    });
  });
  afterAll(() => api.close());

  it.each(Object.entries(guesses))('at %s are no more than the limit', async (_, { refusal, guess }) => {
    const ip = `203.0.113.${Object.values(guesses).findIndex((one) => one.guess === guess) + 1}`;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_unused, n) => guess(api.guest({ ip, locale: 'en' }), n)),
    );
    expect(answers.filter(({ code }) => code === refusal)).toHaveLength(TRIES);
    expect(answers.filter(({ code }) => code === 'RATE_LIMIT')).toHaveLength(12 - TRIES);
  });
});
