/**
 * What a recording says, read from its payloads by the shortest way: pieces put one after the other, the last usage
 * taken as it stands. It knows nothing of the readers that it judges.
 */
import { isObject, type JsonObject } from '../../src/core/json.ts';
import type { Surface } from '../../src/dialects/mapping.ts';
import type { Recording } from './recordings.ts';

export interface Truth {
  text: string;
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
  'openai-responses': (payloads) => responseTruth(payloads.at(-1) ?? {}),
  'anthropic-messages': (payloads, isStream) =>
    isStream ? messageStreamTruth(payloads) : messageTruth(payloads[0] ?? {}),
  gemini: geminiTruth,
};

function chatTruth(payloads: JsonObject[], isStream: boolean): Truth {
  const truth: Truth = { text: '', thinking: '', calls: [], stop: null, usage: null };
  const calls: { name: string; json: string }[] = [];
  for (const payload of payloads) {
    for (const choice of objects(payload.choices)) {
      const said = object(isStream ? choice.delta : choice.message);
      truth.text += contentText(said.content, 'text');
      truth.thinking +=
        text(said.reasoning_content) || text(said.reasoning) || contentText(said.content, 'thinking');
      for (const [at, call] of objects(said.tool_calls).entries()) {
        const place = isStream ? number(call.index) : at;
        calls[place] ??= { name: '', json: '' };
        calls[place].name += text(object(call.function).name);
        calls[place].json += text(object(call.function).arguments);
      }
      truth.stop = text(choice.finish_reason) || truth.stop;
    }
    const usage = payload.usage ?? objects(payload.choices)[0]?.usage;
    if (isObject(usage)) truth.usage = chatUsage(usage as JsonObject);
  }
  truth.calls = calls.map(({ name, json }) => ({ name, input: input(json) }));
  return truth;
}

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
    cached: number(object(usage.prompt_tokens_details).cached_tokens ?? usage.cached_tokens),
    completion: usage.total_tokens === prompt + completion + reasoning ? completion + reasoning : completion,
    reasoning,
  };
}

/** The finished response holds everything that its stream said. */
function responseTruth(last: JsonObject): Truth {
  const response = isObject(last.response) ? (last.response as JsonObject) : last;
  const output = objects(response.output);
  const usage = object(response.usage);
  const failed = response.status === 'failed' || last.type === 'error';
  const reason = text(object(response.incomplete_details).reason);
  return {
    text: output
      .flatMap((item) => objects(item.type === 'message' ? item.content : []))
      .map(({ text: said }) => text(said))
      .join(''),
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
    thinking: content.map((block) => (block.type === 'thinking' ? text(block.thinking) : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: text(block.name), input: block.input }] : [],
    ),
    stop: text(message.stop_reason) || null,
    usage: messageUsage(object(message.usage)),
  };
}

function messageUsage(usage: JsonObject): Truth['usage'] {
  const cached = number(usage.cache_read_input_tokens);
  return {
    prompt: number(usage.input_tokens) + cached + number(usage.cache_creation_input_tokens),
    cached,
    completion: number(usage.output_tokens),
    reasoning: number(object(usage.output_tokens_details).thinking_tokens),
  };
}

function messageStreamTruth(payloads: JsonObject[]): Truth {
  const blocks: { start: JsonObject; text: string; thinking: string; json: string }[] = [];
  let usage: JsonObject = {};
  let stop: string | null = null;
  for (const payload of payloads) {
    const delta = object(payload.delta);
    const block = blocks[number(payload.index)];
    if (payload.type === 'message_start') usage = { ...object(object(payload.message).usage) };
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
      usage = { ...usage, ...object(payload.usage) };
      stop = text(delta.stop_reason);
    }
  }
  return {
    text: blocks
      .map((block) => (block.start.type === 'text' ? text(block.start.text) + block.text : ''))
      .join(''),
    thinking: blocks.map((block) => block.thinking).join(''),
    calls: blocks
      .filter(({ start }) => start.type === 'tool_use')
      .map(({ start, json }) => ({ name: text(start.name), input: json === '' ? start.input : input(json) })),
    stop,
    usage: messageUsage(usage),
  };
}

function geminiTruth(payloads: JsonObject[]): Truth {
  const truth: Truth = { text: '', thinking: '', calls: [], stop: null, usage: null };
  for (const payload of payloads) {
    const [candidate = {}] = objects(payload.candidates);
    for (const part of objects(object(candidate.content).parts)) {
      if (part.thought === true) truth.thinking += text(part.text);
      else truth.text += text(part.text);
      const call = object(part.functionCall);
      if (typeof call.name === 'string') truth.calls.push({ name: call.name, input: call.args ?? {} });
    }
    truth.stop = text(candidate.finishReason) || truth.stop;
    if (isObject(payload.usageMetadata)) truth.usage = geminiUsage(payload.usageMetadata as JsonObject);
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
