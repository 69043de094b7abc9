/**
 * The Model Context Protocol as callers speak it over HTTP (streamable HTTP, revisions 2025-03-26 and 2025-06-18): each
 * POST carries one JSON-RPC message, and is answered by one, by a stream of events that ends with one, or by 202 without
 * a body where the message is no request.
 *
 * A call of a tool (`tools/call`) is what the operator sells, and is charged. What a client must say besides is free. All
 * other methods are refused, so that none is served without a price.
 */

import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { toolModel } from '../../core/tool-services.ts';
import type { CallersDialect } from '../body-rules.ts';
import { refuse, wrong } from '../bounds.ts';
import type { PublicError } from '../dialect.ts';
import { compact, objectOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { reads } from '../other-texts.ts';
import { plainDialect, plainFacts, plainReply, plainRules } from './plain.ts';

/** Headers: the first names the conversation with the service, the second the revision of the protocol. */
export const SESSION = 'mcp-session-id';
export const PROTOCOL = 'mcp-protocol-version';

declare module '../dialect.ts' {
  interface DialectIds {
    mcp: true;
  }
}

export type RpcId = string | number;

/** What a caller's message asks for. */
export interface ToolMessage {
  /** Of a request; null for a notification or an answer, to which nothing is answered. */
  id: RpcId | null;
  /** The tool that is called, which is charged; null for everything that is free. */
  tool: string | null;
  /**
   * What goes up, made of what was read here and nothing else: a service that ignores the case of names, or takes the last
   * of two, must not find another message in it than the one that was charged.
   */
  sent: JsonObject;
}

/** Said before and between the calls of tools: the handshake, a sign of life, the list of what there is. */
const FREE: ReadonlySet<string> = new Set(['initialize', 'ping', 'tools/list']);
const CALL = 'tools/call';
const NOTIFICATION = /^notifications\//;
const TOOL_NAME_MAX = 200;

const isId = (value: unknown): value is RpcId => typeof value === 'string' || Number.isSafeInteger(value);

/** Throws `invalid_request` for what is no such message, and `tool_method_refused` for a method that is not served. */
export function readMessage(body: JsonObject): ToolMessage {
  const { jsonrpc, id, method } = body;
  if (jsonrpc !== '2.0') throw refuse('jsonrpc', { zh: '必须为 2.0', en: 'must be 2.0' });
  if (method === undefined && ('result' in body || 'error' in body)) {
    return { id: null, tool: null, sent: envelope({ id, result: body.result, error: body.error }) };
  }
  if (typeof method !== 'string') throw refuse('method', { zh: '应为字符串', en: 'a text is expected' });
  const { params } = body;
  if (NOTIFICATION.test(method)) return { id: null, tool: null, sent: envelope({ method, params }) };
  if (!FREE.has(method) && method !== CALL) {
    throw fail('tool_method_refused', { params: { method: asIs(method.slice(0, TOOL_NAME_MAX)) } });
  }
  if (!isId(id)) throw refuse('id', { zh: '应为字符串或整数', en: 'a text or a whole number is expected' });
  if (String(id).length > limits.rpcIdChars) throw refuse('id', wrong.long);
  if (method !== CALL) return { id, tool: null, sent: envelope({ id, method, params }) };
  const { name, arguments: given, _meta } = readCall(body);
  return {
    id,
    tool: name,
    sent: envelope({ id, method, params: compact({ name, arguments: given, _meta }) }),
  };
}

const envelope = (fields: JsonObject): JsonObject => compact({ jsonrpc: '2.0', ...fields });

function readCall({ params }: JsonObject): JsonObject & { name: string } {
  const { name, task, ...rest } = objectOf(params) ?? {};
  if (typeof name !== 'string' || name === '' || name.length > TOOL_NAME_MAX) {
    throw refuse('params.name', { zh: '应为工具名称', en: 'the name of a tool is expected' });
  }
  // Its outcome would have to be fetched by methods that are not served.
  if (task !== undefined)
    throw refuse('params.task', { zh: '不支持任务方式', en: 'tasks are not supported' });
  return { ...rest, name };
}

/** Whether a message answers somebody's request, or one of several does. */
export function isAnswer(message: unknown): boolean {
  if (Array.isArray(message)) return message.some(isAnswer);
  const one = objectOf(message);
  return one !== undefined && !('method' in one) && ('result' in one || 'error' in one);
}

/**
 * The id under which a request goes up, as it stands in a text of the service, turned into the caller's. It is a long
 * random one: wherever the text has it, it is meant.
 */
export const withCallersId = (text: string, sent: string, id: RpcId): string =>
  text.replaceAll(JSON.stringify(sent), () => JSON.stringify(id));

/** The request that a notification takes back; undefined where it is no such. */
export const cancelledIn = ({ method, params }: JsonObject): unknown =>
  method === 'notifications/cancelled' ? objectOf(params)?.requestId : undefined;

/** What a message from the service is to the request `id`: its good answer, its failure, or something else. */
export function answerIn(message: unknown, id: RpcId): 'good' | 'failed' | null {
  // A few servers answer one message by a list of one.
  if (Array.isArray(message)) {
    // What it says to others is nobody's here.
    if (message.some((one) => isAnswer(one) && answerIn(one, id) === null)) return null;
    return message.map((one) => answerIn(one, id)).find((found) => found !== null) ?? null;
  }
  const answer = objectOf(message);
  if (!answer || answer.id !== id || 'method' in answer) return null;
  const result = objectOf(answer.result);
  // A tool that failed says so in its result.
  return result && answer.error === undefined && result.isError !== true ? 'good' : 'failed';
}

/** Of the codes that JSON-RPC leaves to servers; `data` names the gateway's own. */
const SERVER_ERROR = -32_000;

const rpcError = (id: RpcId | null, { message, code }: PublicError): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code: SERVER_ERROR, message, data: { code } },
});

/** An error in the place of the answer to a request, in a stream whose headers are out. */
export const errorEvent = (id: RpcId, error: PublicError): string =>
  `event: message\n${dataFrame(JSON.stringify(rpcError(id, error)))}`;

export const mcp: CallersDialect = plainDialect({
  id: 'mcp',
  // What a tool is asked, and what a client answers, are the caller's own words.
  rules: plainRules([], ['params', 'result', 'error']),
  reads: reads(['jsonrpc', 'id', 'method']),
  readRequest(body, { model = '' }) {
    const { tool } = readMessage(body);
    return plainFacts(toolModel(model), tool === null ? {} : { noted: { tool } });
  },
  promptTexts: () => [],
  readReply: (body) => plainReply(body, () => ({ usage: null, missing: null })),
  errorBody: (error) => rpcError(null, error),
  errorFrame: (error) => dataFrame(JSON.stringify(rpcError(null, error))),
});
