/**
 * Somebody asks for a relay key and sends the link to another; guesses the codes of others; and plays again what was
 * used once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let victim: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  victim = await api.as(await api.createUser(), { ip: '203.0.113.7' });
});
afterAll(() => api.close());

let networks = 0;
const stranger = () => api.guest({ ip: `198.51.100.${++networks}` });

async function asked(by = stranger()) {
  const { data } = await by.post('/api/request_bind', { name: 'Official app' });
  const code = new URL(data.approval_url).searchParams.get('code') ?? '';
  const poll = () => by.get(`/api/check_status?request_id=${data.request_id}`);
  return { code, requestId: data.request_id as string, number: data.user_code as string, poll };
}
const show = (code: string, who = victim) =>
  who.call('GET', '/api/request_bind', undefined, { 'x-approve-code': code });
const tokensOf = async (who: Client) => (await who.get('/api/token/')).data;

describe('a phished approval', () => {
  it('is decided by no other site, no frame, no link, and no script of the victim’s', async () => {
    const { code, poll } = await asked();
    const browser = await api.as(await api.createUser());
    browser.userId = null;
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const answer = await browser.call('PATCH', '/api/request_bind', { code }, headers);
      expect([answer.status, answer.code]).toEqual([403, 'CROSS_SITE']);
    }
    const script = api.guest();
    const { data: access } = await victim.post('/api/user/token');
    script.headers.authorization = `Bearer ${access}`;
    expect((await script.patch('/api/request_bind', { code })).code).toBe('TOKEN_REQUEST_SESSION');
    expect((await show(code, script)).code).toBe('TOKEN_REQUEST_SESSION');
    expect((await stranger().patch('/api/request_bind', { code })).status).toBe(401);
    expect((await poll()).data.status).toBe('pending');
    expect(await tokensOf(victim)).toEqual([]);
  });

  it('shows the victim that it comes from elsewhere, and a number that he sees nowhere', async () => {
    const { code, number } = await asked();
    expect((await show(code)).data).toMatchObject({ same_network: false, number, name: 'Official app' });
  });

  it('gives at most a token of its own with a small limit, of which the account shows the name', async () => {
    const { code, poll } = await asked();
    await victim.patch('/api/request_bind', { code });
    const [made, ...others] = await tokensOf(victim);
    expect(others).toEqual([]);
    expect(made).toMatchObject({ name: 'Official app', remain_quota: 500_000, unlimited_quota: false });
    expect((await poll()).data.secret_token).toBe(`sk-${made.key}`);
  });

  it('never gives away the token of somebody else', async () => {
    const other = await api.as(await api.createUser());
    const { data: theirs } = await victim.post('/api/token/', { name: 'theirs' });
    const { code, poll } = await asked();
    for (const token of [theirs.id, theirs.key]) {
      expect((await other.patch('/api/request_bind', { code, token })).code).toBe('TOKEN_REQUEST_TOKEN');
    }
    expect((await poll()).data.status).toBe('pending');
  });
});

describe('a page of another site', () => {
  it('uses up nothing of what its visitor’s applications may ask', async () => {
    const app = stranger();
    const { poll } = await asked(app);
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    for (let n = 0; n < 12; n++) {
      const asks = await app.call('POST', '/api/request_bind', undefined, elsewhere);
      expect([asks.status, asks.code]).toEqual([403, 'CROSS_SITE']);
    }
    for (let n = 0; n < 31; n++) await app.call('GET', '/api/check_status', undefined, elsewhere);
    expect((await poll()).data.status).toBe('pending');
    await asked(app);
  });
});

describe('guessing', () => {
  it('ends after some tries of a session, and costs nobody else his own', async () => {
    const guesser = await api.as(await api.createUser());
    const limit = api.deps.options.get('CriticalRateLimitCount');
    const answers: (string | undefined)[] = [];
    for (let n = 0; n <= limit; n++) {
      const code = 'A'.repeat(42) + String(n % 10);
      const answer = n % 2 ? await show(code, guesser) : await guesser.patch('/api/request_bind', { code });
      answers.push(answer.code);
    }
    expect(answers.slice(0, limit)).toEqual(Array(limit).fill('TOKEN_REQUEST_OVER'));
    expect(answers.at(-1)).toBe('RATE_LIMIT');
    const { code } = await asked();
    expect((await show(code)).success).toBe(true);
  });

  it('is of no use with what one has: neither of the two texts stands for the other', async () => {
    const { code, requestId } = await asked();
    expect((await stranger().get(`/api/check_status?request_id=${code}`)).data.status).toBe('expired');
    expect((await show(requestId)).code).toBe('TOKEN_REQUEST_OVER');
  });
});

describe('replay', () => {
  it('hands a key to one of twenty that ask for it at once', async () => {
    const { code, poll } = await asked();
    await victim.patch('/api/request_bind', { code });
    const answers = await Promise.all(Array.from({ length: 20 }, poll));
    const keys = answers.filter(({ data }) => data.secret_token !== undefined);
    expect(keys).toHaveLength(1);
    expect(new Set(answers.map(({ data }) => data.status))).toEqual(new Set(['approved', 'consumed']));
  });

  it('decides once, of ten that approve and reject at once, and makes one token', async () => {
    const owner = await api.as(await api.createUser());
    const { code } = await asked();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        owner.patch('/api/request_bind', { code, action: n % 2 ? 'approve' : 'reject' }),
      ),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const refused = answers.filter(({ success }) => !success);
    expect(new Set(refused.map((answer) => answer.code))).toEqual(new Set(['TOKEN_REQUEST_DECIDED']));
    expect((await tokensOf(owner)).length).toBeLessThanOrEqual(1);
  });

  it('of an account that was erased meanwhile gives nothing', async () => {
    const root = await api.root();
    const gone = await api.createUser();
    const owner = await api.as(gone);
    const { code, poll } = await asked();
    await owner.patch('/api/request_bind', { code });
    expect((await root.del(`/api/user/${gone.id}`)).success).toBe(true);
    expect((await poll()).data).toEqual({ status: 'expired' });
  });
});
