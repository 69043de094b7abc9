/** Applications that sign in here, for other modules. */
export { embedOriginOf } from './embed.ts';
export { endEmbed, endEmbedsOf, endGrantsOf, forgetConsents, forgetGrants } from './forget.ts';
export { createGrants, readRelayGrant } from './grants.ts';
