/** Wrong tries that are sent at once count like those one after the other, by whatever call one guesses. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const TRIES = 3;

/** One guess each, of something else every time, so that only who guesses is the same. */
const guesses: Record<
  string,
  {
    refusal: string;
    somebody: (api: TestApi) => Promise<Client>;
    guess: (client: Client, n: number) => Promise<{ code?: string }>;
  }
> = {
  'a password': {
    refusal: 'LOGIN_WRONG',
    somebody: async (api) => api.guest({ ip: '203.0.113.1', locale: 'en' }),
    guess: (client, n) => client.post('/api/user/login', { username: 'nobody', password: `Passw0rd${n}` }),
  },
  'a code of quota': {
    refusal: 'REDEMPTION_INVALID',
    somebody: async (api) => api.as(await api.createUser()),
    guess: (client, n) => client.post('/api/user/topup', { key: `guess-${n}` }),
  },
};

describe.each(callEngines)('guesses sent at once on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
    await api.deps.options.set({ CriticalRateLimitCount: String(TRIES) });
  });
  afterAll(() => api.close());

  it.each(Object.values(guesses))(
    'are no more than the limit: $refusal',
    async ({ refusal, somebody, guess }) => {
      const client = await somebody(api);
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(client, n)));
      expect(answers.filter(({ code }) => code === refusal)).toHaveLength(TRIES);
      expect(answers.filter(({ code }) => code === 'RATE_LIMIT')).toHaveLength(12 - TRIES);
    },
  );
});
