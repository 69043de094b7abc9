/** The ways into the relay beside JSON, over upstreams of their own: forms, and sessions. Each beside a relay that is open. */
import type { JsonObject } from '../../src/core/json.ts';
import { patience } from './patience.ts';
import { connect, type RealtimeClient, type RealtimeUpstream, startRealtime } from './realtime.ts';
import type { TestRelay } from './relay.ts';

/** US dollars a call of the models here: what a relay asks for its own models stays as it is. */
const PRICE = 0.001;

export interface Forms {
  /** What the upstream got. */
  readonly seen: readonly FormData[];
  /** A picture to be changed, with these fields beside it. */
  ask(...fields: readonly (readonly [name: string, value: string | File])[]): Promise<Response>;
  close(): Promise<void>;
}

export async function openForms(relay: TestRelay): Promise<Forms> {
  const model = 'gpt-image-1';
  const seen: FormData[] = [];
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      seen.push(await request.formData());
      return Response.json({ data: [{ b64_json: 'aGk=' }] });
    },
  });
  await relay.set({ ModelPrice: { [model]: PRICE } });
  await relay.addChannel({ models: model, base_url: `http://127.0.0.1:${upstream.port}` });
  return {
    seen,
    ask(...fields) {
      const form = new FormData();
      form.append('model', model);
      form.append('prompt', 'a cat');
      form.append('image', new File(['png'], 'a.png', { type: 'image/png' }));
      for (const [name, value] of fields) form.append(name, value);
      const headers = { authorization: `Bearer ${relay.key}` };
      return fetch(`${relay.base}/v1/images/edits`, { method: 'POST', headers, body: form });
    },
    close: () => upstream.stop(true),
  };
}

export interface Sessions {
  /** A session with the model, from both ends. */
  open(
    model: string,
  ): Promise<{ client: RealtimeClient; session: Awaited<ReturnType<RealtimeUpstream['next']>> }>;
  /** Closes it and waits until nothing is held for it. */
  end(client: RealtimeClient): Promise<void>;
  close(): Promise<void>;
}

const SETTLED_MS = patience(10_000);

/** `models`: of a channel each, with what is said of it. */
export async function openSessions(
  relay: TestRelay,
  models: Readonly<Record<string, JsonObject>>,
): Promise<Sessions> {
  const upstream = startRealtime();
  const names = Object.keys(models);
  await relay.set({ ModelPrice: Object.fromEntries(names.map((name) => [name, PRICE])) });
  for (const [name, more] of Object.entries(models)) {
    await relay.addChannel({ models: name, base_url: upstream.base, ...more });
  }
  return {
    async open(model) {
      const opening = upstream.next();
      const headers = { authorization: `Bearer ${relay.key}` };
      const client = await connect(`${relay.base}/v1/realtime?model=${model}`, { headers });
      return { client, session: await opening };
    },
    async end(client) {
      client.socket.close(1000);
      for (const until = performance.now() + SETTLED_MS; performance.now() < until; await Bun.sleep(10)) {
        if ((await relay.reservations()).length === 0) return;
      }
      throw new Error('not settled');
    },
    close: () => upstream.stop(),
  };
}
