/**
 * Real answers of vendors through the whole relay: whichever surface a caller asks on, it says what the recording says,
 * and is billed by the recording's counts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { type JsonObject, parseObject } from '../../src/core/json.ts';
import { pieces } from '../dialects/bytes.ts';
import { answerParts, readStop, SURFACES, type Surface, stopThrough } from '../dialects/mapping.ts';
import { framed, streams, wholeAnswers } from '../dialects/recordings.ts';
import { type Truth, truthOf } from '../dialects/truth.ts';
import {
  UPSTREAM_WIRES,
  type UpstreamWire,
  upstreamAnswers,
  upstreamStreams,
} from '../dialects/upstream-wires.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { eventsOf, surface } from '../support/surfaces.ts';

/** A channel that speaks each wire. */
const CHANNELS: Readonly<Record<string, JsonObject>> = {
  'openai-chat': { type: 47 },
  'openai-responses': { type: 1, models: 'o3-pro' },
  'anthropic-messages': { type: 14 },
  gemini: { type: 24 },
  cohere: { type: 34 },
  ollama: { type: 4 },
  'bedrock-converse': { type: 33, key: 'api-key|us-east-1', models: 'amazon.nova-lite-v1:0' },
};
const modelOf = (wire: string): string => String(CHANNELS[wire]?.models ?? `model-${wire}`);

let relay: TestRelay;
let upstream: Bun.Server<undefined>;
/** What the upstream answers next. */
let answer: () => Response = () => new Response(null, { status: 404 });
/** What the rows of the calls must say, by request id. */
const billed = new Map<string, { prompt: number; completion: number } | null>();

beforeAll(async () => {
  relay = await openTestRelay();
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  const ones = Object.fromEntries(Object.keys(CHANNELS).map((wire) => [modelOf(wire), 1]));
  await relay.set({ ModelRatio: ones, CompletionRatio: ones, CacheRatio: ones, RetryTimes: 0 });
  await relay.api.deps.db.query('update users set quota = 1000000000000 where id = $1', [relay.user.id]);
  for (const [wire, given] of Object.entries(CHANNELS)) {
    await relay.addChannel({
      base_url: `http://127.0.0.1:${upstream.port}`,
      models: modelOf(wire),
      ...given,
    });
  }
});
afterAll(async () => {
  await upstream.stop(true);
  await relay.close();
});

// ---- What the upstream says --------------------------------------------------------------------------------------

/** The bytes in pieces that have nothing to do with frames. */
function streamed(bytes: Uint8Array, type: string): () => Response {
  const [parts = [bytes]] = fc.sample(pieces(bytes), { numRuns: 1, seed: bytes.length });
  return () => {
    const left = [...parts];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const part = left.shift();
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': type } });
  };
}

// ---- What a caller gets ------------------------------------------------------------------------------------------

async function ask(
  name: Surface,
  wire: string,
  stream: boolean,
): Promise<{ response: Response; text: string }> {
  const { path, body, header } = surface(name);
  const model = modelOf(wire);
  const at = path(model, stream);
  const response = await fetch(relay.base + at, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [header]: header === 'authorization' ? `Bearer ${relay.key}` : relay.key,
    },
    body: JSON.stringify(body(model, stream, 'hi')),
  });
  return { response, text: await response.text() };
}

/** What the answer says, read by the shortest way of its dialect. */
function told(name: Surface, text: string, stream: boolean): Truth {
  const payloads = stream ? eventsOf(text) : [parseObject(text) ?? {}];
  return truthOf({ name: '', wire: name, payloads }, stream);
}

type Said = Pick<Truth, 'text' | 'refusal' | 'thinking' | 'calls'> & { stop: string };

const said = (name: Surface, { text, refusal, thinking, calls, stop }: Truth): Said => ({
  text,
  refusal,
  thinking,
  calls,
  stop: readStop(name, stop ?? '', calls.length > 0),
});

/** The same on another surface, as the mapping tables have it. */
function onSurface(name: Surface, own: Said): Said {
  const isText = answerParts.refusal[name].fate === 'changed';
  return {
    ...own,
    stop: stopThrough(name, own.stop as Parameters<typeof stopThrough>[1], own.calls.length > 0),
    ...(isText && { text: own.text + own.refusal, refusal: '' }),
  };
}

function expectEnd(name: Surface, text: string): void {
  if (name === 'openai-chat') expect(text).toEndWith('data: [DONE]\n\n');
}

async function expectAnswer(
  name: Surface,
  wire: string,
  stream: boolean,
  own: Said,
  usage: Truth['usage'],
): Promise<void> {
  const { response, text } = await ask(name, wire, stream);
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, '']);
  const truth = told(name, text, stream);
  expect(said(name, truth)).toEqual(name === wire ? own : onSurface(name, own));
  if (stream) expectEnd(name, text);
  if (usage) expect(truth.usage).toEqual(usage);
  billed.set(response.headers.get('x-request-id') ?? '', usage);
}

/** No surface may tell a good end of what had none. */
async function expectFailure(name: Surface, wire: string): Promise<void> {
  const { response, text } = await ask(name, wire, true);
  if (response.status >= 400) return;
  expect(text).not.toContain('[DONE]');
  expect(text).toContain('error');
}

/** Google's clients see why in the answer itself, others as an error that no other channel could mend. */
async function expectBlock(name: Surface, wire: string, payloads: JsonObject[]): Promise<void> {
  for (const stream of [true, false]) {
    if (!stream) answer = () => Response.json(payloads[0]);
    const { response, text } = await ask(name, wire, stream);
    expect(response.status).toBe(name === wire ? 200 : 400);
    expect(text).toContain(name === wire ? 'blockReason' : 'blocked by the upstream service');
  }
}

// ---- The recordings ----------------------------------------------------------------------------------------------

describe.each(streams().map((recording) => [recording.name, recording] as const))(
  '%s',
  (_name, recording) => {
    const { wire, payloads } = recording;
    const truth = truthOf(recording, true);
    const isBlocked = payloads.some(({ promptFeedback }) => promptFeedback);

    it.each(SURFACES)('streams to %s', async (name) => {
      answer = streamed(framed(recording), 'text/event-stream');
      if (isBlocked) return expectBlock(name, wire, payloads);
      if (truth.stop === null) return expectFailure(name, wire);
      await expectAnswer(name, wire, true, said(wire, truth), truth.usage);
    });
  },
);

describe.each(wholeAnswers().map((recording) => [recording.name, recording] as const))(
  '%s',
  (_name, recording) => {
    const { wire, payloads } = recording;
    const truth = truthOf(recording, false);

    it.each(SURFACES)('is answered to %s', async (name) => {
      answer = () => Response.json(payloads[0]);
      await expectAnswer(name, wire, false, said(wire, truth), truth.usage);
    });
  },
);

const spoken = UPSTREAM_WIRES.filter(({ name }) => name in CHANNELS);

function upstreamTruth(wire: UpstreamWire, payloads: JsonObject[], streaming: boolean) {
  const { prompt, completion, ...own } = wire.truth(payloads);
  const stop = streaming && wire.told ? stopThrough(wire.told, own.stop, own.calls.length > 0) : own.stop;
  return { own: { ...own, refusal: '', stop }, prompt, completion };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  cohere: 'text/event-stream',
  ollama: 'application/x-ndjson',
  'bedrock-converse': 'application/vnd.amazon.eventstream',
};
/** Ollama takes OpenAI's wire too: who speaks it is not converted. */
const isConverted = (wire: string, name: Surface): boolean => wire !== 'ollama' || name !== 'openai-chat';

describe.each(spoken.map((wire) => [wire.name, wire] as const))('the wire %s', (_name, wire) => {
  const type = CONTENT_TYPES[wire.name] ?? '';
  const cases = [
    ...upstreamStreams(wire).map(([file, payloads]) => [file, payloads, true] as const),
    ...upstreamAnswers(wire).map(([file, body]) => [file, [body], false] as const),
  ].flatMap(([file, payloads, stream]) =>
    SURFACES.filter((name) => isConverted(wire.name, name)).map(
      (name) => [file, name, payloads, stream] as const,
    ),
  );

  it.each(cases)('%s comes to %s', async (_file, name, payloads, stream) => {
    const { own, prompt, completion } = upstreamTruth(wire, [...payloads], stream);
    answer = stream
      ? streamed(Buffer.concat(payloads.map(wire.framed)), type)
      : () => Response.json(payloads[0]);
    const { response, text } = await ask(name, wire.name, stream);
    expect([response.status, response.status === 200 ? '' : text]).toEqual([200, '']);
    const truth = told(name, text, stream);
    expect(said(name, truth)).toEqual(onSurface(name, own));
    expect(truth.usage).toMatchObject({ prompt, completion });
    billed.set(response.headers.get('x-request-id') ?? '', { prompt, completion });
  });
});

it('has billed every answer by the counts of its recording', async () => {
  const rows = await relay.settled(billed.size);
  for (const row of rows) {
    const usage = billed.get(row.request_id);
    if (!usage) continue;
    expect(row).toMatchObject({
      prompt_tokens: usage.prompt,
      completion_tokens: usage.completion,
      other: { usage_source: 'upstream' },
    });
  }
  expect(rows.length).toBeGreaterThan(billed.size / 2);
});
