/** The envelope of `/api`: `{success, message, data}`, with a stable `code` on failures. Nobody else builds one. */
import { Elysia, ParseError, type PreContext, ValidationError } from 'elysia';
import { AppError, badParam, fail, SHOWN_IN_MODAL } from '../core/errors.ts';
import { isUnreachable } from '../db/statement.ts';
import type { Env } from '../env.ts';
import type { Logger } from '../platform/logger.ts';
import { isRead, SECRET } from './compress.ts';
import { contextOf, type PeerSource } from './context.ts';

export const ok = <T>(data: T) => ({ success: true as const, message: '', data });

/** A success without data. */
export const done = () => ({ success: true as const, message: '' });

/** The AppError that a thrown value stands for: what is not ours is masked, a database that is away is 503. */
export function toAppError(error: unknown, code: string | number): AppError {
  if (error instanceof AppError) return error;
  // Elysia wraps what a body's reader throws.
  if (error instanceof ParseError && error.cause instanceof AppError) return error.cause;
  if (error instanceof ValidationError) return badParam(fieldOf(error));
  if (code === 'PARSE' || code === 'INVALID_FILE_TYPE' || code === 'INVALID_COOKIE_SIGNATURE') {
    return badParam('body');
  }
  if (code === 'NOT_FOUND') return fail('UNKNOWN_ROUTE');
  return fail(isUnreachable(error) ? 'UNAVAILABLE' : 'INTERNAL', { cause: error });
}

/** The first field that is wrong. The error's own list of all of them would be made by judging everything once more. */
function fieldOf({ valueError }: ValidationError): string {
  const path: unknown = valueError?.path;
  return (Array.isArray(path) && path.join('.')) || 'root';
}

/** Ids are whole numbers. A word in the place of one names another call, which does not exist, whoever asks for it. */
const isWordForId = (params: Readonly<Record<string, string | undefined>> | undefined): boolean =>
  params?.id !== undefined && !/^\d+$/.test(params.id);

/** What the router has before it looks for a route. */
interface Arriving extends Pick<PreContext, 'request' | 'server' | 'set'> {
  /** Where it has found the query in the address. */
  qi?: number;
}

/** Renders every error below `/api`, reads queries as plain text, and puts the request id and no-store on every answer. */
export const envelope = (deps: { env: Env; log: Logger }) =>
  new Elysia({ name: 'envelope' })
    .onRequest((call: Arriving) => {
      const { request, server, set } = call;
      set.headers['x-request-id'] = contextOf(request, deps.env, server).requestId;
      // Of calls that write, many answer what is shown once.
      set.headers['cache-control'] = isRead(request) ? 'no-store' : SECRET;
      // The router, told that there is no query, makes no lists and objects of what looks like them.
      call.qi = -1;
    })
    .onTransform({ as: 'global' }, (call) => {
      // A schema must see the text that was sent.
      const at = call.request.url.indexOf('?');
      if (at >= 0) call.query = Object.fromEntries(new URLSearchParams(call.request.url.slice(at + 1)));
      if (isWordForId(call.params)) throw fail('UNKNOWN_ROUTE');
    })
    .onError({ as: 'global' }, ({ error, code, request, server, set }) => {
      const context = contextOf(request, deps.env, server as PeerSource | null);
      const refused = toAppError(error, code);
      if (refused.apiStatus >= 500 || refused.detail.internal) {
        deps.log[refused.apiStatus === 500 ? 'error' : 'warn']('api.error', {
          request_id: context.requestId,
          code: refused.code,
          error: refused.detail.cause ?? refused.detail.internal ?? refused,
        });
      }
      const headers = new Headers({ 'x-request-id': context.requestId, 'cache-control': 'no-store' });
      const retryAfter = refused.retryAfter(refused.apiStatus);
      if (retryAfter !== null) headers.set('retry-after', retryAfter);
      // Elysia calls every thrown value a 500 and prefers that to the 200 of an answer.
      set.status = refused.apiStatus;
      const { data } = refused.detail;
      const body = {
        success: false,
        message: refused.text(context.locale),
        code: refused.publicCode,
        data,
        // Never HTML: names of users stand in messages.
        ...(SHOWN_IN_MODAL.has(refused.code) && { showType: 'modal', msgType: 'text' }),
      };
      return Response.json(body, { status: refused.apiStatus, headers });
    });
