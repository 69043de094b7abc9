/** Websockets. A picture or a minute of plain sound comes in one message. */
import { CHAR_BYTES, KIB, MIB } from './sizes.ts';

const MESSAGE = 4 * MIB;

/** Nobody sees how much of a message has come before it is whole, so that each websocket takes the room of the largest. */
const AT_ONCE = (1_024 * MIB) / MESSAGE;

export const sockets = {
  /**
   * Of a caller's. OpenAI takes 15 MiB of sound in one event; clients send tenths of a second, and pictures that were made
   * small for it.
   */
  socketMessageBytes: MESSAGE,
  /** What an upstream has said and nobody has read yet. */
  upstreamSocketBytes: 16 * MIB,
  /**
   * What may wait on one of them, either way, before a next message: a minute of sound that comes faster than it is heard.
   */
  socketWaitingBytes: 4 * MIB,
  /** What a session's caller has sent and has not been passed, before a next message: the memory that the largest one takes. */
  sessionWaitingBytes: CHAR_BYTES * MESSAGE,
  /** No upstream tells that it has taken what waits for it, nor always which wish it refuses: it is looked how much is left. */
  socketLookMs: 1_000,
  socketsAtOnce: AT_ONCE,
  socketsOfUser: AT_ONCE / 4,
  /** Of the sockets that other networks leave. */
  socketsOfNetworkShare: 0.5,
  /** The name of a session with a tool service as its caller has it: sealed, a third longer than the service's. */
  toolSessionChars: 2_048,
  /** A service that is told of the end of a session has little to do. */
  toolSessionEndMs: 10_000,
  /** Of a request to one: clients have numbers and UUIDs. It is kept, and stands wherever the service repeats it. */
  rpcIdChars: 256,
  /** Requests to tool services that their callers may still take back. */
  toolIdsKept: 10_000,
  /** OpenAI ends its sessions after an hour. */
  sessionMs: 3_600_000,
  /** A session of which its upstream hears and says nothing for so long has been forgotten. */
  sessionIdleMs: 600_000,
  /**
   * Where all places are taken, one without an answer for so long may have to give way: nobody thinks that long in a talk.
   */
  sessionQuietMs: 60_000,
  /** An answer that was asked for begins within a second; what has not by then was refused. */
  answerBeginsMs: 10_000,
  /**
   * Answers of one session that were asked for and have not ended. The conversation has one, and few are wanted beside it.
   */
  sessionAnswersAtOnce: 32,
  /** Characters that the callers of all sessions have passed in one turn of the loop: a millisecond or two. */
  sessionsTurnChars: 512 * KIB,
  /** What an event counts beside its own: a small one takes some tens of microseconds, so that sixty are a turn's. */
  sessionEventChars: 8 * KIB,
  /** What each name in it does. */
  sessionNameChars: 512,
  /**
   * Of one event: different names, what folding them takes, and values. It takes some 20 ms at most; an update of a session
   * with a hundred tools has some hundreds of names and thousands of values.
   */
  sessionEventKeys: 4_096,
  sessionEventKeysWeight: 512 * KIB,
  sessionEventValues: 20_000,
  /**
   * Names and short values of a session, over its events, that are counted by their places together: those of one of two
   * generations, which take 500 KB at most.
   */
  sessionTextsCounted: 2_048,
  /** Kinds of tools of a session that run at its upstream, all of which it keeps: services have some ten. */
  sessionTools: 128,
  /** Items of a session that are yet to be written down, and names of those that were paid for. */
  transcriptsWaiting: 64,
  transcriptsPaidKept: 1_000,
  drainBytes: 1 * MIB,
} as const;
