/** Applications that ask for a relay key, or by which users of this site sign in elsewhere. */
import { TOKEN_REQUEST_SEC } from '../account-rules.ts';
import { consoleCalls } from './console-calls.ts';

export const applications = {
  // Applications that ask for a relay key.
  tokenRequestSec: TOKEN_REQUEST_SEC,
  /** For a key that was approved at the very end: known clients poll every 5 s. */
  tokenRequestFetchSec: 30,
  /** Of one who is known: somebody who tries again needs a few. */
  tokenRequestsAnHour: 10,
  /** Of strangers behind one network, as applications are: as many as the calls that it may make in an hour by default. */
  tokenRequestsOfNetwork: consoleCalls.addressCallsAnHour,
  /** Of one request, more than twice as many as its application makes; and of a network, for requests that are none. */
  tokenRequestPollsAMinute: 30,
  /** Rows that are over, removed with each new one: many more than it adds. */
  tokenRequestsPruned: 100,

  /** Applications that root registers: some dozens on a large site. */
  oauthApps: 1_000,
  /** RFC 6749, 4.1.2 allows ten minutes; an application exchanges its code at once. */
  oauthCodeSec: 60,
  oauthAccessSec: 3_600,
  /** Of an application that is not used for so long its user signs in again. */
  oauthRefreshSec: 30 * 86_400,
  /** Sign-ins of a user at one application that hold: his devices. The oldest gives way. */
  oauthGrantsOfApp: 20,
  /** Characters of a state or a nonce, which are kept and sent back: those of libraries are random and have 22 to 43. */
  oauthEchoChars: 500,
  /** Calls of the token endpoint from one address in a minute: an application's server has one for all its users. */
  oauthTokenCalls: 600,
  /** From an application's server to the page that it shows. */
  embedTokenSec: 60,
  embedSessionSec: 3_600,
  /** Of one sign-in at an application: tabs of one browser, each anew within the hour. The oldest gives way. */
  embedSessionsOfGrant: 20,
  /** Those that are over, deleted by one statement. */
  outlivedGrants: 5_000,
} as const;
