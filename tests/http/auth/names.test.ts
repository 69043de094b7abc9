/** User names that look like another one, and the limit of tries by name. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('user names on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
    await api.root();
  });
  afterAll(() => api.close());

  let addresses = 0;
  const guest = (locale: 'zh' | 'en' = 'en') => api.guest({ ip: `198.51.100.${++addresses}`, locale });
  const form = (username: string) => ({ username, password: PASSWORD, password2: PASSWORD });

  it.each([['ｒｏｏｔ'], ['𝐫𝐨𝐨𝐭'], ['ROOT'], [' root ']])(
    'are one and the same in every form of Unicode: %s is taken',
    async (name) => {
      expect(await guest().post('/api/user/register', form(name))).toMatchObject({ code: 'USERNAME_TAKEN' });
    },
  );

  it.each([['ro\u200bot'], ['root\u202e'], ['\u3164root'], ['ro\not'], ['root\ufe0f']])(
    'have no characters that cannot be seen: %j',
    async (name) => {
      expect(await guest('zh').post('/api/user/register', form(name))).toMatchObject({
        status: 200,
        success: false,
        message: '用户名不能含有不可见的字符',
      });
      expect(await guest('en').post('/api/user/register', form(name))).toMatchObject({
        code: 'USERNAME_CHARS',
        message: 'The username must not have characters that cannot be seen',
      });
    },
  );

  it.each([['ALİ'], ['Ärger'], ['Å']])('open the account again as they were given: %s', async (name) => {
    expect((await guest().post('/api/user/register', form(name))).success).toBe(true);
    expect((await guest().post('/api/user/login', form(name))).success).toBe(true);
  });

  it('are one name to the limit of tries, however they are spelt', async () => {
    await api.deps.options.set({ CriticalRateLimitCount: '3' });
    try {
      const stranger = guest();
      const wrong = (username: string) => stranger.post('/api/user/login', { username, password: 'wrong' });
      for (const name of ['root', 'ROOT', 'ｒoot']) expect((await wrong(name)).code).toBe('LOGIN_WRONG');
      expect((await wrong('rｏot')).status).toBe(429);
    } finally {
      await api.deps.options.reset(['CriticalRateLimitCount']);
    }
  });
});
