/**
 * Ollama's /api/chat, watched on its own wire. Its streams are lines of JSON, which inside the gateway are frames like
 * any other; a caller gets lines again.
 */
import { type JsonObject, parseJson, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import {
  flagIn,
  isAbsent,
  messagesIn,
  modelIn,
  objectIn,
  objectsIn,
  outputCapIn,
  textsIn,
} from '../bounds.ts';
import type {
  Dialect,
  FrameFacts,
  PathFacts,
  Produced,
  ReplyFacts,
  RequestFacts,
  StreamTap,
  UpstreamErrorBody,
} from '../dialect.ts';
import { hasFields, objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame, type Frame } from '../frames.ts';
import { chatTexts, measureChat } from '../measure.ts';
import { addSystemMessage } from '../system-message.ts';
import { readRequest } from './request.ts';
import { readUsage } from './usage.ts';

/** Here -1 and -2 mean no cap. */
const UNLIMITED: ReadonlySet<unknown> = new Set([-1, -2]);

function readCaps(body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> {
  const cap = objectIn(body.options, 'options')?.num_predict;
  return { outputCap: UNLIMITED.has(cap) ? null : outputCapIn(cap, 'options.num_predict'), choices: 1 };
}

function readFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const stream = path.stream ?? (isAbsent(body.stream) || flagIn(body.stream, 'stream'));
  messagesIn(body.messages, 'messages', (message, at) => {
    textsIn(message, at, ['role', 'content', 'thinking', 'tool_name']);
    objectsIn(message.tool_calls, `${at}.tool_calls`);
  });
  objectsIn(body.tools, 'tools');
  return {
    model,
    stream,
    ...readCaps(body),
    prompt: measureChat(readRequest(body, path)),
    audioOut: false,
    wantsUsage: true,
    affinity: null,
    previousAnswer: null,
  };
}

function readError(body: JsonObject): UpstreamErrorBody | null {
  const message = textOf(body.error) ?? textOf(objectOf(body.error)?.message);
  return message === undefined ? null : { message };
}

function readReplyFacts(body: unknown): ReplyFacts {
  const answer = objectOf(body);
  const message = objectOf(answer?.message);
  const missing = message ? null : { message: 'its answer holds no message' };
  return {
    usage: answer ? readUsage(answer) : null,
    error: (answer && readError(answer)) ?? missing,
    produced: () => producedBy(message ?? {}),
    finishReason: textOf(answer?.done_reason) ?? null,
  };
}

function producedBy(message: JsonObject): Produced {
  const calls = objectsOf(message.tool_calls).map((call) => objectOf(call.function) ?? {});
  const texts = [
    textOf(message.thinking),
    textOf(message.content),
    ...calls.flatMap((call) => [
      textOf(call.name),
      hasFields(objectOf(call.arguments) ?? {}) ? JSON.stringify(call.arguments) : '',
    ]),
  ];
  return { text: texts.join(''), toolCalls: calls.length };
}

const TOLD = ['"done":true', '"done": true', '"error"'].map((word) => Buffer.from(word));
const PASS: FrameFacts = { content: false, drop: false, last: false, error: null };

class OllamaTap implements StreamTap {
  usage: Usage | null = null;
  complete = false;
  finishReason: string | null = null;

  wants(bytes: Uint8Array): boolean {
    const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return TOLD.some((word) => frame.includes(word));
  }

  read({ data }: Frame): FrameFacts {
    const line = objectOf(parseJson(data));
    // A line that is no JSON would only break the caller's own parser.
    if (!line) return { ...PASS, drop: true };
    const error = readError(line);
    if (error) return { ...PASS, drop: true, error };
    const message = objectOf(line.message) ?? {};
    const content = producedBy(message).text !== '' || Array.isArray(message.images);
    if (line.done !== true) return { ...PASS, content };
    this.usage = readUsage(line);
    this.finishReason = textOf(line.done_reason) ?? 'stop';
    this.complete = true;
    return { ...PASS, content, last: true };
  }

  produced({ data }: Frame): Produced {
    return producedBy(objectOf(parseObject(data)?.message) ?? {});
  }
}

export const ollama: Dialect = {
  id: 'ollama',
  readRequest: readFacts,
  promptTexts: (body) => chatTexts(readRequest(body, {})),
  addSystem: addSystemMessage,
  withOutputCap: (body, tokens) => ({ ...body, options: { ...objectOf(body.options), num_predict: tokens } }),
  forward: (body, { model, stream }) => ({ ...body, model, stream }),
  readReply: readReplyFacts,
  tap: () => new OllamaTap(),
  endMarker: null,
  streamContentType: 'application/x-ndjson',
  streamsJson: true,
  errorBody: ({ message, code }) => ({ error: message, code }),
  errorFrame: ({ message, code }) => dataFrame(JSON.stringify({ error: message, code })),
};
