/** Connections to upstreams, and channels and keys that fail. */
import { MIB } from './sizes.ts';

export const upstreams = {
  /** How long an origin's checked address is used, and how long a host that answered counts as reachable. */
  resolvedMs: 30_000,
  reachableMs: 30_000,
  resolvedOrigins: 10_000,

  /** Connections that Bun keeps for the next call, of each scheme together: one more makes it close the longest idle. */
  keptConnections: 64,
  /** Upstreams that do not say how long they keep an idle one may close it then: a minute is usual for balancers. */
  keptConnectionMs: 60_000,
  /** A connection of earlier calls that is reset so soon was closed before this call came. */
  staleConnectionMs: 1_000,
  /** How long it is known which key gave an answer that its upstream keeps. */
  answerAffinitySec: 7 * 86_400,
  /**
   * Shorter than what caches of OpenAI's, Anthropic's and Google's keep: 1,024 tokens at the least, which are as a rule more
   * bytes in any script. And how much tells conversations apart of what they begin with: of what is said before the first
   * message, and of that.
   */
  uncachedPromptBytes: 3_072,
  openingChars: 16_384,
  /** Places from which one answer can be taken up again: only those are of use that came last. */
  continuationsOfAnswer: 16,
  /** Containers that one answer is remembered and charged to have run in: none makes more. */
  containersOfAnswer: 16,
  /** Those of a request that are looked up: more than a day has of them, one after another. */
  containersLookedUp: 64,
  /**
   * Pieces of what one answer thought, and their seals: answers that search think anew after each of some dozens. Of one
   * with more the others are as good as a stranger's.
   */
  piecesOfAnswer: 64,
  /**
   * Of each kind what is remembered of all answers of one user, each some 400 bytes in Redis; and in one process without it
   * of all users' answers, and again of all their pieces: some 80,000. Who has many functions called at once makes items for
   * nearly nothing.
   */
  keptOfUser: 100_000,
  keptInMemoryBytes: 96 * MIB,

  // Circuit breakers of channels and keys. Envoy takes a host out after five failures in a row; the share of failures
  // catches one that fails by turns.
  failuresInARow: 5,
  /** Of a model that hides what it thinks, which may be asked for more than fits into its time once or twice. */
  silencesInARow: 3,
  failuresOf: 20,
  failureWindowMs: 30_000,
  failedOpenMs: 10_000,
  failedOpenMaxMs: 60_000,
  /** After a 429 that does not say how long. */
  busyOpenMs: 5_000,
  busyOpenMaxMs: 60_000,
  /** A key that its upstream refused, where it is not disabled. */
  refusedOpenMs: 60_000,
  /** Half-open: one call probes it; when that has no result by then, the next may. */
  halfOpenMs: 60_000,
  /** A channel that fails so many half-open probes is disabled. */
  probesBeforeDisabling: 3,
  /**
   * Users, and networks of theirs, who must have seen a channel or key fail since it last answered before it is disabled
   * where no test of our own can ask it, and for how long what they saw counts; and how long one that passed a test is not
   * tested again.
   */
  witnesses: 3,
  witnessMs: 600_000,
  testAgainMs: 60_000,
  /** Channels and keys that failed lately, and models of each. */
  breakersMax: 10_000,
  /** How often it is looked for channels whose time is over; they are passed over before that. */
  channelExpiryMs: 10_000,
  /** Channels whose keys' turns are remembered; more than any operator has. */
  keyTurns: 100_000,
  /** Keys that one test of a channel asks where all of them are off: a vendor need not see a thousand dead ones at once. */
  keysOfTest: 10,
  /** How often it is looked for tests that are due. */
  watchMs: 30_000,
  /** What does not change is told to root again after so long, of so many subjects. */
  alertAgainMs: 3_600_000,
  alertsRemembered: 10_000,
  /** A channel that tells usage beyond reason so often within so long is told of. */
  suspectsBeforeAlert: 3,
  suspectWindowMs: 3_600_000,
  /** Whoever tells no usage at all does so for good. */
  untoldWindowMs: 604_800_000,
  /** Channels that are remembered for it: more than sites have, of which few lie within an hour. */
  suspectsRemembered: 1_000,

  /**
   * Retries beyond the first of a call are at most this share of the calls; what calls without failure leave of it is kept,
   * up to a bound.
   */
  retryShare: 0.2,
  retryReserve: 100,
  retryStart: 20,
  /** Users who have such a budget of their own at a time. */
  retryUsers: 10_000,
  /** So many channels are passed over that have no words for a call: to find that out costs work, which nobody pays for. */
  unservedMost: 10,
  backOffMs: 50,
  backOffMaxMs: 1_000,
  /** Nothing is tried again after a call has waited for so long. */
  retryWithinMs: 20_000,
  /**
   * A call of a tool, one whose upstream looks for what its caller has named, or one that nobody waits for any more, stands
   * still when nothing has come of it for so long. By then vendors have fetched a picture and begun to speak, or refused it;
   * to hold all of 464 places so takes 46 calls a second, and not one each four.
   */
  upstreamStillMs: 10_000,
} as const;
