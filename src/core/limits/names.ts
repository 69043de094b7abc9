/** Names that are looked up for calls to addresses that somebody gave. */

export const names = {
  /** For one name; those whose name servers are silent are given up. Where the first of the operator's own is, it takes two. */
  nameMs: 5_000,
  /**
   * At once, of all users, of one, and waiting. A name that nobody answers for costs some packets until c-ares gives it up
   * after half a minute, and so long it counts as one of its user's; all others have its place after half of `nameMs`.
   */
  nameLooksAtOnce: 256,
  nameLooksOfUsersAtOnce: 192,
  nameLooksOfOneAtOnce: 8,
  nameLooksWaiting: 1_000,
  nameLooksOfOneWaiting: 128,
  /** How long it is known that a name was not found, of so many names. */
  nameFailedMs: 5_000,
  namesFailed: 1_000,
  /**
   * Services have some ten. To read 4,000 takes 60 ms, so that a name with more than this counts as one of its user's for
   * ten minutes: his eight take half a second of them, less than the pages that he may ask for.
   */
  addressesOfName: 64,
  crowdedNameMs: 600_000,
  /** Names and addresses that c-ares keeps, and how long it goes by the name servers that it has read of. */
  nameAnswersKept: 1_000,
  nameServersMs: 60_000,
} as const;
