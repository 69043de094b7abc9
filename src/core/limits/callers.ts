/** Who calls by relay keys: how often, how they are looked up, and what is remembered of them. */
import { MIB } from './sizes.ts';

export const callers = {
  /** Balance calls of one user: two programs that ask each second. */
  balanceCallsAMinute: 120,
  /** Lists of models of one user: as many. A client asks once when it starts. */
  modelListsAMinute: 120,
  /** Counts of tokens of one user, which cost nobody anything: some agents ask before each of their calls. */
  countsAMinute: 300,
  /** An upstream that has not counted by then is not waited for, since what it would count can be counted here. */
  countAskMs: 10_000,
  /** Two programs that ask each second are told what the first of them read. */
  balanceKeptMs: 1_000,
  /** More than there can be callers in a second. */
  balancesKept: 10_000,
  /** Messages of one user to tool services that are not calls of tools. A client sends three before its first call. */
  toolMessagesAMinute: 120,
  /** Unknown relay keys from one address; a well-known gateway blocks at the same number. */
  badKeysAMinute: 120,
  /** Look-ups of credentials that were not seen before: at once, of one network, and waiting; each takes a millisecond. */
  lookupsAtOnce: 32,
  lookupsOfOneAtOnce: 16,
  lookupsWaiting: 10_000,
  lookupsOfOneWaiting: 2_000,
  /** From one address that was wrong too often. */
  slowLookupsASecond: 5,

  /** Longer addresses, into which callers may write, are read anew with each call. */
  readAddressChars: 500,
  /** Callers' addresses whose networks are kept: some 300 bytes each. */
  addressesKnown: 10_000,

  callerCacheMs: 60_000,
  callerCacheEntries: 50_000,
  /** All of them in memory, most some 600 bytes each; one with the longest lists takes 200 KB. */
  callerCacheBytes: 64 * MIB,
  /** Keys that nobody has, remembered for a moment: a flood of guesses costs bounded memory and few queries. */
  unknownKeyMs: 5_000,
  unknownKeyEntries: 10_000,
} as const;
