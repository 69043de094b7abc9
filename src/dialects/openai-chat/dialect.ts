/** OpenAI's Chat Completions, as callers and most upstreams speak it. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Dialect, ForwardSettings, PublicError } from '../dialect.ts';
import { dataFrame } from '../frames.ts';
import { ChatStreamTap, readReply } from './reply.ts';
import { addSystem, promptTexts, readCaps, readRequest } from './request.ts';

/** OpenAI's own words for classes of errors, by status; SDKs choose their exception by the status alone. */
const typeOf = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

const errorBody = ({ status, code, message, type, param }: PublicError): JsonObject => ({
  error: { message, type: type ?? typeOf(status), param: param ?? null, code },
});

/** A copy with the model and the request for usage; whatever else the caller wrote stays. */
function forward(body: JsonObject, { model, stream, askUsage }: ForwardSettings): JsonObject {
  const { stream_options: options, ...rest } = body;
  const copy: JsonObject = { ...rest, model };
  if (!stream) return options === undefined ? copy : { ...copy, stream_options: options };
  if (!askUsage) return copy;
  return { ...copy, stream_options: { ...(isObject(options) ? options : {}), include_usage: true } };
}

export const openaiChat: Dialect = {
  id: 'openai-chat',
  readRequest,
  readCaps,
  promptTexts,
  addSystem,
  forward,
  readReply,
  tap: ({ wantsUsage }) => new ChatStreamTap(wantsUsage),
  endMarker: dataFrame('[DONE]'),
  streamContentType: 'text/event-stream',
  errorBody,
  errorFrame: (error) => dataFrame(JSON.stringify(errorBody(error))),
};
