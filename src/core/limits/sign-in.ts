/** Sessions, and the ways into an account: codes, passkeys, captchas, third parties. */
import { CODE_AGAIN_SEC } from '../account-rules.ts';
import { consoleCalls } from './console-calls.ts';
import { KIB, MIB } from './sizes.ts';

export const signIn = {
  sessionCacheMs: 5_000,
  sessionsCached: 10_000,
  sessionIdleSec: 30 * 86_400,
  sessionAbsoluteSec: 90 * 86_400,
  /** All sessions of a user may call so many times as often as one of them. */
  sessionsBusyAtOnce: 4,
  /** All who are signed in from one network, of calls and of pages: an office, of whom most read what they asked for. */
  busyOfNetwork: 8,
  /** Of one user: more browsers than anybody has. */
  sessionsOfUser: 100,
  /** Of one user, the last used. */
  sessionsListed: 100,
  /** Those that are over, deleted by one statement: some tens of milliseconds. */
  outlivedSessions: 5_000,

  // Registration, and codes and links by mail or phone.
  accountsAnHour: 20,
  /** How long a proof of who somebody is counts as having had a gift: decision 015. */
  giftMarkSec: 730 * 86_400,
  /** Of what was given away a day only the present one is asked for; the last ones help to see what went wrong. */
  giftDaySec: 30 * 86_400,
  codeSec: 180,
  /**
   * Of a flow that asked for it; of one at WeChat, too. Fewer once so many codes were told of a subject in a day, or of
   * all subjects in an hour: whoever mistypes has another try, and who guesses has no use of the many messages that he
   * has sent. Guesses in a day hit one of a million codes: at one number, which is sent 20 for strangers and 20 by its own
   * share, 95 in a million; at the site, which sends 250 in an hour, 2 in a hundred for who uses all of it up and is told
   * of each hour, and from one large network, which has a quarter of what strangers have, 6 in a thousand. A mailbox is
   * sent twice as many, and its code lets nobody in to an account. More digits than six do not fit the templates of
   * services that send messages.
   */
  codeTries: 5,
  codeTriesOfMany: 2,
  codesOfSubject: 5,
  codesOfSite: 100,
  codeAgainSec: CODE_AGAIN_SEC,
  /**
   * Of the messages that the site sends in an hour, the part that the network of one provider may use up, so that it
   * takes three to use up what every network may; and the last part, of which each network gets one that has had none.
   */
  messagesOfProvider: 0.25,
  messagesLastPart: 0.25,
  resetSec: 900,

  // Passkeys: a few devices and managers of each user. A device is asked for at most a minute, and unlocked before.
  passkeysPerUser: 20,
  passkeyChallengeSec: 300,

  // Slide captchas. Blind guesses are right one time in fifteen; five pixels are what a hand is off.
  captchaSec: 120,
  captchaPassSec: 120,
  captchaTolerance: 5,
  /** Made in advance, some 20 KB each; and callers that may wait for one. */
  captchasReady: 20,
  captchasWaiting: 50,
  captchasOfOneWaiting: 20,
  /** Rests are so many times as long as the work before: a fifth of one core at most makes pictures. */
  captchaRests: 4,
  smsCallMs: 10_000,

  /** A token of the human check lives 300 s; used ones are remembered for longer. */
  humanTokenSec: 600,
  /** The maker of the human check is asked while a person waits. */
  humanCheckMs: 5_000,
  humanCheckBytes: 64 * KIB,
  /** How long a browser may be on its way in: at a third party, or between password and second factor. */
  signInFlowSec: 600,
  /** One call to a third party by which somebody signs in; its answers are small records. */
  oauthCallMs: 10_000,

  /**
   * What somebody begins and may end later, kept while it may be: sign-ins at third parties, frames, passkeys, captchas.
   * Of one session or browser, which has some tabs; and of all strangers behind one network as many as it may make calls
   * by default, so that whoever has what a neighbour began give way has used up every call of that address before.
   */
  begunOfOne: 20,
  begunOfNetwork: consoleCalls.addressCalls,
  /**
   * Of all strangers, and of all who are known, in one process without Redis: some 25,000 that carry as little as most do,
   * and 6,000 that carry all they may.
   */
  begunInMemoryBytes: 32 * MIB,
  /** What one sign-in at a third party carries there and back, as it is written. */
  carriedBytes: 2 * KIB,
  /** Questions of applications that one account is asked while a sign-in may last (`signInFlowSec`). */
  questionsOfUser: 100,
  wechatCallMs: 5_000,
  /** How old what Telegram has signed may be, and how far its clock may be ahead of ours. */
  telegramProofSec: 300,
  telegramAheadSec: 60,
  oauthAnswerBytes: 256 * KIB,
  /** How long an OpenID provider's description of itself is believed. */
  oidcMetadataMs: 3_600_000,
} as const;
