/** The wires that only upstreams speak: how each is framed, and what a recording of it says, read by the shortest way. */
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';
import { BedrockSplitter } from '../../src/dialects/bedrock-converse/splitter.ts';
import { bedrockConverse } from '../../src/dialects/bedrock-converse/wire.ts';
import type { UpstreamCodec } from '../../src/dialects/codec.ts';
import { cohere } from '../../src/dialects/cohere/wire.ts';
import { type Splitter, splitterFor } from '../../src/dialects/framing.ts';
import type { StopReason } from '../../src/dialects/neutral.ts';
import { ollama } from '../../src/dialects/ollama/wire.ts';
import { writeEvent } from './aws-events.ts';
import type { Surface } from './mapping.ts';
import { files } from './recordings.ts';

// ---- What a recording says, read by the shortest way -------------------------------------------------------------

export interface UpstreamTruth {
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
function cohereTruth(payloads: JsonObject[]): UpstreamTruth {
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

function converseTruth(payloads: JsonObject[]): UpstreamTruth {
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

function converseWholeTruth(body: JsonObject): UpstreamTruth {
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

function ollamaTruth(payloads: JsonObject[]): UpstreamTruth {
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

export interface UpstreamWire {
  name: string;
  streams(first: JsonObject): boolean;
  answers(body: JsonObject): boolean;
  truth(payloads: JsonObject[]): UpstreamTruth;
  framed(payload: JsonObject): Uint8Array;
  splitter(): Splitter;
  /** The dialect in whose words its streams are told. */
  told?: Surface;
  codec: Pick<UpstreamCodec, 'readReply' | 'streamReader'>;
}

const CONVERSE = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'metadata', 'messageStop'];

export const UPSTREAM_WIRES: readonly UpstreamWire[] = [
  {
    name: 'cohere',
    streams: ({ type }) => type === 'message-start',
    answers: ({ message, finish_reason }) => isObject(message) && typeof finish_reason === 'string',
    truth: cohereTruth,
    framed: (payload) => Buffer.from(`event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`),
    splitter: () => splitterFor('text/event-stream'),
    codec: cohere,
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
    codec: ollama,
  },
];

const payloadsOf = (lines: string): JsonObject[] =>
  lines
    .split('\n')
    .map(parseObject)
    .filter((payload) => payload !== undefined);

/** The recorded streams of a wire, by name. */
export const upstreamStreams = (wire: UpstreamWire): (readonly [string, JsonObject[]])[] =>
  [...files('.chunks.txt')]
    .map(({ name, text: lines }) => [name, payloadsOf(lines)] as const)
    .filter(([, payloads]) => payloads[0] && wire.streams(payloads[0]));

export const upstreamAnswers = (wire: UpstreamWire): (readonly [string, JsonObject])[] =>
  [...files('.json')].flatMap(({ name, text: body }) => {
    const answer = parseObject(body);
    return answer && wire.answers(answer) ? [[name, answer] as const] : [];
  });
