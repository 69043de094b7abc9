/** What this room keeps between calls. */
import type { AnswerRooms } from '../../platform/answer-room.ts';
import type { OneTimeStore } from '../../platform/one-time.ts';
import type { DrainGate } from './drain.ts';
import type { LackedRoom } from './lacked-room.ts';
import type { SessionTurns } from './session-turns.ts';
import type { SocketLimit } from './socket-limit.ts';

export interface AnswerParts extends AnswerRooms {
  /** Which key gave which answer, how long it was, and the containers in which it ran. */
  answers: OneTimeStore;
  /** The same of sounds, thoughts and who sealed them, of which one answer has many: they push out no answer. */
  pieces: OneTimeStore;
  drains: DrainGate;
  lackedRoom: LackedRoom;
  /** How many websockets are open. */
  sockets: SocketLimit;
  sessionTurns: SessionTurns;
}
