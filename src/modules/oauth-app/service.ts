/** Applications that sign in here, for other modules. */
export { holdConsent } from './consent.ts';
export { embedOriginOf } from './embed.ts';
export { endAppSignInsOf, endEmbed, endEmbedsOf, endGrantsOf, forgetGrants } from './forget.ts';
export { createGrants, readRelayGrant } from './grants.ts';
