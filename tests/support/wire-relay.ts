/** The relay over an upstream that speaks every wire: one channel and one model a wire, one unit a token. */
import type { JsonObject } from '../../src/core/json.ts';
import { parseObject } from '../../src/core/json.ts';
import { type LogRow, openTestRelay, type TestRelay } from './relay.ts';
import { type Answer, eventsOf, surface } from './surfaces.ts';
import { startWires, type Wire, type WireSeen, type WireUpstream } from './wires.ts';

/** A channel type for each wire. */
const TYPES: Readonly<Record<Wire, number>> = {
  chat: 47,
  responses: 1,
  messages: 14,
  generateContent: 24,
  cohere: 34,
  ollama: 4,
  tencent: 23,
  palm: 11,
  minimax: 35,
};
export const WIRES = Object.keys(TYPES) as Wire[];

/** Of OpenAI's models this one is served by Responses alone. */
export const modelOf = (wire: Wire): string => (wire === 'responses' ? 'o3-pro' : `model-${wire}`);

const EXTRA = 40;

export interface Asked {
  model?: string;
  stream?: boolean;
  /** What the user says. */
  ask?: string;
  /** Over the body. */
  more?: JsonObject;
  headers?: Record<string, string>;
  key?: string;
}

export interface WireRelay {
  relay: TestRelay;
  wires: WireUpstream;
  /** A call in the dialect of this name. */
  ask(name: string, wire: Wire, asked?: Asked): Promise<Response>;
  /** What such a call was answered. */
  read(name: string, response: Response, stream: boolean): Promise<Answer>;
  /** The row of the latest call. Call it once a call that was reserved for. */
  row(): Promise<LogRow>;
  /** Quota of all rows so far. */
  readonly spent: number;
  readonly lastSeen: WireSeen;
  /** A channel of a model of its own. */
  extra(wire: Wire, more?: JsonObject): Promise<{ model: string; id: number }>;
  close(): Promise<void>;
}

export async function openWireRelay(env: Record<string, string> = {}): Promise<WireRelay> {
  const relay = await openTestRelay('postgres', {}, env);
  const wires = startWires();
  const names = [...WIRES.map(modelOf), ...Array.from({ length: EXTRA }, (_, i) => `extra-${i}`)];
  const ones = Object.fromEntries(names.map((name) => [name, 1]));
  await relay.set({ ModelRatio: ones, CompletionRatio: ones, CacheRatio: ones });
  const addChannel = (wire: Wire, more: JsonObject) =>
    relay.addChannel({
      type: TYPES[wire],
      key: wire === 'tencent' ? 'app|secret-id|secret-key' : 'sk-upstream-secret',
      base_url: wires.base,
      ...more,
    });
  for (const wire of WIRES) await addChannel(wire, { models: modelOf(wire) });
  let [extras, calls, spent] = [0, 0, 0];

  return {
    relay,
    wires,
    get spent() {
      return spent;
    },
    get lastSeen() {
      const seen = wires.seen.at(-1);
      if (!seen) throw new Error('nothing went upstream');
      return seen;
    },
    ask(name, wire, { model = modelOf(wire), stream = false, ask = 'Say hello.', ...given } = {}) {
      const { path, body, header } = surface(name);
      const key = given.key ?? relay.key;
      return fetch(relay.base + path(model, stream), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [header]: header === 'authorization' ? `Bearer ${key}` : key,
          ...given.headers,
        },
        body: JSON.stringify({ ...body(model, stream, ask), ...given.more }),
      });
    },
    async read(name, response, stream) {
      const text = await response.text();
      const { read, join } = surface(name);
      return read(stream ? join(eventsOf(text)) : (parseObject(text) ?? {}));
    },
    async row() {
      const row = (await relay.settled(++calls)).at(-1);
      if (!row) throw new Error('no row');
      spent += row.quota;
      return row;
    },
    async extra(wire, more = {}) {
      const model = typeof more.models === 'string' ? more.models : `extra-${extras++}`;
      return { model, id: await addChannel(wire, { models: model, ...more }) };
    },
    async close() {
      await relay.close();
      await wires.close();
    },
  };
}
