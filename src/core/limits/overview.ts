/** What the overview tells, and lists of models and their prices. */

export const overview = {
  /** Channels and models that the overview names of each kind, and those that it calls slow. */
  overviewListed: 12,
  overviewSlowest: 5,
  /** Models of a share, the rest in one: as many as there are colours for. */
  overviewModels: 5,
  /** What it tells of the site is worked out so often; a change of channels or options is seen at once. */
  overviewMs: 10_000,
  /** Figures of channels are written so often; while the database is away so many wait. They are kept for a week. */
  quartersWriteMs: 10_000,
  quartersWaiting: 10_000,
  quartersKeptSec: 7 * 86_400,
  /** What people feel as slow: a stream that has not begun, a whole answer that is not there. */
  slowBeginMs: 10_000,
  slowAnswerMs: 60_000,

  /**
   * Lists of models and their prices, made of thousands of rows and prices in some tens of milliseconds: one for each
   * group of users, and for administrators. A change drops them all at once, and one that was missed is noticed by then.
   */
  priceListMs: 15_000,
  priceListsKept: 20,
  /** Models that visitors are shown, by the calls of so many days; the figures of a busy site take a second, so not often. */
  popularShown: 8,
  popularDays: 7,
  popularMs: 600_000,
} as const;
