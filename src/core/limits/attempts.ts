/** Failed attempts, the counts of what is tried too often, and passwords that wait for their hash. */

export const attempts = {
  /**
   * Counts and codes that one process keeps without Redis, of each span of time: some 15 MB. A subscriber's /48 opens
   * 9,600 windows of kept pages in a minute, and a provider's /32 76,800.
   */
  windowsInMemory: 100_000,
  /** What every request counts, what tries count, and beyond these what counts for a day. */
  windowSpansSec: [600, 3_600],
  /** Of a full span, at once: the search for what is over is then worth its milliseconds. */
  windowsDropped: 1_000,

  // Failed attempts. What was wrong at an account in a day slows each network there, by a second for each, up to this.
  failedAttemptsDaySec: 86_400,
  failedAttemptDelaySec: 300,
  /**
   * What was wrong at names from everywhere, whether or not anybody has them, is counted in so many counters: 6 MB of
   * Redis. One core hashes 33 passwords in a second, so that a day of nothing but inventions puts 43 into each.
   */
  nameCounters: 65_536,
  /** An office behind one address may be wrong so many times as often as one account of it. */
  attemptsOfNetwork: 5,
  /** Wrong codes of a second factor, of all who come alike: of a million, three are right at once. At WeChat's, of an account. */
  factorTriesADay: 100,
  /**
   * Wrong codes of nobody in particular, which live for minutes, that the site hears in an hour before each adds to the
   * time between two. A flood then has 288 tries in a day for each network, and 200 for each account, of which those of
   * one network have 11,520: of a million codes, of which few are good at once.
   */
  wrongOfSite: 100,
  /** A browser that signed in before has a counter of its own: for so long, of so many accounts. */
  knownBrowserSec: 365 * 86_400,
  knownAccounts: 5,

  /** Passwords that one session may prove itself with in ten minutes, the right ones too: one proof lasts as long. */
  reauthenticationsOfSession: 20,
  reauthenticationsSec: 600,

  // Passwords: each hash takes about 19 MiB and a core for some 30 ms, so they wait in line. A place in it costs nothing,
  // and a full line of a crowd, at some four in a second, is a minute: who waits longer has gone.
  passwordQueue: 256,
  /** Of one identity: an eighth, so that it takes many to leave no room, and an office still signs in at once. */
  passwordQueueOfOne: 31,
  /** While so many wait, each hash is followed by a rest: some four in a second, so that calls hardly notice. */
  passwordCrowd: 8,
  passwordRestMs: 200,
} as const;
