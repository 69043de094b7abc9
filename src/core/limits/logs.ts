/** The usage log, failed calls and usage: what is written, kept, looked at and exported. */
import { KIB } from './sizes.ts';

const LATE_USAGE_SEC = 3_600;
/** From when it is looked whether a settlement is late until its statement is committed: many times longer than that waits. */
const WRITTEN_WITHIN_SEC = 3_600;

export const logs = {
  // Failed calls, written by batches: some 1 MB of rows, and of counts what a thousand callers cause at once. A batch of
  // more than a few is a flood, whose next one waits, so that it takes a fraction of a connection.
  failedRowsWaiting: 1_000,
  /** One user has one part in so many of the places. */
  failedRowsShare: 4,
  failedCountsWaiting: 10_000,
  /** Rows of hourly figures that one user's failed calls make in an hour, by token, model, channel and code. */
  failedWays: 200,
  /** Users of whom that is known, some 20 MB at most. */
  failedWaysUsers: 1_000,
  failedRowsFlood: 20,
  failedRowsPauseMs: 200,
  /** Until counts are tried again that the database was away for. */
  failedAgainMs: 1_000,
  /** Of a model's or a group's name, which the caller may have made up. */
  failedNameChars: 200,
  /**
   * Of a model's name that no channel has. A pattern of half as many characters is compared at every place of it, so that
   * filters take the square of this: on 20,000 such rows some 0.2 s, where 200 would take 2 s.
   */
  madeUpNameChars: 64,
  /** Of what is told of it, which may quote the caller or an upstream. */
  failedTextChars: 1_000,

  // Usage by parts of days. A settlement may be written long after its call: from so many seconds on it says so, and a
  // part is folded so long after its end, so that the clocks of hosts may differ by hours.
  lateUsageSec: LATE_USAGE_SEC,
  /** What says nothing of the kind is written by so long after its call: an hour that ended before stays as it was read. */
  hourOverSec: LATE_USAGE_SEC + WRITTEN_WITHIN_SEC,
  foldUsageAfterSec: 6 * 3_600,
  /** Hourly figures that an embedded database folds by a statement, each into some 17 sums: some 50 ms. */
  foldFigures: 1_000,
  /** Sums that it removes by a statement, of a part that is folded anew, or reads for those of a span of days. */
  foldedAtOnce: 5_000,

  /** Rows that are looked at for a page and its count, and for sums: some tenths of a second. */
  countCap: 100_000,
  /** Of one user's, where they have to be read whole: each lies on another page of the table. */
  scatteredCap: 20_000,
  /** Hourly figures that are looked at for sums which parts of days do not know, the newest: a tenth of a second. */
  usageLooked: 200_000,
  /** A page of the log or its sums; what takes longer needs narrower filters. */
  logReadMs: 5_000,
  /** Any other statement of a caller of the console; he is told 503. */
  consoleStatementMs: 10_000,
  /** Such reads of one process at once: the other connections stay free for money. More wait, then 503. */
  logReadsAtOnce: 4,
  logReadsWaiting: 100,
  /** Of one reader: the two of a page, and some pages that he has not waited for. */
  logReadsOfOneAtOnce: 2,
  logReadsOfOneWaiting: 20,
  /** What an embedded database looks at of all that a server does: two or three such looks of a call take a tenth of a second. */
  embeddedLooks: 1 / 4,
  /** On an embedded database one is under way, and rests are so many times as long: half of its one thread at most reads. */
  embeddedReadRests: 1,

  /** Steps of a chart before longer ones are taken: as many as a screen has room for; and lines of it, the rest in one. */
  usageSteps: 400,
  usageSeries: 20,
  /** Rows of the log by which half and nearly all first words are told: a sample as good as any, in some 20 ms. */
  usageSample: 2_000,
  /** A chart of more than a leap year begins where something is known. */
  usageSpanSec: 366 * 86_400,
  /** The most rows of a sheet, and how many are read at once: some 100 KB, next to what sockets take. */
  exportRows: 1_000_000,
  exportPage: 500,
  /**
   * Sheets under way: each reads the database for minutes. Two browsers, an office, the addresses that somebody hires
   * together (a /24, a /48), all.
   */
  sheetsOfUser: 2,
  sheetsOfNetwork: 4,
  sheetsOfRange: 8,
  sheetsAtOnce: 20,
  /** Who takes nothing of his for so long gives way where all places are taken: a phone on its way between two cells may. */
  sheetSlowMs: 3_000,
  /**
   * Rows of the usage log that a piece of its sheet looks at, few of which its filter may have: a tenth of a second of an
   * embedded database.
   */
  exportLooked: 5_000,
  /** Newest hourly figures that the names for the log's filters are taken from, and names that are offered of each kind. */
  namesLooked: 5_000,
  namesOffered: 200,
  /** Rows of the log that are deleted by a statement, and how long a caller waits for all of them. */
  logsDeletedAtOnce: 5_000,
  logsDeletionMs: 5_000,
  /** Of what a row of a call says beside the money, as JSON: of eleven tries that failed, with long reasons, it is some 18. */
  logOtherBytes: 24 * KIB,
  /** Rows that the log of a token answers, and calls of one user a minute. */
  tokenLogRows: 1_000,
  tokenLogCallsAMinute: 20,
} as const;
