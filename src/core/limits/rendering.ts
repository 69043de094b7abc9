/** What shares the event loop with the relay: changes, jobs and pages of the console. */

export const rendering = {
  /**
   * Transactions of callers that change something, at once: half of the console's connections, which the reads of sessions
   * and of relay keys need, too. Each takes some milliseconds; more wait, a second or two, then 503.
   */
  changesAtOnce: 5,
  changesWaiting: 400,
  /** Of one, as many as of his network: who changes thousands of rows at once can still sign out meanwhile. */
  changesOfOneAtOnce: 2,
  changesOfOneWaiting: 100,

  // Background jobs. A pulse renews the job's row; one whose row grew old has lost its process.
  jobPulseMs: 500,
  jobSilentSec: 30,
  jobResultsRead: 1_000,

  // Rendering shares the event loop with the relay: one page takes 1 to 2 ms of it.
  pagesAtOnce: 4,
  pagesWaiting: 100,
  /** Of one user, or one network of guests: the other half is for the others. */
  pagesOfOneAtOnce: 2,
  pagesOfOneWaiting: 20,
  /**
   * What a page reads for longer does not have the others wait: it takes nothing of the event loop meanwhile. Its place is
   * another's also for its rendering afterwards: pages that a stall of the database held up for ten seconds are some forty,
   * which render together once it is back, in 1 to 2 ms each.
   */
  pageAloneMs: 1_000,
  /** Of the same: two each second is more than anybody reads, and an office behind one address signs in with it. */
  pagesAMinute: 120,
  /** Pages that are kept in memory cost next to nothing; a school behind one address opens them at once. */
  keptPagesAMinute: 1_200,
  /** A fixed page for guests. */
  pageKeptMs: 5_000,
  pagesKept: 100,
  /** Loaders included; beyond it the visitor is told to come again. */
  pageMs: 15_000,
} as const;
