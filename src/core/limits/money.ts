/** Money in micro-batches, what waits on disk, and what is looked for behind it; and the embedded database. */
import { MIB } from './sizes.ts';

export const money = {
  // Money in micro-batches. 200 is where the batch stopped growing in the trial; PGlite blocks its event loop while
  // a statement runs, so its batches are smaller.
  batchPostgres: 200,
  batchEmbedded: 100,
  /** Requests that may wait for a reservation; beyond it 503. */
  reserveQueue: 20_000,
  /** Open files for database, Redis, disk and connections that are kept, beside answers of the console; the rest is for calls, two each. */
  filesBesideCalls: 512,
  /**
   * Of the places for calls that others leave, how much one user may fill; before he is known, one network. Whoever
   * comes next finds a place, and a site with one user has most of its room.
   */
  callsOfOneShare: 0.75,
  /** The same for one network, whoever its users are: one of them leaves some to his neighbours. */
  callsOfNetworkShare: 0.9,
  /**
   * Of all of them, how few of one user's with tools nobody else takes while nothing comes of them: to fill the house with
   * those takes as many accounts as go into one.
   */
  fewCallsShare: 1 / 64,
  /** Calls under way that hold quota; beyond it 503, because each of them will want to be settled. */
  openReservations: 50_000,
  /** What was lacking of a user's call is held beside his next ones of its model for so long, for so many of both. */
  shortfallMs: 24 * 3_600_000,
  shortfallsMax: 10_000,
  /** A settlement that has not committed after this goes to disk, and the answer's end goes out. */
  settleWaitMs: 2_000,
  settleRetryMs: 1_000,
  /** A settlement whose values the database refuses so often is given up, and what it held is given back. */
  settleRefusals: 10,
  /** A money statement without an answer by now has an unknown outcome: callers are told 503, settlements wait on disk. */
  moneyStatementMs: 2_000,
  /**
   * A money statement that waits so long for one row goes on without the calls that need it: far longer than another
   * process holds a row for a batch of its own. Those calls are looked at so often, and refused after `moneyStatementMs`.
   */
  moneyLockMs: 500,
  heldRowsLookMs: 50,
  /**
   * A settlement that runs out of time alone is tried again after this, then after twice as long, and so on up to the
   * second: each time it may hold rows that others need for as long as a statement takes. So many of them are remembered.
   */
  outOfTimeAgainMs: 1_000,
  outOfTimeAgainMaxMs: 600_000,
  outOfTimeKept: 10_000,
  /** Any other transaction that writes gives up when it waits for a row, or for its own process, for so long. */
  changeWaitMs: 1_000,
  /** What an embedded database has not answered by then, it is still working at: to give up sooner would free nothing. */
  moneyStatementEmbeddedMs: 10_000,
  /** What could not be asked of the balance for a stream under way is asked again after this, and after twice as long. */
  extendAgainMs: 1_000,
  extendAgainMaxMs: 30_000,
  /** With less free space than this for the spool, new work is refused. */
  spoolFreeBytes: 16 * MIB,
  heartbeatMs: 5_000,
  recoveryMs: 30_000,
  /** A process that was not seen for so long, while the database was up, is taken for dead. */
  silentSec: 300,
  orphanKeepSec: 30 * 86_400,
  /** How often it is looked for invited users whose first charged call pays their invitation, and how many at a time. */
  firstCallLookMs: 30_000,
  firstCallsAtOnce: 500,
  /** How often it is looked for daily work that is due. */
  dailyLookMs: 600_000,
  /** Rows of an erased user's log that one statement makes nameless; how long who erases waits for all of them. */
  forgottenRows: 1_000,
  forgetWaitMs: 2_000,
  /** For so long it is looked daily for what a process that died has left of it. */
  forgetAgainSec: 7 * 86_400,
  /** How often it is looked whether the hour's audit is due; each of its statements, and the pause behind it. */
  auditLookMs: 60_000,
  auditStatementMs: 15_000,
  auditPauseMs: 200,
  /** Of its findings, what is kept to be shown; `./scripts/audit` lists them. */
  auditFindingsKept: 20,
  /** Charges younger than that stand for themselves, however short the log is: a task may still give them back. */
  foldLeastDays: 7,
  /** Users whose old charges are folded by one statement, and how many of these: a tenth of a second of an embedded database. */
  foldUsers: 100,
  foldCharges: 10_000,
  /** Tokens of months of long ago that one statement removes. */
  monthsForgottenAtOnce: 10_000,
  /** Users of whom it is known that they have some. */
  usersWithMonths: 100_000,
  /** Hours in which a day of a statement begins, of which is kept what came after: some 4 MB. */
  begunHoursKept: 20_000,
  /** Whole hours that an embedded database keeps as they were read: some 3 MB, and of who has many figures 38 before they are folded. */
  wholeHoursKept: 20_000,
  /** How often one request reads further charges of these hours: a hundred million on a server. */
  statementTurns: 1_000,

  /** An embedded database is asked so often whether it is well; so many faults in a row end the process. */
  engineWatchMs: 5_000,
  engineFaults: 3,
  /** It may be busy with a large question for a while. */
  engineAnswerMs: 60_000,
} as const;
