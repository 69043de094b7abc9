/**
 * The relay over an upstream that answers calls beside chat as a test tells it to. Each channel has a model of its own;
 * one input token costs one unit, one of output two, of sound three and of spoken sound six.
 */
import type { JsonObject } from '../../src/core/json.ts';
import { parseObject } from '../../src/core/json.ts';
import type { OptionKey } from '../../src/options/registry.ts';
import { type LogRow, openTestRelay, type TestRelay } from './relay.ts';

/** What the upstream got. */
export interface OperationSeen {
  path: string;
  query: Record<string, string>;
  headers: Headers;
  body: JsonObject;
  form: FormData | null;
  /** The caller has broken the connection off. */
  signal: AbortSignal;
}

type Answer = (seen: OperationSeen) => Response | Promise<Response>;

export interface Operations {
  relay: TestRelay;
  /** Where the upstream is. */
  readonly base: string;
  seen: OperationSeen[];
  readonly lastSeen: OperationSeen;
  /** What the upstream answers from now on. */
  answers(answer: Answer | JsonObject): void;
  /** A channel of this type with a model of its own; its name. */
  model(type: number, more?: JsonObject & { named?: string }): Promise<string>;
  /** Sets options by model: `{ ModelPrice: { m: 0.04 } }` beside what stands there. */
  price(prices: Partial<Record<OptionKey, Record<string, number>>>): Promise<void>;
  post(path: string, body: JsonObject | FormData, headers?: Record<string, string>): Promise<Response>;
  /** The row of the latest call. Call it once a call that was reserved for. */
  row(): Promise<LogRow>;
  close(): Promise<void>;
}

const ANY: Answer = () => Response.json({ error: { message: 'no answer was told' } }, { status: 500 });

export async function openOperations(): Promise<Operations> {
  const relay = await openTestRelay();
  const seen: OperationSeen[] = [];
  let answer = ANY;
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const isForm = request.headers.get('content-type')?.startsWith('multipart/') ?? false;
      const form = isForm ? await request.formData() : null;
      const body = form ? {} : (parseObject(await request.text()) ?? {});
      const query = Object.fromEntries(searchParams);
      const { headers, signal } = request;
      const entry = { path: pathname, query, headers, body, form, signal };
      seen.push(entry);
      return answer(entry);
    },
  });
  const base = `http://127.0.0.1:${upstream.port}`;
  const prices: Partial<Record<OptionKey, Record<string, number>>> = {
    ModelRatio: {},
    CompletionRatio: {},
    AudioRatio: {},
    AudioCompletionRatio: {},
    ImageCompletionRatio: {},
  };
  let models = 0;
  let rowsSeen = 0;

  const price: Operations['price'] = async (more) => {
    for (const [key, table] of Object.entries(more) as [OptionKey, Record<string, number>][]) {
      prices[key] = { ...prices[key], ...table };
    }
    await relay.set(prices);
  };

  return {
    relay,
    base,
    seen,
    get lastSeen() {
      const last = seen.at(-1);
      if (!last) throw new Error('nothing went upstream');
      return last;
    },
    answers(given) {
      answer = typeof given === 'function' ? given : () => Response.json(given);
    },
    async model(type, { named = `model-${models++}`, ...more } = {}) {
      await relay.addChannel({ type, base_url: base, models: named, ...more });
      await price({
        ModelRatio: { [named]: 1 },
        CompletionRatio: { [named]: 2 },
        AudioRatio: { [named]: 3 },
        AudioCompletionRatio: { [named]: 2 },
        ImageCompletionRatio: { [named]: 2 },
      });
      return named;
    },
    price,
    post(path, body, headers = {}) {
      const isForm = body instanceof FormData;
      return fetch(`${relay.base}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${relay.key}`,
          ...(!isForm && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: isForm ? body : JSON.stringify(body),
      });
    },
    async row() {
      const rows = await relay.settled(rowsSeen + 1);
      rowsSeen = rows.length;
      const row = rows.at(-1);
      if (!row) throw new Error('no row was written');
      return row;
    },
    async close() {
      await upstream.stop(true);
      await relay.close();
    },
  };
}

/** The files of a form's field. */
export const filesIn = ({ form }: OperationSeen, name: string): File[] =>
  (form?.getAll(name) ?? []).filter((value): value is File => typeof value !== 'string');

/** An event stream of these events. */
export const eventStream = (events: readonly (JsonObject | string)[]): Response =>
  new Response(
    events
      .map((event) => {
        if (typeof event === 'string') return `data: ${event}\n\n`;
        const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
        return `${name}data: ${JSON.stringify(event)}\n\n`;
      })
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  );
