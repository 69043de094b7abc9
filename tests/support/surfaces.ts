/** The four chat dialects that callers speak, each by the shortest way to ask in it and to read what it answers. */
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';
import { objectOf, objectsOf, textOf } from '../../src/dialects/fields.ts';
import { FrameSplitter, parseFrame } from '../../src/dialects/frames.ts';

export interface Answer {
  text: string;
  thinking: string;
  calls: { name: string; input: unknown }[];
  stop: string;
  prompt: number;
  completion: number;
}

export interface Surface {
  path(model: string, stream: boolean): string;
  body(model: string, stream: boolean, ask: string): JsonObject;
  /** Where its clients put their key. */
  header: string;
  /** Of a whole answer. */
  read(body: JsonObject): Answer;
  /** Of all events of a stream. */
  join(events: JsonObject[]): JsonObject;
  /** Its words for an answer that ended, and for one that calls a tool. */
  stops: readonly [said: string, called: string];
}

const schema: JsonObject = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const texts = (items: readonly JsonObject[], field = 'text'): string =>
  items.map((item) => textOf(item[field]) ?? '').join('');
const parsed = (json: unknown): unknown => parseObject(textOf(json) ?? '') ?? null;

export const SURFACES: Readonly<Record<string, Surface>> = {
  'openai-chat': {
    path: () => '/v1/chat/completions',
    header: 'authorization',
    body: (model, stream, ask) => ({
      model,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      max_completion_tokens: 100,
      messages: [{ role: 'user', content: ask }],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: schema } }],
    }),
    read(body) {
      const [choice = {}] = objectsOf(body.choices);
      const message = objectOf(choice.message) ?? {};
      const usage = objectOf(body.usage) ?? {};
      return {
        text: textOf(message.content) ?? '',
        thinking: textOf(message.reasoning_content) ?? '',
        calls: objectsOf(message.tool_calls).map((call) => {
          const named = objectOf(call.function) ?? {};
          return { name: textOf(named.name) ?? '', input: parsed(named.arguments) };
        }),
        stop: textOf(choice.finish_reason) ?? '',
        prompt: number(usage.prompt_tokens),
        completion: number(usage.completion_tokens),
      };
    },
    join(events) {
      const deltas = events.flatMap((event) =>
        objectsOf(event.choices).map((choice) => objectOf(choice.delta) ?? {}),
      );
      const called = deltas.flatMap((delta) => objectsOf(delta.tool_calls));
      const functions = called.map((call) => objectOf(call.function) ?? {});
      const finish = events.flatMap((event) => objectsOf(event.choices)).find((c) => c.finish_reason);
      return {
        choices: [
          {
            finish_reason: finish?.finish_reason ?? null,
            message: {
              content: texts(deltas, 'content'),
              reasoning_content: texts(deltas, 'reasoning_content'),
              tool_calls: called.some((call) => call.id)
                ? [{ function: { name: texts(functions, 'name'), arguments: texts(functions, 'arguments') } }]
                : [],
            },
          },
        ],
        usage: events.find((event) => isObject(event.usage))?.usage ?? null,
      };
    },
    stops: ['stop', 'tool_calls'],
  },
  'openai-responses': {
    path: () => '/v1/responses',
    header: 'authorization',
    body: (model, stream, ask) => ({
      model,
      stream,
      max_output_tokens: 100,
      input: ask,
      tools: [{ type: 'function', name: 'get_weather', parameters: schema, strict: false }],
    }),
    read(body) {
      const items = objectsOf(body.output);
      const usage = objectOf(body.usage) ?? {};
      const of = (type: string) => items.filter((item) => item.type === type);
      return {
        text: texts(of('message').flatMap((item) => objectsOf(item.content))),
        thinking: texts(
          of('reasoning').flatMap((item) => [...objectsOf(item.summary), ...objectsOf(item.content)]),
        ),
        calls: of('function_call').map((item) => ({
          name: textOf(item.name) ?? '',
          input: parsed(item.arguments),
        })),
        stop: textOf(body.status) ?? '',
        prompt: number(usage.input_tokens),
        completion: number(usage.output_tokens),
      };
    },
    join: (events) => objectOf(events.find(({ type }) => type === 'response.completed')?.response) ?? {},
    stops: ['completed', 'completed'],
  },
  'anthropic-messages': {
    path: () => '/v1/messages',
    header: 'x-api-key',
    body: (model, stream, ask) => ({
      model,
      stream,
      max_tokens: 100,
      messages: [{ role: 'user', content: ask }],
      tools: [{ name: 'get_weather', input_schema: schema }],
    }),
    read(body) {
      const blocks = objectsOf(body.content);
      const of = (type: string) => blocks.filter((block) => block.type === type);
      const usage = objectOf(body.usage) ?? {};
      return {
        text: texts(of('text')),
        thinking: texts(of('thinking'), 'thinking'),
        calls: of('tool_use').map(({ name, input }) => ({ name: textOf(name) ?? '', input })),
        stop: textOf(body.stop_reason) ?? '',
        prompt:
          number(usage.input_tokens) +
          number(usage.cache_read_input_tokens) +
          number(usage.cache_creation_input_tokens),
        completion: number(usage.output_tokens),
      };
    },
    join(events) {
      const content: JsonObject[] = [];
      let usage: JsonObject = {};
      let stop: JsonObject[string] = null;
      for (const event of events) {
        const delta = objectOf(event.delta) ?? {};
        const block = content.at(-1) ?? {};
        switch (event.type) {
          case 'message_start':
            usage = objectOf(objectOf(event.message)?.usage) ?? {};
            break;
          case 'content_block_start':
            content.push({ ...objectOf(event.content_block), json: '' });
            break;
          case 'content_block_delta':
            for (const field of ['text', 'thinking']) {
              if (textOf(delta[field]) !== undefined) block[field] = `${block[field]}${delta[field]}`;
            }
            block.json = `${block.json}${delta.partial_json ?? ''}`;
            break;
          case 'content_block_stop':
            if (block.type === 'tool_use') block.input = parsed(block.json) as JsonObject;
            break;
          case 'message_delta':
            usage = { ...usage, ...objectOf(event.usage) };
            stop = delta.stop_reason ?? null;
            break;
          default:
        }
      }
      return { content, usage, stop_reason: stop };
    },
    stops: ['end_turn', 'tool_use'],
  },
  gemini: {
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    header: 'x-goog-api-key',
    body: (_model, _stream, ask) => ({
      contents: [{ role: 'user', parts: [{ text: ask }] }],
      generationConfig: { maxOutputTokens: 100 },
      tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: schema }] }],
    }),
    read(body) {
      const [candidate = {}] = objectsOf(body.candidates);
      const parts = objectsOf(objectOf(candidate.content)?.parts);
      const usage = objectOf(body.usageMetadata) ?? {};
      return {
        text: texts(parts.filter((part) => !part.thought)),
        thinking: texts(parts.filter((part) => part.thought)),
        calls: parts.flatMap((part) => {
          const call = objectOf(part.functionCall);
          return call ? [{ name: textOf(call.name) ?? '', input: call.args }] : [];
        }),
        stop: textOf(candidate.finishReason) ?? '',
        prompt: number(usage.promptTokenCount),
        completion: number(usage.candidatesTokenCount) + number(usage.thoughtsTokenCount),
      };
    },
    join(events) {
      const candidates = events.flatMap((event) => objectsOf(event.candidates));
      const last = events.at(-1) ?? {};
      return {
        candidates: [
          {
            content: { parts: candidates.flatMap((each) => objectsOf(objectOf(each.content)?.parts)) },
            finishReason: candidates.at(-1)?.finishReason ?? null,
          },
        ],
        usageMetadata: last.usageMetadata ?? null,
      };
    },
    stops: ['STOP', 'STOP'],
  },
};

export const surface = (name: string): Surface => {
  const found = SURFACES[name];
  if (!found) throw new Error(`no surface ${name}`);
  return found;
};

/** The data of an event stream that are objects. */
export function eventsOf(text: string): JsonObject[] {
  const frames = new FrameSplitter().push(Buffer.from(text));
  return frames.flatMap((frame) => {
    const data = parseObject(parseFrame(frame)?.data ?? '');
    return data ? [data] : [];
  });
}
