/** What an upstream may answer, opened and ready to be passed on. */

import type { Blame } from '../../core/blame.ts';
import type { AppError } from '../../core/errors.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import type { CacheLife } from '../../core/price-bound.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import type { Usage } from '../../core/usage.ts';
import type { RanIn } from '../../dialects/containers.ts';
import type { ReplyFacts, StandingContainer, UpstreamErrorBody } from '../../dialects/dialect.ts';
import type { Edits } from '../../dialects/edits.ts';
import type { Joiner } from '../../dialects/framing.ts';
import type { Converted, StreamPassage } from '../../dialects/passage.ts';
import type { OwnMarks } from '../../dialects/sealed-reasoning.ts';
import type { Drawing, ToolCounter } from '../../dialects/tool-uses.ts';
import type { Candidate } from '../../modules/channel/model.ts';
import type { HeldBytes } from '../../platform/body-budget.ts';
import type { Thinker } from '../charge/thinking.ts';
import type { RelayRequest } from '../request.ts';
import type { Drain } from './drain.ts';
import type { StreamMeter } from './meter.ts';
import type { Pump } from './pump.ts';
import type { StreamRoom } from './stream-room.ts';

/** Whose answer it is, and to what. */
export interface Answer {
  candidate: Candidate;
  /** The request as its upstream has read it. */
  asRead: RelayRequest;
  /** The upstream's name of the model. */
  model: string;
  thinker: Thinker;
  /** Set where request and answer were written anew. */
  converted: Converted | null;
  /** Names of what of the request was left out: some, as they may stand in headers and logs. */
  dropped: readonly string[];
  /** The paid tools that it could set off. */
  paid: PaidTools;
  /** Its upstream was foretold what it would be. */
  foretells: boolean;
  /** What it was asked to do with its conversation first. */
  edits: Edits;
  /** The containers that stand in what went up, or in the context upon which that builds. */
  standing: readonly StandingContainer[];
  /** Before which item of what went up that may be read as a summary alone. */
  summedUpBefore: number;
  /** The longest that it was asked to keep in a cache what it has read; absent where it was not asked to. */
  cacheLife?: CacheLife;
  /** By which its seals are remembered; absent where nobody else is asked to open them. */
  sealMarks?: OwnMarks | undefined;
}

/** A whole answer, its text in the caller's dialect. */
export interface PlainAnswer extends Answer {
  kind: 'plain';
  facts: ReplyFacts;
  text: string;
  contentType: string;
  /** How often tools of the upstream were used in it. */
  tools?: ToolUses;
  /** In which containers they ran. */
  containers?: readonly RanIn[];
  /** What pictures of theirs took, where it tells that. */
  drawing?: Drawing | undefined;
  /** The text with usage that was counted here. */
  counted?(usage: Usage): string;
  /** Its room. */
  held?: HeldBytes;
}

/** A stream that has begun. */
export interface StreamAnswer extends Answer {
  kind: 'stream';
  pump: Pump;
  passage: StreamPassage;
  meter: StreamMeter;
  /** What it holds. */
  room: StreamRoom;
  /** It may be silent for as long as it was asked to think. */
  thinksUnseen: boolean;
  /** Counts the uses of the upstream's tools; absent where its wire knows none. */
  tools?: ToolCounter;
  /** The framing of what comes after the passage has ended. */
  joiner: Joiner | null;
  /** The upstream's own, of an answer of bytes. */
  contentType?: string;
  /** An error that the upstream told in the middle of it, as callers may hear of it. */
  told(error: UpstreamErrorBody): AppError;
  /** Whose fault that is. */
  blames(error: UpstreamErrorBody): Blame;
}

/** The upstream's side of a session. What came before somebody listens waits. */
export interface SessionSocket {
  listen(listener: { message(data: string | Uint8Array): void; closed(code: number): void }): void;
  /** Bytes that the upstream has not taken yet. */
  readonly waitingBytes: number;
  /** False, and nothing is sent, when more is waiting already than may be. */
  send(data: string): boolean;
  close(): void;
}

/** A websocket that is open at the upstream. */
export interface SocketAnswer extends Answer {
  kind: 'socket';
  socket: SessionSocket;
  /** Reading on once the session is over, to what its upstream alone can tell. */
  drain: Drain;
  /** An error that the upstream told in it, and its message, as callers may hear of them; key and channel answer for it. */
  told(error: UpstreamErrorBody): { error: AppError; message: string };
  /** The upstream's name of another model of the channel. */
  nameOf(model: string): string;
}

/** The caller had gone before the upstream answered. */
export interface Left {
  kind: 'left';
}

/** The upstream has worked, or takes money for its refusal, and nothing can be shown; what it took is charged all the same. */
export interface Unshown {
  kind: 'unshown';
  answer: Answer;
  why: 'left' | 'late' | 'gave-way' | 'failed' | 'too-large' | 'refused';
  /** What the caller is told, where he is still there. */
  error: AppError;
  /** Whose fault it is; key and channel are judged by this alone. */
  blame: Extract<Blame, 'nobody' | 'caller' | 'late' | 'channel'>;
  /** What came before it failed, which alone is charged. */
  came?: PlainAnswer;
  /** As the upstream told it: of all that came, or of the prompt alone. */
  usage: Usage | null;
  promptUsage: Usage | null;
  /** It was not read to its end. */
  isCutShort: boolean;
  /** Nobody saw how much of it was written: that is charged as it was held. */
  isUnseen?: true | undefined;
}
