/**
 * A real identity server on the loopback: OpenID Connect by a certified library, and the same server with the addresses
 * and user calls of GitHub and Linux DO. Its sign-in page asks for nothing but the name of an account.
 */
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import { isObject, type JsonObject } from '../../src/core/json.ts';

export const CLIENT = { id: 'tollgate', secret: 'c1ient-secret-of-the-test' };

/** Where each kind has its calls. */
const KINDS = {
  oidc: { authorization: '/authorize', token: '/token', user: '/me' },
  github: {
    authorization: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    user: '/api/v3/user',
  },
  linuxdo: { authorization: '/oauth2/authorize', token: '/oauth2/token', user: '/api/user' },
} as const;

type Kind = keyof typeof KINDS;
type Context = Parameters<Parameters<Provider['use']>[0]>[0];

export interface IdentityServer {
  /** Its address and, of OpenID Connect, its issuer. */
  base: string;
  /** What its user call says of an account, by the name with which one signs in there. */
  accounts: Map<string, JsonObject>;
  /** From now on its user call speaks of this subject, whoever asks; null for the right one. */
  speakOf(subject: string | null): void;
  /** From now on its document shows another key than the one that signs. */
  showWrongKey(): void;
  /** Answers the token call so far. */
  tokenCalls(): number;
  /** Goes through its pages as a browser would and signs in as `account`; answers the address it is sent back to. */
  authorize(address: string, account: string): Promise<URL>;
  close(): Promise<void>;
}

const publicKeys = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const facts = { use: 'sig', alg: 'RS256', kid: 'signing' };
  return {
    hidden: { ...privateKey.export({ format: 'jwk' }), ...facts },
    shown: { ...publicKey.export({ format: 'jwk' }), ...facts },
  };
};

const signInPage = (path: string) => `<!doctype html><html lang="en"><title>Identity server</title>
<h1>Identity server</h1><form method="post" action="${path}">
<label>Account <input name="account" required></label> <button>Sign in</button></form>
<a href="${path}/cancel">Cancel</a></html>`;

async function bodyOf(request: http.IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return new URLSearchParams(Buffer.concat(parts).toString());
}

/** `sites` are the addresses of those who use it. */
export async function startIdentityServer(kind: Kind, sites: readonly string[]): Promise<IdentityServer> {
  let answer: http.RequestListener = () => {};
  const server = http.createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  const base = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`;

  const accounts = new Map<string, JsonObject>();
  const keys = publicKeys();
  let wrongKey: object | null = null;
  let spokenOf: string | null = null;
  let tokenCalls = 0;
  const routes = KINDS[kind];

  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: sites.map((site) => `${site}/oauth/${kind}`),
        token_endpoint_auth_method: kind === 'linuxdo' ? 'client_secret_basic' : 'client_secret_post',
      },
    ],
    routes: kind === 'oidc' ? { ...routes, userinfo: routes.user } : routes,
    jwks: { keys: [keys.hidden] },
    cookies: { keys: ['signs the cookies of the test'] },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    // `public` is what GitHub and Linux DO give to who asks for nothing.
    scopes: ['openid', 'public'],
    // Clients of the specification send no challenge.
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...accounts.get(sub), sub }) }),
    async loadExistingGrant({ oidc }) {
      // Nobody is asked whether he agrees.
      const grant = new oidc.provider.Grant({
        accountId: oidc.session?.accountId,
        clientId: oidc.client?.clientId,
      });
      grant.addOIDCScope('openid profile email public');
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 600,
      IdToken: 600,
      Grant: 600,
      Interaction: 600,
      Session: 600,
    },
  };
  const provider = new Provider(base, configuration);

  const signIn = async (ctx: Context): Promise<void> => {
    if (ctx.method === 'GET' && !ctx.path.endsWith('/cancel')) {
      ctx.type = 'html';
      ctx.body = signInPage(ctx.path);
      return;
    }
    const accountId = (await bodyOf(ctx.req)).get('account');
    const result = accountId ? { login: { accountId } } : { error: 'access_denied' };
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
  };

  /** The user call of GitHub and of Linux DO: what the bearer of an access token of this server is called. */
  const ownUserCall = async (ctx: Context): Promise<void> => {
    const token = await provider.AccessToken.find(ctx.get('authorization').replace(/^Bearer /i, ''));
    const account = token?.accountId === undefined ? undefined : accounts.get(token.accountId);
    ctx.status = account ? 200 : 401;
    ctx.body = account ?? { message: 'Bad credentials' };
  };

  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith('/sign-in/')) return signIn(ctx);
    // Browsers ask for it by themselves, and complain when it is not there.
    if (ctx.path === '/favicon.ico') {
      ctx.status = 204;
      return;
    }
    if (kind !== 'oidc' && ctx.path === routes.user) return ownUserCall(ctx);
    if (ctx.path === routes.token) tokenCalls++;
    if (ctx.path === routes.authorization && !ctx.query.scope) ctx.query = { ...ctx.query, scope: 'public' };
    await next();
    if (ctx.path === '/jwks' && wrongKey) ctx.body = { keys: [wrongKey] };
    if (ctx.path === routes.user && spokenOf && isObject(ctx.body)) ctx.body = { ...ctx.body, sub: spokenOf };
  });
  answer = provider.callback();

  return {
    base,
    accounts,
    speakOf: (subject) => {
      spokenOf = subject;
    },
    showWrongKey: () => {
      wrongKey = publicKeys().shown;
    },
    tokenCalls: () => tokenCalls,
    authorize: (start, account) => walk(base, start, account),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Follows redirects with cookies until they leave the server, and sends the sign-in form when it comes. */
async function walk(base: string, start: string, account: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  let form: URLSearchParams | undefined;
  for (let hop = 0; hop < 10; hop++) {
    if (url.origin !== base) return url;
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null && !url.pathname.startsWith('/sign-in/')) {
      throw new Error(`the identity server answers ${response.status}: ${await response.text()}`);
    }
    form = location === null ? new URLSearchParams({ account }) : undefined;
    url = new URL(location ?? url.href, url);
  }
  throw new Error('the identity server leads nowhere');
}

/** The options by which a site uses a server. */
export const optionsFor = (kind: Kind, { base }: Pick<IdentityServer, 'base'>): Record<string, string> => {
  const own = {
    oidc: {
      'oidc.client_id': CLIENT.id,
      'oidc.client_secret': CLIENT.secret,
      'oidc.well_known': `${base}/.well-known/openid-configuration`,
      'oidc.authorization_endpoint': base + KINDS.oidc.authorization,
      'oidc.token_endpoint': base + KINDS.oidc.token,
      'oidc.user_info_endpoint': base + KINDS.oidc.user,
      'oidc.enabled': 'true',
    },
    github: {
      GitHubClientId: CLIENT.id,
      GitHubClientSecret: CLIENT.secret,
      GitHubServerAddress: base,
      GitHubOAuthEnabled: 'true',
    },
    linuxdo: {
      LinuxDOClientId: CLIENT.id,
      LinuxDOClientSecret: CLIENT.secret,
      LinuxDOServerAddress: base,
      LinuxDOOAuthEnabled: 'true',
    },
  };
  return own[kind];
};
