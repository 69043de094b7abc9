/** What applications may do for users who signed in to them with their accounts here. */

export const OAUTH_SCOPES = ['profile', 'balance', 'tokens:create', 'relay', 'embed'] as const;
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** Who shows the console in a frame: a session for that alone. */
export const isEmbedBearer = (text: string): boolean => /^oab_[\w-]{43}$/.test(text);

/** What an application's access token looks like: letters and digits alone, because in a relay key a dash begins a channel's number. */
export const isGrantToken = (text: string): boolean => /^oat_[A-Za-z0-9]{48}$/.test(text);
