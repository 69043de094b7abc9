/** Applications ask for a relay key, their users give it to them, and it is handed over once. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';

let api: TestApi;
let user: TestUser;
let client: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  user = await api.createUser({ quota: 5_000_000 });
  client = await api.as(user, { ip: '203.0.113.1' });
});
afterAll(() => api.close());

let networks = 0;
/** An application, from a network of its own. */
const application = () => {
  networks++;
  return api.guest({ ip: `198.51.${networks >> 8}.${networks & 255}`, locale: 'en' });
};

interface Opened {
  app: Client;
  code: string;
  requestId: string;
  number: string;
}

async function open(body: object = {}, app = application()): Promise<Opened> {
  const answer = await app.post('/api/request_bind', body);
  const { approval_url, request_id, user_code } = answer.data;
  const code = new URL(approval_url).searchParams.get('code') ?? '';
  return { app, code, requestId: request_id, number: user_code };
}

const poll = ({ app, requestId }: Opened) => app.get(`/api/check_status?request_id=${requestId}`);
const statusOf = async (opened: Opened) => (await poll(opened)).data.status;
const show = (code: string, who = client) =>
  who.call('GET', '/api/request_bind', undefined, { 'x-approve-code': code });
const decide = (code: string, more: object = {}, who = client) =>
  who.patch('/api/request_bind', { code, ...more });
const tokens = async () => (await client.get('/api/token/?size=100')).data;
const token = async (name: string, more: object = {}) =>
  (await client.post('/api/token/', { name, ...more })).data;
const query = (text: string) => api.deps.db.query(text);

describe('an application', () => {
  it('is told where to send its user, beside the envelope too', async () => {
    const app = application();
    // Known clients send no body at all.
    const answer = await app.call('POST', '/api/request_bind');
    expect(answer.success).toBe(true);
    const beside = JSON.parse(answer.text);
    expect(beside).toEqual({ success: true, message: '', data: answer.data, ...answer.data });
    expect(Object.keys(answer.data).sort()).toEqual([
      'approval_url',
      'expires_in',
      'request_id',
      'user_code',
    ]);
    expect(answer.data.expires_in).toBe(300);
    expect(answer.data.user_code).toMatch(/^\d{6}$/);
    const address = new URL(answer.data.approval_url);
    expect(address.pathname).toBe('/approve');
    const [code, id] = [address.searchParams.get('code') ?? '', answer.data.request_id];
    for (const secret of [code, id]) expect(secret).toMatch(/^[\w-]{43}$/);
    expect(code).not.toBe(id);
    const waiting = await app.get(`/api/check_status?request_id=${id}`);
    expect(JSON.parse(waiting.text)).toMatchObject({ status: 'pending', data: { status: 'pending' } });
    expect(waiting.text).not.toContain('secret_token');
  });

  it('sends him to the address of the site', async () => {
    await api.deps.options.set({ ServerAddress: 'https://gate.example' });
    try {
      const answer = await application().post('/api/request_bind');
      expect(answer.data.approval_url).toStartWith('https://gate.example/approve?code=');
    } finally {
      await api.deps.options.reset(['ServerAddress']);
    }
  });

  it('is shown to him as it calls itself, with its number and from where it asks', async () => {
    const app = application();
    app.headers['user-agent'] = 'curl/8.5 (Windows)';
    const { code, number } = await open({ name: ' Ai\u202ePy\n Desk ' }, app);
    const { data } = await show(code);
    const ip = app.headers['x-forwarded-for'];
    expect(data).toMatchObject({ name: 'Ai Py Desk', number, ip, browser: 'curl', system: 'Windows' });
    expect(data.same_network).toBe(false);
    expect(data.expires_at - data.created_at).toBe(300);
    const neighbour = await open({}, api.guest({ ip: '203.0.113.1' }));
    expect((await show(neighbour.code)).data).toMatchObject({ name: '', same_network: true });
  });

  it('has a name of at most 50 letters', async () => {
    expect((await application().post('/api/request_bind', { name: 'x'.repeat(51) })).code).toBe('BAD_PARAM');
    expect((await application().post('/api/request_bind', { name: 'x'.repeat(50) })).success).toBe(true);
  });

  it('gets a new token of its own, with the limit that its user gave it, once, and reads by it', async () => {
    const opened = await open({ name: 'AiPy' });
    expect((await decide(opened.code, { remain_quota: 70_000 })).success).toBe(true);
    const made = (await tokens()).find(({ name }: { name: string }) => name === 'AiPy');
    expect(made).toMatchObject({ remain_quota: 70_000, unlimited_quota: false, user_id: user.id });
    const { data, text } = await poll(opened);
    expect(data).toEqual({ status: 'approved', secret_token: `sk-${made.key}` });
    expect(JSON.parse(text)).toMatchObject(data);
    opened.app.headers.authorization = `Bearer ${data.secret_token}`;
    for (const list of ['ai-role', 'application', 'supplier', 'prompt/suggest'])
      expect([list, (await opened.app.get(`/api/${list}`)).data]).toEqual([list, []]);
    expect(await statusOf(opened)).toBe('consumed');
    expect((await decide(opened.code)).code).toBe('TOKEN_REQUEST_DECIDED');
    expect((await show(opened.code)).code).toBe('TOKEN_REQUEST_DECIDED');
  });

  it('gets a dollar’s worth where nothing else is said, under a name of ours where it has none', async () => {
    const opened = await open();
    await decide(opened.code);
    const made = (await tokens()).find(({ name }: { name: string }) => name === 'app');
    expect(made).toMatchObject({ remain_quota: 500_000, unlimited_quota: false });
    expect((await poll(opened)).data.secret_token).toBe(`sk-${made.key}`);
  });

  it('gets a token that its user has, by its id, its key, and its key as clients send it', async () => {
    const { id, key } = await token('mine');
    const before = (await tokens()).length;
    for (const given of [id, String(id), key, `sk-${key}`]) {
      const opened = await open();
      expect((await decide(opened.code, { token: given })).success).toBe(true);
      expect((await poll(opened)).data).toEqual({ status: 'approved', secret_token: `sk-${key}` });
    }
    expect((await tokens()).length).toBe(before);
  });

  it('is told that it was rejected', async () => {
    const opened = await open();
    expect((await decide(opened.code, { action: 'reject' })).success).toBe(true);
    expect(await statusOf(opened)).toBe('rejected');
    expect((await decide(opened.code)).code).toBe('TOKEN_REQUEST_DECIDED');
  });

  it('is told that it has waited too long, like one that never asked', async () => {
    const opened = await open();
    await query("update token_requests set expires_at = extract(epoch from now())::bigint where name = ''");
    expect(await statusOf(opened)).toBe('expired');
    expect((await show(opened.code)).code).toBe('TOKEN_REQUEST_OVER');
    expect(await decide(opened.code)).toMatchObject({ code: 'TOKEN_REQUEST_OVER', success: false });
    expect((await application().get('/api/check_status')).data).toEqual({ status: 'expired' });
    expect((await application().get('/api/check_status?request_id=nobody')).data.status).toBe('expired');
    // What is over goes with the next one that comes.
    await open();
    const [{ n }] = (await query(
      'select count(*)::int as n from token_requests where expires_at <= extract(epoch from now())::bigint',
    )) as [{ n: number }];
    expect(n).toBe(0);
  });

  it('has some seconds for a key that was approved at the very end', async () => {
    const opened = await open({ name: 'late' });
    await query(
      "update token_requests set expires_at = extract(epoch from now())::bigint + 5 where name = 'late'",
    );
    await decide(opened.code);
    const [{ left }] = (await query(
      "select expires_at - extract(epoch from now())::bigint as left from token_requests where name = 'late'",
    )) as [{ left: number }];
    expect(left).toBeGreaterThan(25);
    expect(await statusOf(opened)).toBe('approved');
  });

  it('asks ten times an hour where it is known, and as often as strangers behind one network call where not', async () => {
    const app = application();
    for (let n = 0; n < 11; n++) expect((await app.post('/api/request_bind')).success).toBe(true);
    const known = await api.as(await api.createUser(), { ip: app.headers['x-forwarded-for'] });
    for (let n = 0; n < 10; n++) expect((await known.post('/api/request_bind')).success).toBe(true);
    const more = await known.post('/api/request_bind');
    expect([more.status, more.code]).toEqual([429, 'RATE_LIMIT']);
    expect(Number(more.headers.get('retry-after'))).toBeGreaterThan(0);
    const key = `token-request:${app.headers['x-forwarded-for']}`;
    await api.deps.limiter.add({ key, windowSec: 3_600 }, limits.tokenRequestsOfNetwork - 12);
    expect((await app.post('/api/request_bind')).status).toBe(200);
    expect((await app.post('/api/request_bind')).status).toBe(429);
  });

  it('polls thirty times a minute for what it asked, and its network for what nobody did', async () => {
    const { app, requestId, code } = await open({ name: 'polled' });
    const statuses = async (id: string, times: number) =>
      (
        await Promise.all(Array.from({ length: times }, () => app.get(`/api/check_status?request_id=${id}`)))
      ).map(({ status }) => status);
    const thirty = Array.from({ length: 30 }, () => 200);
    expect((await statuses('nobody', 31)).sort()).toEqual([...thirty, 429]);
    await decide(code);
    expect((await poll({ app, requestId, code, number: '' })).data.status).toBe('approved');
    expect((await statuses(requestId, 30)).sort()).toEqual([...thirty.slice(1), 429]);
  });
});

describe('a token that is none to give', () => {
  const refused = async (given: unknown): Promise<string | undefined> => {
    const opened = await open();
    const { code } = await decide(opened.code, { token: given });
    // Nothing has changed: another one can be chosen.
    expect(await statusOf(opened)).toBe('pending');
    return code;
  };

  it('is refused: disabled, expired, exhausted, removed, another’s, and none at all', async () => {
    const disabled = await token('off');
    await client.put('/api/token/?status_only=true', { id: disabled.id, status: 2 });
    const expired = await token('gone');
    await query(`update tokens set expired_time = 1 where id = ${expired.id}`);
    const exhausted = await token('empty', { remain_quota: 0 });
    const removed = await token('removed');
    await client.del(`/api/token/${removed.id}`);
    const other = await api.as(await api.createUser());
    const foreign = (await other.post('/api/token/', { name: 'theirs' })).data;
    for (const one of [disabled, expired, exhausted, removed, foreign]) {
      expect(await refused(one.id)).toBe('TOKEN_REQUEST_TOKEN');
      expect(await refused(one.key)).toBe('TOKEN_REQUEST_TOKEN');
    }
    for (const nothing of ['', 'sk-', 'abc', 999_999, '1 or 1=1', 'x'.repeat(48)])
      expect(await refused(nothing)).toBe('TOKEN_REQUEST_TOKEN');
  });

  it('is one whose key is not kept, but its owner may bring the key, and new ones are told', async () => {
    await api.deps.options.set({ TokenKeyReveal: 'once' });
    try {
      const { id, key } = await token('once');
      expect(await refused(id)).toBe('TOKEN_KEY_HIDDEN');
      const opened = await open();
      expect((await decide(opened.code, { token: key })).success).toBe(true);
      expect((await poll(opened)).data.secret_token).toBe(`sk-${key}`);
      const second = await open({ name: 'told once' });
      await decide(second.code);
      expect((await poll(second)).data.secret_token).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    } finally {
      await api.deps.options.reset(['TokenKeyReveal']);
    }
  });

  it('is a new one beyond the rules, and none is left behind', async () => {
    const before = (await tokens()).length;
    const opened = await open({ name: 'greedy' });
    expect((await decide(opened.code, { remain_quota: -1 })).code).toBe('TOKEN_QUOTA');
    expect((await tokens()).length).toBe(before);
    expect(await statusOf(opened)).toBe('pending');
  });
});

describe('at rest', () => {
  it('neither code nor key is legible, and the key is gone when it was handed over', async () => {
    const opened = await open({ name: 'rest' });
    await decide(opened.code);
    const row = async () => JSON.stringify(await query("select * from token_requests where name = 'rest'"));
    const approved = await row();
    const { secret_token } = (await poll(opened)).data;
    for (const secret of [opened.code, opened.requestId, secret_token.slice(3)]) {
      expect(approved).not.toContain(secret);
    }
    expect(JSON.parse(approved)[0].key_sealed).not.toBe('');
    expect(JSON.parse(await row())[0].key_sealed).toBe('');
  });
});
