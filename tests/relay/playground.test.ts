import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { playgroundRoutes } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import { Client, type TestUser } from '../support/api.ts';
import { heldBack } from '../support/held-back.ts';
import { CALL_COST, openTestRelay, type TestRelay } from '../support/relay.ts';

const CHAT = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };

describe('the playground', () => {
  let relay: TestRelay;
  let routes: ReturnType<typeof playgroundRoutes>;
  let user: Client;
  let calls = 0;
  beforeAll(async () => {
    relay = await openTestRelay();
    const { deps } = relay.api;
    routes = playgroundRoutes({ ...deps, ...deps.relay }, handle);
    user = await browserOf(relay.user);
  });
  afterAll(() => relay.close());

  /** The browser of a user who has signed in. */
  const browserOf = async (owner: TestUser): Promise<Client> => {
    const signedIn = await relay.api.as(owner);
    const browser = new Client(async (request) => routes.handle(request));
    for (const [name, value] of signedIn.cookies) browser.cookies.set(name, value);
    browser.userId = owner.id;
    return browser;
  };

  const chat = (body: object = {}, headers: Record<string, string | null> = {}) =>
    user.call('POST', '/pg/chat/completions', { ...CHAT, ...body }, headers);
  const errorOf = ({ status, text }: { status: number; text: string }) => ({
    status,
    code: JSON.parse(text).error.code,
  });

  it('answers a signed-in user, and charges his balance like a token’s call', async () => {
    const before = await relay.account();
    const answer = await chat();
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).choices[0].message.content).toContain('w19');
    const rows = await relay.settled(++calls);
    expect(rows.at(-1)).toMatchObject({ type: 2, quota: CALL_COST, model_name: 'gpt-4o' });
    const [log] = await relay.api.deps.db.query(
      'select token_id, token_name, group_name from logs where type = 2',
    );
    expect(log).toEqual({ token_id: 0, token_name: 'playground-default', group_name: 'default' });
    const after = await relay.account();
    expect(after).toEqual({
      quota: before.quota - CALL_COST,
      reserved: 0,
      used_quota: before.used_quota + CALL_COST,
      request_count: before.request_count + 1,
    });
  });

  it('streams', async () => {
    const answer = await chat({ stream: true });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.text).toContain('w19');
    expect(answer.text.trimEnd()).toEndWith('data: [DONE]');
    expect((await relay.settled(++calls)).at(-1)).toMatchObject({ quota: CALL_COST, is_stream: true });
  });

  it('uses the group that the call names, and tells upstream nothing of it or of the session', async () => {
    await relay.set({ GroupRatio: { default: 1, vip: 2 } });
    await relay.addChannel({ name: 'vip', group: 'vip' });
    expect((await chat({ group: 'vip' })).status).toBe(200);
    expect((await relay.settled(++calls)).at(-1)).toMatchObject({ quota: 2 * CALL_COST });
    const sent = relay.upstream.chats.at(-1);
    expect(sent?.body).not.toHaveProperty('group');
    expect(sent?.headers).not.toHaveProperty('cookie');
    expect(sent?.headers).not.toHaveProperty('new-api-user');
    expect(errorOf(await chat({ group: 'svip' }))).toEqual({ status: 403, code: 'group_not_allowed' });
    expect(errorOf(await chat({ group: 7 }))).toEqual({ status: 400, code: 'invalid_request' });
  });

  it('refuses who is not signed in, another site, a relay key and an access token', async () => {
    const guest = { cookie: null, 'new-api-user': null };
    expect(errorOf(await chat({}, guest))).toEqual({ status: 401, code: 'AUTH_REQUIRED' });
    expect(errorOf(await chat({}, { 'new-api-user': null }))).toEqual({ status: 403, code: 'CROSS_SITE' });
    expect(errorOf(await chat({}, { 'new-api-user': '999999' }))).toEqual({
      status: 401,
      code: 'USER_MISMATCH',
    });
    const key = { ...guest, authorization: `Bearer ${relay.key}` };
    expect(errorOf(await chat({}, key))).toEqual({ status: 401, code: 'ACCESS_TOKEN_INVALID' });
    const token = await relay.api.deps.sessions.issueAccessToken(relay.user.id);
    const bearer = { cookie: null, authorization: `Bearer ${token}` };
    expect(errorOf(await chat({}, bearer))).toEqual({ status: 401, code: 'AUTH_REQUIRED' });
  });

  it('takes a same-origin proof in place of the header', async () => {
    const answer = await chat({}, { 'new-api-user': null, 'sec-fetch-site': 'same-origin' });
    expect(answer.status).toBe(200);
    await relay.settled(++calls);
  });

  it('refuses a user whose balance is too small, and tells why', async () => {
    const poor = await relay.api.createUser({ quota: 3 });
    const answer = await (await browserOf(poor)).post('/pg/chat/completions', { ...CHAT, max_tokens: 1000 });
    expect(errorOf(answer)).toEqual({ status: 403, code: 'insufficient_user_quota' });
    expect(await relay.account(poor)).toMatchObject({ quota: 3, reserved: 0 });
  });

  it('is no more for whose session ends while he sends what he asks', async () => {
    const poor = await relay.api.createUser();
    const slow = await heldBack(await browserOf(poor), 'POST', '/pg/chat/completions', CHAT);
    await relay.api.deps.changes.commit((tx, touch) => relay.api.deps.sessions.endAll(tx, touch, poor.id));
    expect(await slow.sent()).toBe('SESSION_EXPIRED');
  });

  it('looks a heavy body through in the turn in which it is read, as a call by a key does', async () => {
    const { bodyTurns } = relay.api.deps.relay;
    let isTurn = false;
    const turns = spyOn(bodyTurns, 'take').mockImplementation(async () => {
      isTurn = true;
      setImmediate(() => {
        isTurn = false;
      });
    });
    const looks: boolean[] = [];
    const { readRequest } = openaiChat;
    const looked = spyOn(openaiChat, 'readRequest').mockImplementation((...asked) => {
      looks.push(isTurn);
      return readRequest(...asked);
    });
    try {
      const heavy = { messages: [{ role: 'user', content: 'x'.repeat(limits.shortBodyChars) }] };
      expect((await chat(heavy)).status).toBe(200);
      expect((await chat({ ...heavy, group: 'default' })).status).toBe(200);
    } finally {
      turns.mockRestore();
      looked.mockRestore();
    }
    expect(looks).toEqual([true, true]);
  });

  it('lets only root call on a demo site', async () => {
    await relay.set({ DemoSiteEnabled: true });
    expect(errorOf(await chat())).toEqual({ status: 405, code: 'DEMO_READONLY' });
    await relay.set({ DemoSiteEnabled: false });
  });

  it('has no other calls', async () => {
    expect(errorOf(await user.get('/pg/chat/completions'))).toMatchObject({ code: 'unknown_operation' });
    expect(errorOf(await user.post('/pg/completions', CHAT))).toMatchObject({ code: 'unknown_operation' });
  });
});
