/** Upstream answers: in memory, on their way to callers, and counted; and streams whose content is long in coming. */
import { KIB, MIB } from './sizes.ts';

export const answers = {
  upstreamErrorBytes: 1 * MIB,
  upstreamPlainBytes: 64 * MIB,
  /** Whole answers in memory, from their first byte on until the large ones are written; as much as requests may take. */
  answersInMemoryBytes: 512 * MIB,
  /**
   * Users whose answer was given up for want of room, for so long; their next ones hold so many times as much ahead: from
   * the least that can lack to the largest answer in six steps.
   */
  lackedRoomUsers: 10_000,
  lackedRoomMs: 3_600_000,
  lackedRoomGrows: 4,
  /** What all calls of one of them hold ahead, which is the largest answer once, and all of a network: a quarter of the room. */
  aheadOfUserBytes: 64 * MIB,
  aheadOfNetworkBytes: 128 * MIB,
  /** Large pages and lists for guests, apart from those of who pays: half of it for one network. */
  guestAnswersBytes: 64 * MIB,
  /** A longer answer is written piece by piece, as its caller reads; sockets take this much at once, or nearly so. */
  answerAtOnceChars: 128 * KIB,
  /**
   * Answers under way beside the relay's calls, where there are files for so many, and what of the rest one network has.
   * Part of them is for who is known alone, where his network has no more; a quarter of the rest of it for one of them.
   */
  answersAtOnce: 2_048,
  answersOfNetworkShare: 0.75,
  answersOfKnownPart: 1 / 8,
  answersOfKnownShare: 0.25,
  /** Connections that stay open behind given answers, where there are files for so many; a proxy needs some tens. */
  answersKept: 256,
  keptOfNetworkShare: 0.5,
  /**
   * A given answer is taken by then, or its connection ends; nor is an idle one kept for longer. Proxies keep theirs for a
   * minute, and most for no longer than a minute and a half.
   */
  answerTakenSec: 120,
  /** So much of an answer a proxy takes whose own reader takes nothing: a buffer of 4 KiB, of which heads fill the rest. */
  proxyTakesBytes: 1 * KIB,
  /**
   * Built files of one network: a first visit takes some twenty parts, an office of a hundred loads them at once. What a
   * proxy has of them for who takes nothing is 128 MiB.
   */
  filePartsAMinute: 4_096,
  filePartBytes: 32 * KIB,
  /** Shorter ones fit into a packet or two as they are. */
  compressFromBytes: KIB,
  /** More is compressed beside the event loop: this much takes 70 µs, and no longer than to hand it over. */
  compressAtOnceBytes: 32 * KIB,
  /** No more than a slow reader takes in seconds, so that it is seen that he reads; a character takes three bytes at most. */
  writePieceChars: 24 * KIB,
  writePieceBytes: 64 * KIB,
  /** A caller who takes no piece for so long is gone. */
  writeIdleMs: 60_000,
  /**
   * Nor is waited for who takes longer for all of it, or for a part of it than is its part of that, beside the time for a
   * piece: the largest answer comes through a megabit a second.
   */
  writeWholeMs: 600_000,
  /** Who takes nothing for so long may lose the rest of a large answer to those who find no room. */
  writeSlowMs: 1_000,
  /**
   * And who takes less than so much in so long may lose it to those who find no place. Sockets take a megabyte or more at a
   * time: for what somebody has taken he is waited for longer, up to this.
   */
  readerSlowMs: 3_000,
  readerSlowBytes: 64 * KIB,
  readerBurstMs: 10_000,
  /** Tool calls of one streamed answer; models make some tens. */
  streamCalls: 1_024,
  /**
   * One frame of an event stream, which may be as large as a whole answer: pictures and sounds arrive whole in one, and the
   * last one of a Responses stream repeats them all.
   */
  streamFrameBytes: 64 * MIB,
  /** Frames that are held before the first content; beyond it a stream is begun. */
  streamHeadBytes: 4 * MIB,
  /** What was produced, kept for an exact local count when the upstream sends no usage, or one that is doubted. */
  meterKeepBytes: 1 * MIB,
  /** Frames of a stream that are looked at for a new shape; thinking, text and each tool or choice have one of their own. */
  meterShapes: 8,
  /** Characters that are counted by a tokenizer; of more, pieces from all over. Noise takes 12 s a million. */
  countedChars: 256 * KIB,
  /** Counts that wait for the tokenizer, of each kind; beyond it, and after so long, a part stands for the whole. */
  countsWaiting: 500,
  countWaitMs: 2_000,
  /** The first count of a kind waits for its tables, which takes half a second of CPU. */
  countTablesMs: 10_000,

  /** A stream whose content does not come is begun by then, so that the caller's own time-out does not strike. */
  holdHeadersMs: 10_000,
  /**
   * A begun stream in which nothing has gone down for so long says that it is there: what stands before a caller takes a
   * silent one for dead after a minute (nginx) or less.
   */
  streamQuietMs: 10_000,

  /** Models that show nothing of what they think take minutes to the first word of an answer. */
  unseenThoughtsMs: 300_000,
  /** Who had less of a call's time has not done what is charged where it was not told in time. */
  workMs: 5_000,
  /** Streams that are read on after their callers have left, whose cost is counted where they are not. */
  drainsAtOnce: 200,
  /** Of those that others leave, how many may be of one user's streams. */
  drainsOfOneShare: 0.5,
  /** Of one user, streams whose cost only their end tells. */
  drainsToEndOfOne: 100,
} as const;
