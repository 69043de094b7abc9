/** What calls and pages alike must know of signing in. */

/** The third parties by which one signs in through OAuth 2 or OpenID Connect, as addresses name them. */
export const OAUTH_PROVIDERS = ['github', 'google', 'oidc', 'linuxdo'] as const;
export type OAuthProviderName = (typeof OAUTH_PROVIDERS)[number];

/** The address is no name, is not encrypted, or is not the one that the page was opened at. */
const PASSKEY_OBSTACLES = ['ip', 'insecure', 'elsewhere'] as const;
export type PasskeyObstacle = (typeof PASSKEY_OBSTACLES)[number];

export const PASSKEY_NAME_MAX = 50;
