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

  it('is asked for a hundred times a visit by one account, and by all behind its address together', async () => {
    const ip = '198.51.100.77';
    const { flowsOfAddress, busyOfNetwork, signInFlowSec: windowSec } = limits;
    const someone = async () => api.as(await api.createUser(), { ip });
    const [busy, other, last] = [await someone(), await someone(), await someone()];
    const codes: (string | undefined)[] = [];
    for (let n = 0; n <= flowsOfAddress; n++) codes.push((await ask(busy)).code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(flowsOfAddress);
    expect(codes.at(-1)).toBe('RATE_LIMIT');
    const rest = flowsOfAddress * (busyOfNetwork - 1) - 1;
    await api.deps.limiter.add({ key: `oauth-consent:signed-in:${ip}`, windowSec }, rest);
    expect((await ask(other)).code).toBeUndefined();
    expect((await ask(last)).code).toBe('RATE_LIMIT');
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

describe('a passkey that is asked for', () => {
  it('is asked for a hundred times a visit from one address', async () => {
    const ip = '198.51.100.78';
    const codes: (string | undefined)[] = [];
    for (let n = 0; n <= limits.flowsOfAddress; n++)
      codes.push((await api.guest({ ip }).post('/api/user/login/passkey/begin')).code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(limits.flowsOfAddress);
    expect(codes.at(-1)).toBe('RATE_LIMIT');
  });
});
