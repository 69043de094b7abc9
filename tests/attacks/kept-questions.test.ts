/** Somebody begins what is kept until it is finished, again and again, to fill what everybody’s codes are kept in. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import {
  answerConsent,
  authorizeQuery,
  pkce,
  registerApp,
  sentTo,
  type TestApp,
  ticketIn,
} from '../support/oauth-app.ts';

let api: TestApi;
let app: TestApp;
beforeAll(async () => {
  api = await openApi('pglite');
  app = await registerApp(await api.root());
});
afterAll(() => api.close());

const ask = (user: Client, over: Record<string, string> = {}) =>
  user.get(authorizeQuery(app, pkce().challenge, over));

describe('a consent that is asked for', () => {
  it.each(['state', 'nonce'])('takes a %s of 500 printable characters at most', async (name) => {
    const user = await api.as(await api.createUser());
    expect(ticketIn(await ask(user, { [name]: '~'.repeat(500) }))).not.toBe('');
    for (const value of ['~'.repeat(501), '\u0001'.repeat(100), 'tab\there', 'é']) {
      const back = sentTo(await ask(user, { [name]: value }));
      expect(back.searchParams.get('error')).toBe('invalid_request');
      // What is refused is not sent on either.
      expect(back.searchParams.get('state')).toBe(name === 'state' ? null : 'the state');
    }
  });

  it('is kept once for each session: the one before gives way, and nobody else’s does', async () => {
    const one = await api.createUser();
    const user = await api.as(one);
    const [elsewhere, other] = [await api.as(one), await api.as(await api.createUser())];
    const untouched = [ticketIn(await ask(elsewhere)), ticketIn(await ask(other))];
    const [before, last] = [ticketIn(await ask(user)), ticketIn(await ask(user))];
    expect((await answerConsent(user, before)).code).toBe('OAUTH_REQUEST_OVER');
    sentTo(await answerConsent(user, last));
    expect((await answerConsent(user, last)).code).toBe('OAUTH_REQUEST_OVER');
    sentTo(await answerConsent(elsewhere, untouched[0] ?? ''));
    sentTo(await answerConsent(other, untouched[1] ?? ''));
  });

  it('is asked for a hundred times a visit by one account, and by another behind its address as often', async () => {
    const ip = '198.51.100.77';
    const someone = async () => api.as(await api.createUser(), { ip });
    const [busy, other] = [await someone(), await someone()];
    const codes: (string | undefined)[] = [];
    for (let n = 0; n <= limits.questionsOfUser; n++) codes.push((await ask(busy)).code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(limits.questionsOfUser);
    expect(codes.at(-1)).toBe('RATE_LIMIT');
    expect((await ask(other)).code).toBeUndefined();
  });
});

describe('a consent that was given', () => {
  it('is forgotten when every way in ends: whoever gave it may not have been the owner', async () => {
    const owner = await api.createUser();
    const user = await api.as(owner);
    sentTo(await answerConsent(user, ticketIn(await ask(user))));
    expect((await ask(user)).status).toBe(303);
    const root = await api.root();
    expect((await root.put('/api/user/', { id: owner.id, password: 'Renewed77x' })).success).toBe(true);
    expect(ticketIn(await ask(await api.as(owner)))).not.toBe('');
  });
});

describe('what anybody begins', () => {
  const ip = '198.51.100.78';
  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['oauth', (client) => client.get('/api/oauth/state')],
    ['passkey-flow', (client) => client.post('/api/user/login/passkey/begin')],
    ['captcha', (client) => client.get('/api/captcha')],
    ['wechat-frame', (client) => client.get('/api/oauth/wechat')],
  ])('%s: lies in rooms of his own where he is known, and of his network where not', async (name, begin) => {
    const wechat = { WeChatServerAddress: 'https://wechat.example', WeChatServerToken: 'token' };
    await api.deps.options.set({ WeChatAuthEnabled: 'true', ...wechat });
    const user = await api.createUser();
    const session = await api.as(user, { ip });
    const left = api.guest({ ip });
    await left.login(user.username);
    left.cookies.delete('session');
    left.userId = null;
    const { put } = api.deps.oneTime;
    const kept: { key: string; limit: number }[][] = [];
    api.deps.oneTime.put = (key, value, ttlSec, shelves = []) => {
      kept.push(shelves.map(({ key: shelf, limit }) => ({ key: shelf, limit })));
      return put(key, value, ttlSec, shelves);
    };
    try {
      for (const client of [api.guest({ ip }), left, session]) await begin(client);
    } finally {
      api.deps.oneTime.put = put;
    }
    const [one, all] = [limits.begunOfOne, limits.begunOfOne * limits.sessionsBusyAtOnce];
    const ownShelf = (key: RegExp) => ({ key: expect.stringMatching(key), limit: one });
    expect(kept).toEqual([
      [{ key: `${name}:${ip}`, limit: limits.begunOfNetwork }],
      [ownShelf(/:browser:[\w-]{22}$/), { key: `${name}:browsers-of:${user.id}`, limit: all }],
      [ownShelf(/:[\w-]{40,}$/), { key: `${name}:all-of:user:${user.id}`, limit: all }],
    ]);
  });
});
