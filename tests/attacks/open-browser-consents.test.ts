/** Somebody at a browser that was left open allows nothing that spends, opens or keeps what is its owner's. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../support/api.ts';
import {
  answerConsent,
  authorizeQuery,
  exchange,
  pkce,
  registerApp,
  sentTo,
  type TestApp,
  ticketIn,
} from '../support/oauth-app.ts';

let api: TestApi;
let app: TestApp;
beforeAll(async () => {
  api = await openApi('postgres');
  await api.deps.options.set({ CriticalRateLimitCount: '1000' });
  app = await registerApp(await api.root());
});
afterAll(() => api.close());

/** A session whose owner proved himself longer ago than a proof lasts. */
async function leftOpen(): Promise<{ owner: TestUser; browser: Client }> {
  const owner = await api.createUser();
  const browser = await api.as(owner);
  await api.deps.db.query(
    `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${owner.id}`,
  );
  return { owner, browser };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const answer = (browser: Client, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  browser.call('POST', '/api/oauth/authorize', new URLSearchParams(fields).toString(), {
    ...FORM,
    ...headers,
  });
const asked = async (browser: Client, scope: string) => {
  const { verifier, challenge } = pkce();
  const page = await browser.get(authorizeQuery(app, challenge, { scope }));
  return { page, ticket: ticketIn(page), verifier };
};

it.each(['relay', 'tokens:create', 'embed', 'profile relay'])('without a fresh proof: %s', async (scope) => {
  const { browser } = await leftOpen();
  const { page, ticket, verifier } = await asked(browser, scope);
  expect(page.text).toContain('name="password"');
  expect(await answerConsent(browser, ticket)).toMatchObject({ success: false, code: 'REAUTH_REQUIRED' });
  const wrong = { ticket, decision: 'approve', password: 'guessed' };
  expect(await answer(browser, wrong)).toMatchObject({ success: false, code: 'PASSWORD_WRONG' });
  // A browser is shown the same question again, with what was wrong.
  const again = await answer(browser, wrong, { accept: 'text/html' });
  expect(again.text).toContain('role="alert"');
  expect(ticketIn(again)).toBe(ticket);
  const back = sentTo(await answer(browser, { ...wrong, password: PASSWORD }));
  expect((await exchange(api, app, back.searchParams.get('code') ?? '', verifier)).status).toBe(200);
  // He has proved himself just now, and has agreed.
  expect(
    sentTo(await browser.get(authorizeQuery(app, pkce().challenge, { scope }))).searchParams.has('code'),
  ).toBe(true);
});

it('but refuses without one, and allows what only tells who he is', async () => {
  const { browser } = await leftOpen();
  const { ticket } = await asked(browser, 'relay');
  const refused = sentTo(await answerConsent(browser, ticket, 'reject'));
  expect(refused.searchParams.get('error')).toBe('access_denied');
  const harmless = await asked(browser, 'openid profile balance');
  expect(harmless.page.text).not.toContain('name="password"');
  expect(sentTo(await answerConsent(browser, harmless.ticket)).searchParams.has('code')).toBe(true);
});

it('nor where there is no password: he signs in again, and is asked anew', async () => {
  const { owner, browser } = await leftOpen();
  await api.deps.db.query(`update users set password_hash = null where id = ${owner.id}`);
  const { page, ticket } = await asked(browser, 'relay');
  expect(page.text).not.toContain('name="password"');
  expect(await answerConsent(browser, ticket)).toMatchObject({ code: 'REAUTH_REQUIRED' });
  const away = await answerConsent(browser, ticket, 'again');
  expect(away.headers.get('set-cookie')).toContain('session=;');
  const next = new URL(away.headers.get('location') ?? '', 'http://localhost').searchParams.get('next') ?? '';
  expect((await browser.get('/api/user/self')).status).toBe(401);
  const anew = await api.as(owner);
  const question = await anew.get(next.replace('/oauth/login', '/api/oauth/authorize'));
  const back = sentTo(await answerConsent(anew, ticketIn(question)));
  expect(back.searchParams.get('state')).toBe('the state');
});

it('nor gives a token to an application that asks for one', async () => {
  const { browser } = await leftOpen();
  const { data } = await api.guest().post('/api/request_bind', { name: 'App' });
  const code = new URL(data.approval_url).searchParams.get('code') ?? '';
  expect(await browser.call('PATCH', '/api/request_bind', { code })).toMatchObject({
    code: 'REAUTH_REQUIRED',
  });
  const status = () => api.guest().get(`/api/check_status?request_id=${data.request_id}`);
  expect((await status()).data.status).toBe('pending');
  expect((await browser.post('/api/user/confirm', { password: PASSWORD })).success).toBe(true);
  expect((await browser.call('PATCH', '/api/request_bind', { code })).success).toBe(true);
  expect((await status()).data.status).toBe('approved');
});

it('nor by a form whose session ended while it was on its way', async () => {
  const { owner, browser } = await leftOpen();
  const { ticket } = await asked(browser, 'openid profile balance');
  // The guard has looked at the session when its owner ends it: what is held open is the answer to the question.
  const { take } = api.deps.oneTime;
  api.deps.oneTime.take = async (key) => {
    await api.deps.db.query(`delete from sessions where user_id = ${owner.id}`);
    return take.call(api.deps.oneTime, key);
  };
  const late = await answerConsent(browser, ticket).finally(() => {
    api.deps.oneTime.take = take;
  });
  expect(late).toMatchObject({ code: 'SESSION_EXPIRED' });
  const [left] = await api.deps.db.query<{ n: number }>(
    `select ((select count(*) from oauth_consents where user_id = ${owner.id})
       + (select count(*) from oauth_grants where user_id = ${owner.id}))::int as n`,
  );
  expect(left?.n).toBe(0);
});
