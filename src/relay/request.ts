/** One request, as it was when it came. Nothing here changes while it is handled. */
import type { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Dialect, FormFile, Operation, PathFacts, RequestFacts } from '../dialects/dialect.ts';
import type { Joiner } from '../dialects/framing.ts';
import type { Converted } from '../dialects/passage.ts';
import type { KnownSeals } from '../dialects/sealed-reasoning.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import type { Caller } from '../modules/token/callers.ts';
import type { StandsInPlace } from '../platform/reader-places.ts';
import type { SocketPeer } from '../platform/sockets.ts';
import { vendorBehind } from '../providers/registry.ts';

export interface RelayRequest {
  /** Also the id of its reservation, ledger row and log row. */
  readonly id: string;
  readonly ip: string;
  /** Whose call it is. */
  readonly userId: number;
  readonly operation: Operation;
  /** The caller's dialect. */
  readonly dialect: Dialect;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  /** What the path says where the body does not. */
  readonly path: PathFacts;
  /** What of his body is the caller's to say. */
  readonly body: JsonObject;
  /** Names of what was left out of it. */
  readonly dropped?: readonly string[];
  /** The form that came instead of JSON; `body` holds its fields. */
  readonly upload?: Upload;
  /** Turns the call into a websocket, of a call that becomes one; false when the caller has gone. */
  readonly upgrade?: (peer: SocketPeer) => boolean;
  /** The framing of the caller's stream, where that is not one of events. */
  readonly joiner: (() => Joiner) | null;
  readonly facts: RequestFacts;
  /** By whose mark its reasoning is sealed, where that is remembered; absent where nobody but who is asked can have sealed it. */
  readonly sealedBy?: KnownSeals;
  /** performance.now() when its head had come. */
  readonly startedAt: number;
  /** What is held for it is the more the longer it is: not at a price a call, nor at none, nor with the caller's own key. */
  readonly isHeldByLength?: boolean;
  /** The caller wants to be told what the call cost. */
  readonly wantsCost: boolean;
  /** Aborts when the caller closes the connection. */
  readonly left: AbortSignal;
  /** A test of ours: nobody pays for its answer, so that nothing waits for it once its caller has left. */
  readonly isOwnTest?: boolean;
  /** Memory that the call takes beside its body; given back when it has ended. */
  readonly hold: (held: Held) => void;
  /** Its place among calls is told, which gives way then. */
  readonly standsStill?: StandsInPlace;
  /** Room for its answer that had to be there before anybody was asked. */
  readonly ahead?: RoomAhead | null;
  /** Done once what goes up will not go up again: to let go of it, and of its room. */
  readonly whenSent: (work: () => void) => void;
  /** Nobody is asked any more. */
  readonly sent: () => void;
  /** The call's slot and memory are given back only then, where its answer ends before it. */
  readonly heldUntil: (written: Promise<void>) => void;
  /** Must be called once, when the answer has ended: its line is logged and the body's memory given back. */
  readonly ended: (end: CallEnd) => void;
}

/** Who was let in. */
export interface Admitted {
  caller: Caller;
  /** Set when an administrator asks for one channel by `sk-KEY-ID`. */
  pinned: RoutedChannel | null;
}

/** What a call takes while it is under way. */
export interface Held {
  /** May be called twice. */
  release(): void;
}

/** Room that an answer has before it comes. */
export interface RoomAhead extends Held {
  /** So many bytes of it are counted as they come from here on. */
  give(bytes: number): void;
}

/** What goes up of a form. */
export interface Form {
  headers: Record<'content-type' | 'content-length', string>;
  /** A new stream each time. */
  body(): ReadableStream<Uint8Array>;
}

export interface Upload {
  /** The fields that are no files; of a name that came several times, the list. */
  readonly fields: JsonObject;
  readonly files: readonly FormFile[];
  /** Its room on the disk. */
  readonly held: Held;
  /** Gives that back because it will not be sent again, unless some of it is still on its way. */
  sent(): void;
  /** The form as it goes up. */
  formFor(sent: SentForm): Form;
  /** A whole file, for upstreams that want it otherwise. Throws `invalid_request` for one too large to be held. */
  bytesOf(file: FormFile): Promise<Uint8Array>;
}

/** What goes up of a form beside its files. */
export interface SentForm {
  /** Instead of the caller's. */
  model: string;
  /** Of the caller's fields, those that are named here. */
  fields: Readonly<JsonObject>;
  /** The operator's, instead of the caller's of the same name; null takes a field away. */
  set?: Readonly<JsonObject>;
}

/** How a call ended, for the log line and the figures. */
export interface CallEnd {
  status: number;
  /** Of the error, where it was one. */
  code?: string | undefined;
  userId?: number;
  tokenId?: number;
  channelId?: number;
  /** At whom the caller's own key was used. */
  supplier?: string;
  promptTokens?: number;
  completionTokens?: number;
  quota?: number;
  streamEnd?: string | undefined;
  firstContentMs?: number | undefined;
  /** Of a call that came to nothing: it stands in the log of who called. */
  failure?: { error: AppError; adminInfo?: JsonObject };
}

/** Who is asked. */
interface BodyReader {
  converted?: Pick<Converted, 'to'> | undefined;
  model: string;
  /** Null where nobody is. */
  channel: Pick<RoutedChannel, 'type' | 'baseUrl'> | null;
}

/** The request as who is asked is to read it: without what a dialect leaves out for him. */
export function asReadBy<R extends Pick<RelayRequest, 'dialect' | 'body'>>(
  request: R,
  { converted, model, channel }: BodyReader,
): R {
  const { dialect, body: said } = request;
  const isOwn = !converted || converted.to === dialect.id;
  const vendor = channel ? (vendorBehind(channel) ?? null) : null;
  const body = dialect.asReadBy?.(said, { isOwn, model, vendor }) ?? said;
  return body === said ? request : { ...request, body };
}

/** Nobody pays for it. */
export const isFree = ({ operation }: Pick<RelayRequest, 'operation'>): boolean =>
  operation === 'count-tokens';

export const elapsedMs = (request: Pick<RelayRequest, 'startedAt'>): number =>
  performance.now() - request.startedAt;
