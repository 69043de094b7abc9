/**
 * Answers that are written as they are made or read. Bun's own kind of stream is made here alone, so that each of them is
 * known by its response, and what holds for the end of all need be said once: the runtime counts how long a connection is
 * idle from when it is told to, and of a stream it must be told behind the last byte.
 */
type Sink = Parameters<Bun.DirectUnderlyingSource['pull']>[0];

export interface StreamSource {
  /** Settles when it is written, or never will be. Never rejects. */
  written: Promise<unknown>;
  /** Writes all of it. Never rejects: what is not whole breaks off with what this answers, so that it does not look whole. */
  write(sink: Sink): Promise<Error | null>;
  /** Its caller has left. */
  cancel(): void;
}

export interface Streamed {
  readonly written: Promise<unknown>;
  /** Done when all is written, as long as its connection can be told of. */
  beforeEnd?: () => void;
}

const known = new WeakMap<Response, Streamed>();

/** What is known of an answer that is such a stream. */
export const streamedOf = (answer: Response): Streamed | undefined => known.get(answer);

/** Its writes go straight to the socket. The DOM's types do not know this kind of stream, hence the reflection. */
export function streamAnswer({ written, write, cancel }: StreamSource, init: ResponseInit): Response {
  const streamed: Streamed = { written };
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    async pull(controller) {
      const fault = await write(controller);
      streamed.beforeEnd?.();
      if (fault) controller.close(fault);
      else controller.close();
    },
    cancel,
  };
  const body: ReadableStream = Reflect.construct(ReadableStream, [source]);
  const answer = new Response(body, init);
  known.set(answer, streamed);
  return answer;
}

/** The connection ends behind it: what is not taken of it lies in the sockets, where nobody sees it. */
export function closing(answer: Response): Response {
  answer.headers.set('connection', 'close');
  return answer;
}
