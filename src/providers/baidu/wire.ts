/** Baidu Wenxin workshop (v1): `result` texts, one answer, function calls one at a time. */

import { parseObject } from '../../core/json.ts';
import type { RequestTarget, StreamReader } from '../../dialects/codec.ts';
import { compact, objectOf, textOf } from '../../dialects/fields.ts';
import type { ChatReply, ChatRequest, Part, StopReason } from '../../dialects/neutral.ts';
import { PartStream } from '../../dialects/part-stream.ts';
import {
  clamp,
  errorEvent,
  plainTurns,
  plainUsage,
  reportDropped,
  stopOf,
  type VendorWire,
} from '../vendor-wire.ts';

const STOP: Readonly<Record<string, StopReason>> = {
  normal: 'stop',
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  function_call: 'tool-calls',
};

/** Error codes by the HTTP status that they stand for (Wenxin's error code page). */
const STATUS: Readonly<Record<number, number>> = {
  4: 429,
  17: 429,
  18: 429,
  19: 429,
  336501: 429,
  336502: 429,
  13: 401,
  14: 401,
  15: 401,
  100: 401,
  110: 401,
  111: 401,
  336001: 400,
  336002: 400,
  336003: 400,
  336006: 400,
  336007: 400,
  336100: 503,
};

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const { system, turns } = plainTurns(request, 'Baidu');
  // The service wants an odd number of turns that begins and ends with the user.
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', text: '...' });
  if (turns.at(-1)?.role === 'assistant') turns.push({ role: 'user', text: '...' });
  const functions = request.tools.flatMap((tool) =>
    tool.type === 'function'
      ? [
          compact({
            name: tool.name,
            description: tool.description ?? tool.name,
            parameters: tool.parameters ?? { type: 'object', properties: {} },
          }),
        ]
      : [],
  );
  reportDropped(
    request,
    [
      'temperature',
      'topP',
      'frequencyPenalty',
      'maxOutputTokens',
      'stop',
      'tools',
      'toolChoice',
      'responseFormat',
      'user',
    ],
    target,
  );
  return compact({
    messages: turns.map(({ role, text: content }) => ({ role, content })),
    system: system || undefined,
    temperature: clamp(request.temperature, 0.01, 1),
    top_p: clamp(request.topP, 0, 1),
    penalty_score:
      request.frequencyPenalty !== undefined && request.frequencyPenalty >= 1
        ? clamp(request.frequencyPenalty, 1, 2)
        : undefined,
    max_output_tokens:
      request.maxOutputTokens === undefined ? undefined : Math.max(request.maxOutputTokens, 2),
    stop: request.stop?.slice(0, 4),
    user_id: request.user,
    functions: functions.length > 0 ? functions : undefined,
    response_format:
      request.responseFormat && request.responseFormat.type !== 'text' ? 'json_object' : undefined,
    disable_search: false,
    enable_citation: false,
    stream: target.stream,
  });
}

const functionCall = (body: Record<string, unknown>): { name: string; input: string } | null => {
  const call = objectOf(body.function_call);
  const name = textOf(call?.name);
  return name ? { name, input: textOf(call?.arguments) ?? '' } : null;
};

function readReply(body: Record<string, unknown>): ChatReply {
  const call = functionCall(body);
  const said = textOf(body.result) ?? '';
  const parts: Part[] = [
    ...(said ? [{ type: 'text' as const, text: said }] : []),
    ...(call
      ? [
          {
            type: 'tool-call' as const,
            id: `call_${textOf(body.id) ?? ''}`,
            kind: 'function' as const,
            ...call,
          },
        ]
      : []),
  ];
  const rawStop = textOf(body.finish_reason) || 'normal';
  return {
    id: textOf(body.id) ?? '',
    model: '',
    created: typeof body.created === 'number' ? body.created : 0,
    choices: [{ index: 0, parts, stop: call ? 'tool-calls' : stopOf(STOP, rawStop), rawStop }],
    usage: plainUsage(body.usage),
    extra: {},
  };
}

function streamReader(): StreamReader {
  const parts = new PartStream();
  let ended = false;
  return {
    push(frame) {
      const body = parseObject(frame.data);
      if (!body) return [];
      const error = readError(body);
      if (error) return [errorEvent(error)];
      const created = typeof body.created === 'number' ? body.created : 0;
      const events = parts.start(textOf(body.id) ?? '', { created });
      events.push(...parts.text(0, textOf(body.result) ?? ''));
      const call = functionCall(body);
      if (call) {
        events.push(
          ...parts.tool(0, 'call', {
            id: `call_${textOf(body.id) ?? ''}`,
            name: call.name,
            kind: 'function',
          }),
        );
        events.push(...parts.toolInput(0, 'call', call.input), ...parts.endTool(0, 'call'));
      }
      const usage = plainUsage(body.usage);
      if (usage) events.push({ type: 'usage', usage });
      if (body.is_end === true) {
        ended = true;
        const rawStop = textOf(body.finish_reason) || 'normal';
        events.push(...parts.close(0), {
          type: 'stop',
          choice: 0,
          stop: call ? 'tool-calls' : stopOf(STOP, rawStop),
          rawStop,
        });
      }
      return events;
    },
    end: () => (ended ? [{ type: 'end' }] : parts.close(0)),
  };
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const { error_code: code, error_msg: message } = objectOf(body) ?? {};
  if (typeof code !== 'number' || code === 0) return null;
  return {
    error: { message: textOf(message) ?? '', type: 'baidu_error', code: String(code) },
    status: STATUS[code] ?? 502,
  };
}

export const baiduWire: VendorWire = { id: 'baidu-wenxin', writeRequest, readReply, streamReader, readError };
