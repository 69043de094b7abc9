/**
 * The answer of an upstream that is spoken to over a websocket: one message goes up, and what comes down is told as an
 * event stream, so that nobody behind the dialer need know how it came.
 */
import { limits } from '../../core/limits.ts';
import { tooLarge } from '../../core/too-large.ts';
import { dialSocket, lostBy, refusedStatus, type SocketTarget } from './socket.ts';

export interface SocketCall extends SocketTarget {
  /** Sent once the socket is open. */
  message: string;
  /** True for the message after which there is nothing more to come. */
  isLast(message: string): boolean;
  signal: AbortSignal;
}

/** Resolves when the socket is open, or with the status by which it was refused. Rejects when nobody answers. */
export function socketAnswer(call: SocketCall): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { signal, isLast } = call;
  if (signal.aborted) return Promise.reject(signal.reason);
  const socket = dialSocket(call);
  const end = () => {
    signal.removeEventListener('abort', end);
    socket.terminate();
  };
  signal.addEventListener('abort', end);
  const { body, push, close, fail } = messageStream(end);

  socket.onopen = () => {
    socket.send(call.message);
    resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  socket.onmessage = ({ data }) => {
    const message = String(data);
    if (!push(message)) {
      fail(tooLarge('waiting'));
      end();
    } else if (isLast(message)) {
      close();
      end();
    }
  };
  socket.onerror = (event) => {
    const error = lostBy(event);
    const status = refusedStatus(event);
    if (status) resolve(new Response('', { status }));
    else reject(signal.aborted ? signal.reason : error);
  };
  socket.onclose = () => {
    signal.removeEventListener('abort', end);
    if (signal.aborted) fail(signal.reason);
    else close();
  };
  return promise;
}

const encoder = new TextEncoder();

/** A body of frames, one a message. `push` answers false when more is waiting than may be. */
function messageStream(onCancel: () => void) {
  let isClosed = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      cancel() {
        isClosed = true;
        onCancel();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: limits.upstreamSocketBytes }),
  );
  return {
    body,
    push(message: string): boolean {
      if (isClosed) return true;
      // Between the tokens of JSON a line end is a blank, and inside its strings there is none.
      controller?.enqueue(encoder.encode(`data: ${message.replace(/[\r\n]+/g, ' ')}\n\n`));
      return (controller?.desiredSize ?? 0) > 0;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      controller?.close();
    },
    fail(reason: unknown) {
      if (isClosed) return;
      isClosed = true;
      controller?.error(reason);
    },
  };
}
