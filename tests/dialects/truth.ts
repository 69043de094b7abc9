/**
 * What a recording says, read from its payloads by the shortest way: pieces put one after the other, the last usage
 * taken as it stands. It knows nothing of the readers that it judges.
 */
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';
import type { Surface } from './mapping.ts';
import type { Recording } from './recordings.ts';

export interface Truth {
  text: string;
  refusal: string;
  thinking: string;
  calls: { name: string; input: unknown }[];
  /** The dialect's own word; null when the answer failed. */
  stop: string | null;
  usage: { prompt: number; cached: number; completion: number; reasoning: number } | null;
}

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];
const object = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
/** Arguments by their value: the text of JSON may be spaced in many ways. */
const input = (json: string): unknown => JSON.parse(json === '' ? '{}' : json);

export const truthOf = (recording: Recording, isStream: boolean): Truth =>
  WAYS[recording.wire](recording.payloads, isStream);

const WAYS: Record<Surface, (payloads: JsonObject[], isStream: boolean) => Truth> = {
  'openai-chat': chatTruth,
  'openai-responses': responseTruth,
  'anthropic-messages': (payloads, isStream) =>
    isStream ? messageStreamTruth(payloads) : messageTruth(payloads[0] ?? {}),
  gemini: geminiTruth,
};

/** Only the first of several answers counts. A call goes on until its index, or where there is none its id, is another. */
function chatTruth(payloads: JsonObject[], isStream: boolean): Truth {
  const truth: Truth = { text: '', refusal: '', thinking: '', calls: [], stop: null, usage: null };
  const calls: { key: unknown; name: string; json: string; isCustom: boolean }[] = [];
  for (const payload of payloads) {
    const choice = objects(payload.choices).find(({ index }) => number(index) === 0) ?? {};
    // A last chunk may hold the whole message once more.
    const said = object(isStream ? choice.delta : choice.message);
    truth.text += contentText(said.content, 'text');
    truth.refusal += text(said.refusal);
    truth.thinking += thoughtIn(said);
    const called = isObject(said.function_call) ? [{ function: said.function_call }] : said.tool_calls;
    for (const piece of objects(called)) {
      const body = object(piece.function ?? piece.custom);
      const running = callOf(calls, piece as JsonObject, isStream);
      const call = running ?? {
        key: piece.index ?? piece.id,
        name: text(body.name),
        json: '',
        isCustom: isObject(piece.custom),
      };
      if (!running) calls.push(call);
      const args = body.arguments ?? body.input;
      call.json += isObject(args) ? JSON.stringify(args) : text(args);
    }
    truth.stop = text(choice.finish_reason) || truth.stop;
    const usage = payload.usage ?? choice.usage ?? object(payload.x_groq).usage;
    if (isObject(usage)) truth.usage = chatUsage(usage as JsonObject);
    if (isObject(payload.error)) return { ...truth, stop: null };
  }
  truth.calls = calls.map(({ name, json, isCustom }) => ({
    name,
    input: isCustom ? { input: json } : input(json),
  }));
  return truth;
}

/** The call that a piece goes on with; undefined for one that begins. */
function callOf<Call extends { key: unknown; json: string }>(
  calls: readonly Call[],
  piece: JsonObject,
  isStream: boolean,
): Call | undefined {
  if (!isStream) return undefined;
  const { name } = object(piece.function);
  if (piece.index === undefined) return text(name) === '' ? calls.at(-1) : undefined;
  const known = calls.findLast(({ key }) => key === piece.index);
  const isWhole = known !== undefined && known.json !== '' && parseObject(known.json) !== undefined;
  return isWhole && text(name) !== '' ? undefined : known;
}

const thoughtIn = (said: JsonObject): string =>
  text(said.reasoning_content) ||
  text(said.reasoning) ||
  contentText(said.content, 'thinking') ||
  objects(said.reasoning_details)
    .map((detail) => text(detail.text) || text(detail.summary))
    .join('');

/** Mistral's content is a list of texts and of thinking, which holds texts again. */
function contentText(content: unknown, kind: 'text' | 'thinking'): string {
  if (typeof content === 'string') return kind === 'text' ? content : '';
  return objects(content)
    .filter((piece) => piece.type === kind)
    .map((piece) => (kind === 'text' ? text(piece.text) : contentText(piece.thinking, 'text')))
    .join('');
}

/** Where the total is the sum of all three, the reasoning was counted beside the completion. */
function chatUsage(usage: JsonObject): Truth['usage'] {
  const prompt = number(usage.prompt_tokens);
  const completion = number(usage.completion_tokens);
  const reasoning = number(object(usage.completion_tokens_details).reasoning_tokens);
  return {
    prompt,
    cached: number(
      object(usage.prompt_tokens_details).cached_tokens ??
        usage.prompt_cache_hit_tokens ??
        usage.cached_tokens,
    ),
    completion: usage.total_tokens === prompt + completion + reasoning ? completion + reasoning : completion,
    reasoning,
  };
}

const ENDS = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'error',
]);

/** The finished response holds everything that its stream said; where a server leaves it empty, the finished items do. */
function responseTruth(payloads: JsonObject[]): Truth {
  const last = payloads.findLast(({ type }) => ENDS.has(text(type))) ?? payloads.at(-1) ?? {};
  const response = isObject(last.response) ? (last.response as JsonObject) : last;
  const items = payloads.flatMap(({ type, item }) =>
    type === 'response.output_item.done' ? [object(item)] : [],
  );
  const output = objects(response.output).length > 0 ? objects(response.output) : items;
  const usage = object(response.usage);
  const failed = response.status === 'failed' || last.type === 'error';
  const reason = text(object(response.incomplete_details).reason);
  const contents = output.flatMap((item) => objects(item.type === 'message' ? item.content : []));
  return {
    text: contents.map(({ text: said }) => text(said)).join(''),
    refusal: contents.map(({ refusal }) => text(refusal)).join(''),
    thinking: output
      .filter((item) => item.type === 'reasoning')
      .flatMap((item) => [...objects(item.summary), ...objects(item.content)])
      .map(({ text: said }) => text(said))
      .join(''),
    calls: output.flatMap((item) => {
      if (item.type === 'function_call')
        return [{ name: text(item.name), input: input(text(item.arguments)) }];
      return item.type === 'custom_tool_call'
        ? [{ name: text(item.name), input: { input: text(item.input) } }]
        : [];
    }),
    stop: failed ? null : reason || text(response.status),
    usage: isObject(response.usage)
      ? {
          prompt: number(usage.input_tokens),
          cached: number(object(usage.input_tokens_details).cached_tokens),
          completion: number(usage.output_tokens),
          reasoning: number(object(usage.output_tokens_details).reasoning_tokens),
        }
      : null,
  };
}

function messageTruth(message: JsonObject): Truth {
  const content = objects(message.content);
  return {
    text: content.map((block) => (block.type === 'text' ? text(block.text) : '')).join(''),
    refusal: '',
    thinking: content.map((block) => (block.type === 'thinking' ? text(block.thinking) : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: text(block.name), input: block.input }] : [],
    ),
    stop: text(message.stop_reason) || null,
    usage: messageUsage(object(message.usage)),
  };
}

/** What compactions used is billed beside the counts of the message. */
function messageUsage(usage: JsonObject): Truth['usage'] {
  const all = [usage, ...objects(usage.iterations).filter(({ type }) => type === 'compaction')];
  const sum = (field: string) => all.reduce((total, counts) => total + number(counts[field]), 0);
  const cached = sum('cache_read_input_tokens');
  return {
    prompt: sum('input_tokens') + cached + sum('cache_creation_input_tokens'),
    cached,
    completion: sum('output_tokens'),
    reasoning: number(object(usage.output_tokens_details).thinking_tokens),
  };
}

function messageStreamTruth(payloads: JsonObject[]): Truth {
  const blocks: { start: JsonObject; text: string; thinking: string; json: string }[] = [];
  let usage: JsonObject = {};
  let stop: string | null = null;
  // A turn that went on may bring blocks along.
  let brought: JsonObject[] = [];
  for (const payload of payloads) {
    if (payload.type === 'error') return { ...messageTruth({ content: [] }), stop: null };
    const delta = object(payload.delta);
    const block = blocks[number(payload.index)];
    if (payload.type === 'message_start') {
      usage = { ...object(object(payload.message).usage) };
      brought = objects(object(payload.message).content);
      stop = text(object(payload.message).stop_reason) || null;
    }
    if (payload.type === 'content_block_start') {
      blocks[number(payload.index)] = {
        start: object(payload.content_block),
        text: '',
        thinking: '',
        json: '',
      };
    }
    if (payload.type === 'content_block_delta' && block) {
      block.text += text(delta.text);
      block.thinking += text(delta.thinking);
      block.json += text(delta.partial_json);
    }
    if (payload.type === 'message_delta') {
      // A prompt of nothing but zeros is no count.
      const told = Object.entries(object(payload.usage));
      usage = { ...usage, ...Object.fromEntries(told.filter(([, count]) => count !== null && count !== 0)) };
      stop = text(delta.stop_reason) || stop;
    }
  }
  const before = messageTruth({ content: brought });
  const calls = blocks.filter(({ start }) => start.type === 'tool_use');
  return {
    text:
      before.text +
      blocks
        .map((block) => (block.start.type === 'text' ? text(block.start.text) + block.text : ''))
        .join(''),
    refusal: '',
    thinking: before.thinking + blocks.map((block) => block.thinking).join(''),
    calls: [
      ...before.calls,
      ...calls.map(({ start, json }) => ({
        name: text(start.name),
        input: json === '' ? start.input : input(json),
      })),
    ],
    stop,
    usage: messageUsage(usage),
  };
}

function geminiTruth(payloads: JsonObject[]): Truth {
  const truth: Truth = { text: '', refusal: '', thinking: '', calls: [], stop: null, usage: null };
  for (const payload of payloads) {
    const candidate = objects(payload.candidates).find(({ index }) => number(index) === 0) ?? {};
    for (const part of objects(object(candidate.content).parts)) {
      if (part.thought === true) truth.thinking += text(part.text);
      else truth.text += text(part.text);
      const call = object(part.functionCall);
      if (typeof call.name === 'string') truth.calls.push({ name: call.name, input: call.args ?? {} });
      const args = object(truth.calls.at(-1)?.input);
      for (const piece of objects(call.partialArgs)) {
        const name = text(piece.jsonPath).replace('$.', '');
        args[name] =
          isObject(piece) && 'stringValue' in piece ? text(args[name]) + text(piece.stringValue) : piece;
      }
    }
    truth.stop = text(candidate.finishReason) || truth.stop;
    const usage = object(payload.usageMetadata);
    if ('promptTokenCount' in usage || 'totalTokenCount' in usage) truth.usage = geminiUsage(usage);
    if (isObject(payload.error)) return { ...truth, stop: null };
  }
  return truth;
}

function geminiUsage(usage: JsonObject): Truth['usage'] {
  const thoughts = number(usage.thoughtsTokenCount);
  return {
    prompt: number(usage.promptTokenCount) + number(usage.toolUsePromptTokenCount),
    cached: number(usage.cachedContentTokenCount),
    completion: number(usage.candidatesTokenCount) + thoughts,
    reasoning: thoughts,
  };
}
