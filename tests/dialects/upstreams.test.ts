/**
 * Real answers of wires that only upstreams speak here, replayed through every dialect in which a caller may have
 * asked: text, calls, thinking, stop reason and usage come out as the recording says.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';
import { completionTokens, promptTokens } from '../../src/core/usage.ts';
import {
  accumulate,
  argumentsOf,
  eventsOf,
  joinedText,
  joinedThinking,
} from '../../src/dialects/accumulate.ts';
import { writeChunk, writeEvent } from '../../src/dialects/aws-event-stream.ts';
import { messageOfConverse } from '../../src/dialects/bedrock-converse/as-messages.ts';
import { BedrockSplitter } from '../../src/dialects/bedrock-converse/splitter.ts';
import { bedrockConverse } from '../../src/dialects/bedrock-converse/wire.ts';
import type { ChatCodec, ReplyContext } from '../../src/dialects/codec.ts';
import { cohereCodec } from '../../src/dialects/cohere/codec.ts';
import { parseFrame } from '../../src/dialects/frames.ts';
import { type Splitter, splitterFor } from '../../src/dialects/framing.ts';
import { type Surface, stopThrough } from '../../src/dialects/mapping.ts';
import type { ChatReply, StopReason, StreamEvent } from '../../src/dialects/neutral.ts';
import { ollamaCodec } from '../../src/dialects/ollama/codec.ts';
import { type ChatDialect, chatDialects } from '../../src/dialects/registry.ts';
import { pieces } from './bytes.ts';
import { files, streams } from './recordings.ts';

// ---- What a recording says, read by the shortest way -------------------------------------------------------------

interface Truth {
  text: string;
  thinking: string;
  calls: { name: string; input: unknown }[];
  stop: StopReason;
  prompt: number;
  completion: number;
}

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];
const object = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const input = (json: string): unknown => JSON.parse(json === '' || json === 'null' ? '{}' : json);
const all = <T>(items: readonly T[], read: (item: T) => string): string => items.map(read).join('');

const STOPS: Record<string, StopReason> = {
  COMPLETE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  STOP_SEQUENCE: 'stop-sequence',
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
  stop: 'stop',
  length: 'length',
};
const stopOf = (word: unknown, calls: readonly unknown[]): StopReason => {
  const stop = STOPS[text(word)] ?? 'other';
  return stop === 'stop' && calls.length > 0 ? 'tool-calls' : stop;
};

/** Cohere's plan for its tools is thinking; what it bills is what was used. */
function cohereTruth(payloads: JsonObject[]): Truth {
  const last = payloads.at(-1) ?? {};
  const end = object(last.delta ?? last);
  const billed = object(object(end.usage).billed_units);
  const calls: { name: string; json: string }[] = [];
  let [said, thought] = ['', ''];
  for (const payload of payloads) {
    const message = object(payload.message ?? object(payload.delta).message);
    const content = Array.isArray(message.content) ? objects(message.content) : [object(message.content)];
    said += all(content, (piece) => text(piece.text));
    thought += text(message.tool_plan) + all(content, (piece) => text(piece.thinking));
    const pieces = Array.isArray(message.tool_calls)
      ? objects(message.tool_calls)
      : [object(message.tool_calls)];
    for (const piece of pieces) {
      const called = object(piece.function);
      if (called.name) calls.push({ name: text(called.name), json: '' });
      const call = calls.at(-1);
      if (call) call.json += text(called.arguments);
    }
  }
  return {
    text: said,
    thinking: thought,
    calls: calls.map(({ name, json }) => ({ name, input: input(json) })),
    stop: stopOf(end.finish_reason, calls),
    prompt: number(billed.input_tokens),
    completion: number(billed.output_tokens),
  };
}

const converseUsage = (usage: JsonObject) => ({
  prompt:
    number(usage.inputTokens) + number(usage.cacheReadInputTokens) + number(usage.cacheWriteInputTokens),
  completion: number(usage.outputTokens),
});

function converseTruth(payloads: JsonObject[]): Truth {
  const [first = {}] = payloads;
  if (first.output) return converseWholeTruth(first);
  const calls: { name: string; json: string }[] = [];
  const truth = { text: '', thinking: '', stop: '' as unknown, usage: {} as JsonObject };
  for (const payload of payloads) {
    const start = object(object(object(payload.contentBlockStart).start).toolUse);
    if (start.name) calls.push({ name: text(start.name), json: '' });
    const delta = object(object(payload.contentBlockDelta).delta);
    truth.text += text(delta.text);
    truth.thinking += text(object(delta.reasoningContent).text);
    const call = calls.at(-1);
    if (call) call.json += text(object(delta.toolUse).input);
    truth.stop = object(payload.messageStop).stopReason ?? truth.stop;
    truth.usage = { ...truth.usage, ...object(object(payload.metadata).usage) };
  }
  return {
    text: truth.text,
    thinking: truth.thinking,
    calls: calls.map(({ name, json }) => ({ name, input: input(json) })),
    stop: stopOf(truth.stop, calls),
    ...converseUsage(truth.usage),
  };
}

function converseWholeTruth(body: JsonObject): Truth {
  const content = objects(object(object(body.output).message).content);
  const calls = content.filter((block) => block.toolUse).map((block) => object(block.toolUse));
  return {
    text: all(
      content,
      (block) =>
        text(block.text) + all(objects(object(block.citationsContent).content), (piece) => text(piece.text)),
    ),
    thinking: all(content, (block) => text(object(object(block.reasoningContent).reasoningText).text)),
    calls: calls.map((call) => ({ name: text(call.name), input: call.input })),
    stop: stopOf(body.stopReason, calls),
    ...converseUsage(object(body.usage)),
  };
}

function ollamaTruth(payloads: JsonObject[]): Truth {
  const messages = payloads.map((line) => object(line.message));
  const last = payloads.at(-1) ?? {};
  const calls = messages.flatMap((message) =>
    objects(message.tool_calls).map((call) => object(call.function)),
  );
  return {
    text: all(messages, (message) => text(message.content)),
    thinking: all(messages, (message) => text(message.thinking)),
    calls: calls.map((call) => ({ name: text(call.name), input: call.arguments })),
    stop: stopOf(last.done_reason, calls),
    prompt: number(last.prompt_eval_count),
    completion: number(last.eval_count),
  };
}

// ---- The wires ---------------------------------------------------------------------------------------------------

interface Wire {
  name: string;
  streams(first: JsonObject): boolean;
  answers(body: JsonObject): boolean;
  truth(payloads: JsonObject[]): Truth;
  framed(payload: JsonObject): Uint8Array;
  splitter(): Splitter;
  /** The dialect in whose words its streams are told. */
  told?: Surface;
  codec: Pick<ChatCodec, 'readReply' | 'streamReader'>;
}

const CONVERSE = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'metadata', 'messageStop'];

const WIRES: Wire[] = [
  {
    name: 'cohere',
    streams: ({ type }) => type === 'message-start',
    answers: ({ message, finish_reason }) => isObject(message) && typeof finish_reason === 'string',
    truth: cohereTruth,
    framed: (payload) => Buffer.from(`event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`),
    splitter: () => splitterFor('text/event-stream'),
    codec: cohereCodec,
  },
  {
    name: 'bedrock-converse',
    streams: (first) => CONVERSE.some((event) => event in first),
    answers: ({ output, stopReason }) => isObject(output) && typeof stopReason === 'string',
    truth: converseTruth,
    framed: (payload) =>
      Buffer.concat(Object.entries(payload).map(([type, fields]) => writeEvent(type, object(fields)))),
    splitter: () => new BedrockSplitter('answer'),
    told: 'anthropic-messages',
    codec: bedrockConverse,
  },
  {
    name: 'ollama',
    streams: (first) => typeof first.done === 'boolean',
    answers: ({ done }) => done === true,
    truth: ollamaTruth,
    framed: (payload) => Buffer.from(`${JSON.stringify(payload)}\n`),
    splitter: () => splitterFor('application/x-ndjson'),
    codec: ollamaCodec,
  },
];

function read(splitter: Splitter, codec: Wire['codec'], chunks: readonly Uint8Array[]): StreamEvent[] {
  const reader = codec.streamReader();
  const frames = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  return [...frames.map(parseFrame).flatMap((frame) => (frame ? reader.push(frame) : [])), ...reader.end()];
}

const contextOf = (surface: Surface): ReplyContext => ({
  model: 'asked',
  createdSec: 1_700_000_000,
  requestId: 'r1',
  request: { dialect: surface, model: 'asked', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
});

/** The answer as a caller of a dialect reads its stream. */
function through({ id, codec, dialect }: ChatDialect, events: readonly StreamEvent[]): ChatReply {
  const writer = codec.streamWriter(contextOf(id));
  const written = events.map((event) => writer.write(event)).join('') + (dialect.endMarker ?? '');
  return accumulate(read(splitterFor('text/event-stream'), codec, [Buffer.from(written)]));
}

function outcome({ choices, usage }: ChatReply): Truth {
  const parts = choices[0]?.parts ?? [];
  return {
    text: joinedText(parts),
    thinking: joinedThinking(parts),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [{ name: part.name, input: argumentsOf(part.input) }] : [],
    ),
    stop: choices[0]?.stop ?? 'other',
    prompt: usage ? promptTokens(usage) : -1,
    completion: usage ? completionTokens(usage) : -1,
  };
}

/** The truth as a caller of a dialect sees it, after it was told in another perhaps. */
const expected = (truth: Truth, ...through: Surface[]): Truth => ({
  ...truth,
  stop: through.reduce((stop, surface) => stopThrough(surface, stop, truth.calls.length > 0), truth.stop),
});

// ---- The recordings ----------------------------------------------------------------------------------------------

const payloadsOf = (lines: string): JsonObject[] =>
  lines
    .split('\n')
    .map(parseObject)
    .filter((payload) => payload !== undefined);

const surfaces = chatDialects.map((dialect) => [dialect.id, dialect] as const);

describe.each(WIRES.map((wire) => [wire.name, wire] as const))('%s', (_name, wire) => {
  const recorded = [...files('.chunks.txt')]
    .map(({ name, text: lines }) => [name, payloadsOf(lines)] as const)
    .filter(([, payloads]) => payloads[0] && wire.streams(payloads[0]));
  const whole = [...files('.json')]
    .map(({ name, text: body }) => [name, parseObject(body)] as const)
    .filter((entry): entry is [string, JsonObject] => entry[1] !== undefined && wire.answers(entry[1]));

  test('there are recordings', () => {
    expect(recorded).not.toBeEmpty();
    expect(whole).not.toBeEmpty();
  });

  describe.each(recorded)('%s', (_file, payloads) => {
    const told = wire.told ? [wire.told] : [];
    const truth = expected(wire.truth([...payloads]), ...told);
    const bytes = Buffer.concat(payloads.map(wire.framed));
    const events = read(wire.splitter(), wire.codec, [bytes]);

    test('is read as what it says, to its end', () => {
      expect(outcome(accumulate(events))).toEqual(truth);
      expect(events.at(-1)).toEqual({ type: 'end' });
    });

    test('gives the same events wherever its bytes are cut', () => {
      fc.assert(
        fc.property(pieces(bytes), (chunks) => {
          expect(read(wire.splitter(), wire.codec, chunks)).toEqual(events);
        }),
        { numRuns: 20 },
      );
    });

    test.each(surfaces)('says the same in %s', (id, surface) => {
      expect(outcome(through(surface, events))).toEqual(expected(truth, id));
    });

    test.each(surfaces)('is the same as a whole answer in %s', (id, { codec, dialect }) => {
      const body = codec.writeReply(accumulate(events), contextOf(id));
      expect(outcome(codec.readReply(JSON.parse(JSON.stringify(body))))).toEqual(expected(truth, id));
      expect(dialect.readReply(body).error).toBeNull();
    });
  });

  describe.each(whole)('%s', (_file, body) => {
    const truth = wire.truth([body]);
    const reply = wire.codec.readReply(body);

    test('is read as what it says', () => {
      expect(outcome(reply)).toEqual(truth);
    });

    test.each(surfaces)('says the same in %s', (id, { codec }) => {
      const written = codec.writeReply(reply, contextOf(id));
      expect(outcome(codec.readReply(JSON.parse(JSON.stringify(written))))).toEqual(expected(truth, id));
    });

    test.each(surfaces)('is the same as a stream in %s', (id, surface) => {
      expect(outcome(through(surface, eventsOf(reply)))).toEqual(expected(truth, id));
    });
  });
});

// ---- One wire in another's frames --------------------------------------------------------------------------------

const messages = chatDialects.find(({ id }) => id === 'anthropic-messages');

describe("the Messages wire in AWS's frames", () => {
  test.each(
    streams().flatMap(({ name, wire, payloads }) =>
      wire === 'anthropic-messages' ? [[name, payloads] as const] : [],
    ),
  )('%s is the same as in its own', (_file, payloads) => {
    if (!messages) throw new Error('no Messages dialect');
    const own = payloads
      .map((payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`)
      .join('');
    const events = read(splitterFor('text/event-stream'), messages.codec, [Buffer.from(own)]);
    const bytes = Buffer.concat(payloads.map((payload) => writeChunk(payload)));
    fc.assert(
      fc.property(pieces(bytes), (chunks) => {
        const splitter = splitterFor('application/vnd.amazon.eventstream');
        expect(read(splitter, messages.codec, chunks)).toEqual(events);
      }),
      { numRuns: 5 },
    );
  });

  test.each(
    [...files('.json')].flatMap(({ name, text: body }) => {
      const answer = parseObject(body);
      return answer && WIRES[1]?.answers(answer) ? [[name, answer] as const] : [];
    }),
  )('%s can be told in it', (_file, answer) => {
    const message = messageOfConverse(answer, 'id');
    const truth = converseTruth([answer]);
    expect(messages && outcome(messages.codec.readReply(message))).toEqual(
      expected(truth, 'anthropic-messages'),
    );
  });
});
