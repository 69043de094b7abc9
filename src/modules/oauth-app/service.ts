/** Applications that sign in here, for other modules. */
export { endGrantsOf, forgetConsents, forgetGrants } from './forget.ts';
export { createGrants, readRelayGrant } from './grants.ts';
