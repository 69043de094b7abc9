/** Cohere's v2 chat, watched on its own wire. */
import { type JsonObject, parseJson, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import {
  boundedIn,
  flagIn,
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
  PublicError,
  ReplyFacts,
  RequestFacts,
  StreamTap,
  UpstreamErrorBody,
} from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import { chatTexts, measureChat } from '../measure.ts';
import { addSystemMessage } from '../system-message.ts';
import { readRequest } from './request.ts';
import { readUsage } from './usage.ts';
import { frame } from './write-stream.ts';

const readCaps = (body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> => ({
  outputCap: outputCapIn(body.max_tokens, 'max_tokens'),
  choices: 1,
});

function readFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const stream = path.stream ?? flagIn(body.stream, 'stream');
  messagesIn(body.messages, 'messages', (message, at) => {
    textsIn(message, at, ['role', 'tool_call_id', 'tool_plan']);
    boundedIn(message.tool_calls, `${at}.tool_calls`);
    if (Array.isArray(message.content)) {
      objectsIn(message.content, `${at}.content`, (part, where) => textsIn(part, where, ['type', 'text']));
    } else textsIn(message, at, ['content']);
  });
  objectsIn(body.tools, 'tools');
  for (const field of ['response_format', 'thinking']) objectIn(body[field], field);
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

/** Errors are a text and nothing else. */
function readError(body: JsonObject): UpstreamErrorBody | null {
  const message = textOf(body.message) ?? textOf(objectOf(body.delta)?.error);
  return message === undefined ? null : { message };
}

function readReplyFacts(body: unknown): ReplyFacts {
  const answer = objectOf(body);
  const message = objectOf(answer?.message);
  return {
    usage: readUsage(answer?.usage),
    error: message ? null : ((answer && readError(answer)) ?? { message: 'its answer holds no message' }),
    produced: () => producedBy(message ?? {}),
    finishReason: textOf(answer?.finish_reason) ?? null,
  };
}

function producedBy(message: JsonObject): Produced {
  const content = Array.isArray(message.content) ? objectsOf(message.content) : objectsOf([message.content]);
  const calls = Array.isArray(message.tool_calls)
    ? objectsOf(message.tool_calls)
    : objectsOf([message.tool_calls]);
  const functions = calls.map((call) => objectOf(call.function) ?? {});
  const texts = [
    textOf(message.tool_plan),
    ...content.flatMap((part) => [textOf(part.text), textOf(part.thinking)]),
    ...functions.flatMap((called) => [textOf(called.name), textOf(called.arguments)]),
  ];
  return {
    text: texts.join(''),
    toolCalls: functions.filter((called) => typeof called.name === 'string').length,
  };
}

const END = Buffer.from('message-end');
const PASS: FrameFacts = { content: false, drop: false, last: false, error: null };

class CohereTap implements StreamTap {
  usage: Usage | null = null;
  complete = false;
  finishReason: string | null = null;

  wants(bytes: Uint8Array): boolean {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(END);
  }

  read({ data }: Frame): FrameFacts {
    const event = objectOf(parseJson(data));
    // A frame that is no JSON would only break the caller's own parser.
    if (!event) return { ...PASS, drop: true };
    const error = readError(event);
    if (error) return { ...PASS, drop: true, error };
    const delta = objectOf(event.delta) ?? {};
    if (event.type !== 'message-end') return { ...PASS, content: producedIn(event).text !== '' };
    this.usage = readUsage(delta.usage);
    this.finishReason = textOf(delta.finish_reason) ?? null;
    this.complete = true;
    return { ...PASS, last: true };
  }

  produced({ data }: Frame): Produced {
    return producedIn(parseObject(data) ?? {});
  }
}

const producedIn = (event: JsonObject): Produced =>
  producedBy(objectOf(objectOf(event.delta)?.message) ?? {});

const errorBody = ({ message, code }: PublicError): JsonObject => ({ message, code });

export const cohere: Dialect = {
  id: 'cohere',
  readRequest: readFacts,
  promptTexts: (body) => chatTexts(readRequest(body, {})),
  addSystem: addSystemMessage,
  withOutputCap: (body, tokens) => ({ ...body, max_tokens: tokens }),
  forward: (body, { model, stream }) => ({ ...body, model, stream }),
  readReply: readReplyFacts,
  tap: () => new CohereTap(),
  endMarker: null,
  streamContentType: 'text/event-stream',
  errorBody,
  errorFrame: ({ message }) => frame('message-end', { delta: { error: message, finish_reason: 'ERROR' } }),
};
