/** Xunfei Spark: one JSON frame up a websocket, JSON frames down it; the last one has status 2 and the usage. */
import { fail } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import type { RequestTarget, StreamReader } from '../../dialects/codec.ts';
import { compact, countOf, objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import type { ChatRequest, StreamEvent } from '../../dialects/neutral.ts';
import { PartStream } from '../../dialects/part-stream.ts';
import { clamp, errorEvent, onlyText, plainUsage, reportDropped, type VendorWire } from '../vendor-wire.ts';

/** Address path and `domain` by version, as the vendor's table has them. */
const SPARK_VERSIONS: Readonly<Record<string, { path: string; domain: string }>> = {
  'v1.1': { path: '/v1.1/chat', domain: 'lite' },
  'v2.1': { path: '/v2.1/chat', domain: 'generalv2' },
  'v3.1': { path: '/v3.1/chat', domain: 'generalv3' },
  'v3.1-128K': { path: '/chat/pro-128k', domain: 'pro-128k' },
  'v3.5': { path: '/v3.5/chat', domain: 'generalv3.5' },
  'v3.5-32K': { path: '/chat/max-32k', domain: 'max-32k' },
  'v4.0': { path: '/v4.0/chat', domain: '4.0Ultra' },
  x1: { path: '/v1/x1', domain: 'x1' },
};

const ALIASES: Readonly<Record<string, string>> = {
  'spark-lite': 'v1.1',
  'spark-pro': 'v3.1',
  'spark-pro-128k': 'v3.1-128K',
  'spark-max': 'v3.5',
  'spark-max-32k': 'v3.5-32K',
  'spark-4.0-ultra': 'v4.0',
};

const OLDEST = 'v1.1';
/** How the vendor names versions; a channel may name one that is not known here. */
const VERSION = /^v\d{1,2}(\.\d{1,2})?$/;

export const isSparkVersion = (text: string): boolean =>
  Object.hasOwn(SPARK_VERSIONS, text) || VERSION.test(text);

/**
 * The version that a call means: of the model's name, else the channel's, else the oldest. Nothing of the caller's
 * beside the name decides it: by the name the call is priced.
 */
export function sparkVersion(model: string, channelVersion: string): string {
  const name = model.toLowerCase();
  const alias = own(ALIASES, name);
  const named =
    alias ?? Object.keys(SPARK_VERSIONS).find((version) => name.endsWith(`-${version.toLowerCase()}`));
  if (named) return named;
  return isSparkVersion(channelVersion) ? channelVersion : OLDEST;
}

export const sparkAddress = (version: string): { path: string; domain: string } =>
  SPARK_VERSIONS[version] ?? { path: `/${version}/chat`, domain: `general${version}` };

/** Versions from 3.5 on know the system role. */
const knowsSystem = (domain: string): boolean =>
  !['lite', 'generalv2', 'generalv3', 'pro-128k'].includes(domain);

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const told = request.messages.map((message) => ({
    role: message.role === 'developer' ? 'system' : message.role === 'tool' ? 'user' : message.role,
    content: onlyText(message, 'Spark'),
  }));
  const functions = request.tools.flatMap((tool) =>
    tool.type === 'function'
      ? [
          compact({
            name: tool.name,
            description: tool.description,
            parameters: tool.parameters ?? { type: 'object', properties: {} },
          }),
        ]
      : [],
  );
  reportDropped(request, ['temperature', 'topK', 'maxOutputTokens', 'tools', 'user'], target);
  return {
    header: compact({ uid: request.user }),
    parameter: {
      chat: compact({
        temperature: clamp(request.temperature, 0.01, 1),
        top_k: clamp(request.topK, 1, 6),
        max_tokens: request.maxOutputTokens,
      }),
    },
    payload: {
      message: { text: told },
      ...(functions.length > 0 ? { functions: { text: functions } } : {}),
    },
  };
}

/** Puts in what belongs to the channel and the version: who asks, which model, and how it is told the system text. */
export function fillFrame(
  frame: JsonObject,
  { appId, domain }: { appId: string; domain: string },
): JsonObject {
  const { header, parameter, payload } = frame as SparkFrame;
  const { text } = payload.message;
  const told = knowsSystem(domain) ? text : text.flatMap(asTurns);
  return {
    header: { app_id: appId, ...header },
    parameter: { ...parameter, chat: { domain, ...parameter.chat } },
    payload: { ...payload, message: { text: told } },
  };
}

type SparkFrame = ReturnType<typeof writeRequest>;

/** Old versions know two roles: what stands in the system text is told first and acknowledged. */
const asTurns = (message: { role: string; content: string }) =>
  message.role === 'system'
    ? [
        { role: 'user', content: message.content },
        { role: 'assistant', content: 'Okay' },
      ]
    : [message];

/** Spark leaves it to the caller to close the socket. An error ends it too. */
export function isLastFrame(message: string): boolean {
  const { header } = parseObject(message) ?? {};
  const { code, status } = objectOf(header) ?? {};
  return status === 2 || (typeof code === 'number' && code !== 0);
}

function streamReader(): StreamReader {
  const parts = new PartStream();
  let ended = false;
  let called = false;

  const readText = (piece: Record<string, unknown>, sid: string): StreamEvent[] => {
    const events = [
      ...parts.thinking(0, textOf(piece.reasoning_content) ?? '', { origin: 'openai-chat' }),
      ...parts.text(0, textOf(piece.content) ?? ''),
    ];
    const call = objectOf(piece.function_call);
    const name = textOf(call?.name);
    if (!name) return events;
    called = true;
    events.push(...parts.tool(0, 'call', { id: `call_${sid}`, name, kind: 'function' }));
    events.push(...parts.toolInput(0, 'call', textOf(call?.arguments) ?? ''), ...parts.endTool(0, 'call'));
    return events;
  };

  return {
    push(frame) {
      const body = parseObject(frame.data);
      if (!body) return [];
      const error = readError(body);
      if (error) return [errorEvent(error)];
      const sid = textOf(objectOf(body.header)?.sid) ?? '';
      const events = parts.start(sid);
      const choices = objectOf(objectOf(body.payload)?.choices) ?? {};
      for (const piece of objectsOf(choices.text)) events.push(...readText(piece, sid));
      const usage = plainUsage(objectOf(objectOf(body.payload)?.usage)?.text);
      if (usage) events.push({ type: 'usage', usage });
      if (countOf(choices.status) === 2) {
        ended = true;
        events.push(...parts.close(0), { type: 'stop', choice: 0, stop: called ? 'tool-calls' : 'stop' });
      }
      return events;
    },
    end: () => (ended ? [{ type: 'end' }] : parts.close(0)),
  };
}

function statusOf(code: number): number {
  if ([10013, 10014, 10019, 10907, 10163].includes(code)) return 400;
  if ([11200, 10313].includes(code)) return 401;
  if ([11201, 11202, 11203, 10007].includes(code)) return 429;
  return 502;
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const { code, message } = objectOf(objectOf(body)?.header) ?? {};
  if (typeof code !== 'number' || code === 0) return null;
  return {
    error: { message: textOf(message) ?? '', type: 'xunfei_error', code: String(code) },
    status: statusOf(code),
  };
}

export const xunfeiWire: VendorWire = {
  id: 'xunfei-spark',
  writeRequest,
  // The service only streams: the relay collects what the frames add up to.
  readReply: () => {
    throw fail('upstream_error', { params: { reason: { zh: '回答不是流', en: 'its answer is no stream' } } });
  },
  streamReader,
  readError,
};
