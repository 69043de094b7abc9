/** What calls and pages alike must know of signing in. */

/** The third parties by which one signs in through OAuth 2 or OpenID Connect, as addresses name them. */
export const OAUTH_PROVIDERS = ['github', 'google', 'oidc', 'linuxdo'] as const;
export type OAuthProviderName = (typeof OAUTH_PROVIDERS)[number];
