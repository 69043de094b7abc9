/**
 * The third parties by which one signs in through OAuth 2 or OpenID Connect, one record each. Everything else here asks
 * the record: which options, where the provider's calls are, what it is asked for, and who its answer says somebody is.
 */
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import { wireText } from '../../../core/wire/text.ts';
import type { Options } from '../../../options/store.ts';
import { GITHUB_URL, LINUXDO_URL } from '../../../options/usual-addresses.ts';
import type { OAuthProviderName } from '../facts.ts';

/** What the operator set. */
interface Settings {
  enabled: boolean;
  clientId: string;
  clientSecret: string;
}

/** Where a provider's calls are. */
export interface Addresses {
  authorize: string;
  token: string;
  /** Tells who the bearer of an access token is. */
  user: string;
}

/** Who somebody is at the third party. */
export interface Profile {
  /** What never changes of his account there. */
  subject: string;
  /** As he is called there, which does change. */
  loginName: string;
  displayName: string;
  /** Only where the provider says that it is verified; else empty. */
  email: string;
}

export interface OAuthProvider {
  name: OAuthProviderName;
  /** As people know it. */
  title: string;
  /** Of the user names that its accounts begin with. */
  prefix: string;
  /** Asked for at the provider: no more than who somebody is. */
  scope: string;
  settings(options: Options): Settings;
  addresses(options: Options): Addresses;
  /**
   * Whether it signs who somebody is (OpenID Connect), and the document that names its issuer and keys. Without the
   * document the answer of the operator's own token address is believed.
   */
  identity: 'none' | ((options: Options) => { wellKnown: string });
  /** Whose word its subjects are, as `ThirdParty` has it. */
  issuers(options: Options): readonly [string, ...string[]];
  /** How the client proves itself where the provider's document does not say. */
  clientAuth: 'body' | 'header';
  /** Reads the user call's answer. Throws what the provider's own rules refuse; ZodError for what is no such answer. */
  profile(answer: unknown, options: Options): Profile;
}

const subject = z.union([wireText(255).min(1), z.number().int().positive().transform(String)]);

const NAME_MAX = 255;

/** A name is for people to read; what a row cannot hold of it is left out. */
const name = z
  .string()
  .nullish()
  .transform((text) =>
    (text ?? '')
      .toWellFormed()
      .replace(/\p{Cc}/gu, '')
      .slice(0, NAME_MAX)
      .toWellFormed(),
  );

const trimmed = (address: string): string => address.replace(/\/+$/, '');

const ONE_ISSUER = (): readonly [string] => [''];

/** An issuer's document lies below its address (OpenID Connect Discovery 1.0, 4). */
const issuerAt = (wellKnown: string): string =>
  trimmed(wellKnown.replace(/\/\.well-known\/openid-configuration\/?$/, ''));

/**
 * Of a provider whose server an operator may have of his own: by its address as URLs are written, and as he wrote it. Just
 * '' at the usual one, whatever it is called.
 */
function issuersAt(address: string, usual: string): readonly [string, ...string[]] {
  const written = trimmed(address);
  if (written === '') return [''];
  const issuer = URL.canParse(written) ? trimmed(new URL(written).href) : written;
  return issuer === usual ? [''] : [issuer, written];
}

const githubUser = z.object({ id: z.number().int().positive(), login: name, name });

const github: OAuthProvider = {
  name: 'github',
  title: 'GitHub',
  prefix: 'github',
  // What everybody may know of a user is enough.
  scope: '',
  settings: (options) => ({
    enabled: options.get('GitHubOAuthEnabled'),
    clientId: options.get('GitHubClientId'),
    clientSecret: options.get('GitHubClientSecret'),
  }),
  addresses: (options) => {
    const base = trimmed(options.get('GitHubServerAddress')) || GITHUB_URL;
    return {
      authorize: `${base}/login/oauth/authorize`,
      token: `${base}/login/oauth/access_token`,
      // A server of a company's own has the interface below its address.
      user: base === GITHUB_URL ? 'https://api.github.com/user' : `${base}/api/v3/user`,
    };
  },
  identity: 'none',
  issuers: (options) => issuersAt(options.get('GitHubServerAddress'), GITHUB_URL),
  clientAuth: 'body',
  profile: (answer) => {
    const { id, login, name } = githubUser.parse(answer);
    return { subject: String(id), loginName: login, displayName: name || login, email: '' };
  },
};

const claims = z.object({
  sub: subject,
  name,
  preferred_username: name,
  email: name,
  email_verified: z.unknown().optional(),
});

const claimedProfile = (answer: unknown): Profile => {
  const { sub, name, preferred_username, email, email_verified } = claims.parse(answer);
  return {
    subject: sub,
    loginName: preferred_username || email || name,
    displayName: name || preferred_username,
    email: email_verified === true ? email : '',
  };
};

const OPENID = { scope: 'openid profile email', clientAuth: 'body', profile: claimedProfile } as const;

const google: OAuthProvider = {
  ...OPENID,
  name: 'google',
  title: 'Google',
  prefix: 'google',
  settings: (options) => ({
    enabled: options.get('GoogleOAuthEnabled'),
    clientId: options.get('GoogleClientId'),
    clientSecret: options.get('GoogleClientSecret'),
  }),
  addresses: () => ({
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    user: 'https://openidconnect.googleapis.com/v1/userinfo',
  }),
  identity: () => ({ wellKnown: 'https://accounts.google.com/.well-known/openid-configuration' }),
  issuers: ONE_ISSUER,
};

const oidc: OAuthProvider = {
  ...OPENID,
  name: 'oidc',
  title: 'OIDC',
  prefix: 'oidc',
  settings: (options) => ({
    enabled: options.get('oidc.enabled'),
    clientId: options.get('oidc.client_id'),
    clientSecret: options.get('oidc.client_secret'),
  }),
  addresses: (options) => ({
    authorize: options.get('oidc.authorization_endpoint'),
    token: options.get('oidc.token_endpoint'),
    user: options.get('oidc.user_info_endpoint'),
  }),
  identity: (options) => ({ wellKnown: options.get('oidc.well_known') }),
  // By what the operator set, which is known without a call: with its document added, the provider at the same token
  // address is the one that it was.
  issuers(options) {
    const [wellKnown, token] = [options.get('oidc.well_known'), options.get('oidc.token_endpoint')];
    return wellKnown === '' ? [token] : [issuerAt(wellKnown), token];
  },
};

const linuxdoUser = z.object({
  id: subject,
  username: name,
  name,
  active: z.boolean(),
  silenced: z.boolean().nullish(),
  trust_level: z.number().int(),
});

const linuxdo: OAuthProvider = {
  name: 'linuxdo',
  title: 'Linux DO',
  prefix: 'linux',
  scope: '',
  settings: (options) => ({
    enabled: options.get('LinuxDOOAuthEnabled'),
    clientId: options.get('LinuxDOClientId'),
    clientSecret: options.get('LinuxDOClientSecret'),
  }),
  addresses: (options) => {
    const base = trimmed(options.get('LinuxDOServerAddress')) || LINUXDO_URL;
    return { authorize: `${base}/oauth2/authorize`, token: `${base}/oauth2/token`, user: `${base}/api/user` };
  },
  identity: 'none',
  issuers: (options) => issuersAt(options.get('LinuxDOServerAddress'), LINUXDO_URL),
  clientAuth: 'header',
  profile: (answer, options) => {
    const user = linuxdoUser.parse(answer);
    if (!user.active || user.silenced) throw fail('LINUXDO_ACCOUNT');
    const least = options.get('LinuxDOMinimumTrustLevel');
    if (user.trust_level < least) throw fail('LINUXDO_TRUST', { params: { least } });
    return { subject: user.id, loginName: user.username, displayName: user.name || user.username, email: '' };
  },
};

export const oauthProviders: Readonly<Record<OAuthProviderName, OAuthProvider>> = {
  github,
  google,
  oidc,
  linuxdo,
};

/** Switched on, and with all that it needs. */
export function isOpen(provider: OAuthProvider, options: Options): boolean {
  const { enabled, clientId, clientSecret } = provider.settings(options);
  const { authorize, token, user } = provider.addresses(options);
  return enabled && [clientId, clientSecret, authorize, token, user].every((text) => text.trim() !== '');
}
