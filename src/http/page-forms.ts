/**
 * What pages send without JavaScript: the sign-in, and the language and theme switches. Everything else of the console
 * is a call of `/api`.
 */
import { Elysia } from 'elysia';
import { badParam, fail } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { safeNext } from '../core/next-path.ts';
import { preferenceCookie } from '../core/preference-cookie.ts';
import { type ApiLimitDeps, countCall } from './api-limit.ts';
import { readBytes } from './body.ts';
import { adoptContext, contextOf, type PeerSource, type RequestContext } from './context.ts';
import { provesSameOrigin } from './guard.ts';

export interface PageFormDeps extends ApiLimitDeps {
  api: { handle(request: Request): Promise<Response> };
  /** Renders the page of a request's address. */
  page(
    request: Request,
    server: PeerSource | null,
    extras: { loginAttempt: { message: string; username: string } },
  ): Promise<Response>;
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * The fields of a posted form, counted as the call of `/api` that it makes before any of it is read. Throws CROSS_SITE for
 * a form of another site, BAD_PARAM for what is no form, RATE_LIMIT.
 */
async function readForm(
  request: Request,
  context: RequestContext,
  deps: PageFormDeps,
): Promise<URLSearchParams> {
  const { consoleBodies } = deps;
  if (!provesSameOrigin(request, context)) throw fail('CROSS_SITE');
  if (!request.headers.get('content-type')?.startsWith(FORM)) throw badParam('body');
  await countCall({ request, context }, deps);
  try {
    const bytes = await readBytes(request, context, consoleBodies);
    return new URLSearchParams(new TextDecoder().decode(bytes));
  } finally {
    consoleBodies.release(request);
  }
}

const seeOther = (location: string, cookies: readonly string[]): Response => {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
};

/** In Chinese the form has a box for the terms. */
const hasAgreed = (form: URLSearchParams, { locale }: RequestContext): boolean =>
  locale !== 'zh' || form.get('agreed') === 'true';

interface SignInCall {
  path: '/api/user/login' | '/api/user/login/2fa';
  body: Record<string, string | null | undefined>;
}

/** By what a sign-in goes on that is half done; null for any other answer. */
function secondStep(data: unknown): 'code' | 'passkey' | null {
  if (!isObject(data) || data.require_2fa !== true) return null;
  return data.code === false ? 'passkey' : 'code';
}

/** The call of `/api` that the page itself would make, with the same cookies, address, limits and language. */
async function signIn(
  api: PageFormDeps['api'],
  context: RequestContext,
  from: Request,
  { path, body }: SignInCall,
) {
  // The form has proved that it came from here.
  const headers = new Headers({ 'content-type': 'application/json', origin: context.origin });
  for (const name of ['user-agent', 'cookie']) headers.set(name, from.headers.get(name) ?? '');
  const call = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  adoptContext(call, context);
  const answer = await api.handle(call);
  const envelope: unknown = await answer.json();
  const fields = isObject(envelope) ? envelope : {};
  return {
    cookies: fields.success === true ? answer.headers.getSetCookie() : [],
    second: secondStep(fields.data),
    message:
      fields.code === 'HUMAN_CHECK_NEEDED'
        ? fail('HUMAN_CHECK_SCRIPT').text(context.locale)
        : String(fields.message ?? ''),
  };
}

/**
 * Letters follow the language too. Of a guest, on a demo site or while the database is away only the browser keeps it: the
 * switch works all the same.
 */
async function keepWithAccount(
  api: PageFormDeps['api'],
  context: RequestContext,
  from: Request,
  language: string,
): Promise<void> {
  const headers = { 'content-type': 'application/json', cookie: from.headers.get('cookie') ?? '' };
  const call = new Request('http://localhost/api/user/self', {
    method: 'PUT',
    // The form has proved that it came from here.
    headers: { ...headers, origin: context.origin },
    body: JSON.stringify({ language }),
  });
  adoptContext(call, context);
  await api.handle(call);
}

/** `/login` with those of the search fields that are not empty. */
function loginPath(search: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(search).filter(([, value]) => value !== ''));
  return query.size > 0 ? `/login?${query}` : '/login';
}

const choices = { lang: ['zh', 'en'], theme: ['light', 'dark'] };
const cookieOf = { lang: 'lang', theme: 'theme-mode' };

export const pageForms = (deps: PageFormDeps) =>
  new Elysia({ name: 'page-forms' })
    .post(
      '/login',
      async ({ request, server }) => {
        const context = contextOf(request, deps.env, server);
        const form = await readForm(request, context, deps);
        const username = form.get('username') ?? '';
        const body = { username: username.trim(), password: form.get('password') };
        const { cookies, second, message } = hasAgreed(form, context)
          ? await signIn(deps.api, context, request, { path: '/api/user/login', body })
          : { cookies: [], second: null, message: fail('AGREEMENT').text(context.locale) };
        const next = form.get('next') ?? '';
        if (second) return seeOther(loginPath({ second, next }), cookies);
        if (cookies.length > 0) return seeOther(safeNext(next), cookies);
        // The form comes back as it was, but for the password.
        const again = new Request(new URL(loginPath({ next }), request.url), { headers: request.headers });
        adoptContext(again, context);
        return deps.page(again, server, { loginAttempt: { message, username } });
      },
      { parse: 'none' },
    )
    .post(
      '/login/2fa',
      async ({ request, server }) => {
        const context = contextOf(request, deps.env, server);
        const form = await readForm(request, context, deps);
        const body = { code: form.get('code') };
        const { cookies, message } = await signIn(deps.api, context, request, {
          path: '/api/user/login/2fa',
          body,
        });
        const next = form.get('next') ?? '';
        if (cookies.length > 0) return seeOther(safeNext(next), cookies);
        const address = new URL(loginPath({ second: form.get('second') ?? 'code', next }), request.url);
        const again = new Request(address, { headers: request.headers });
        adoptContext(again, context);
        return deps.page(again, server, { loginAttempt: { message, username: '' } });
      },
      { parse: 'none' },
    )
    .post(
      '/preferences',
      async ({ request, server }) => {
        const context = contextOf(request, deps.env, server);
        const form = await readForm(request, context, deps);
        const cookies = (['lang', 'theme'] as const).flatMap((name) => {
          const value = form.get(name);
          if (value === null || !choices[name].includes(value)) return [];
          return [preferenceCookie(cookieOf[name], value)];
        });
        const language = form.get('lang') ?? '';
        if (choices.lang.includes(language)) await keepWithAccount(deps.api, context, request, language);
        return seeOther(safeNext(form.get('next'), '/'), cookies);
      },
      { parse: 'none' },
    );
