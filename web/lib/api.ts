/**
 * The one way to `/api`. `get` works on the server (in process, inside loaders) and in the browser alike; writes exist
 * in the browser only and always name the signed-in user.
 */
import { APPROVE_CODE_HEADER } from '@modules/token-request/facts.ts';
import { ApiError } from './api-error.ts';
import { approveCode } from './approve-code.ts';
import type { AnswerOf, DataOf, FilePath, Given, PathOf } from './calls.ts';
import { showAsAsked } from './message-modal.ts';
import { CONFIRM, needsReauthentication, reauthenticate } from './re-authentication.ts';
import { type Answer, isSignedOut, unwrap, unwrapFile } from './unwrap.ts';
import { forgetWorks } from './works.ts';

export type Query = Record<string, string | number | boolean | null | undefined>;

type Writing = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls by method and path, as the routes of the server declare them. */
export interface Api {
  /** The data of a GET. Throws ApiError; leads to the sign-in page when the session has ended. */
  get<const P extends PathOf<'get'>>(path: P, ...given: Given<'get', P>): Promise<DataOf<'get', P>>;
  /** All that a GET answers which says something beside its data. */
  getWhole<const P extends PathOf<'get'>>(path: P, ...given: Given<'get', P>): Promise<AnswerOf<'get', P>>;
  /** The data of a write. Browser only. */
  send<const M extends Writing, const P extends PathOf<Lowercase<M>>>(
    method: M,
    path: P,
    ...given: Given<Lowercase<M>, P>
  ): Promise<DataOf<Lowercase<M>, P>>;
  /** All that a write answers which says something beside its data. Browser only. */
  sendWhole<const M extends Writing, const P extends PathOf<Lowercase<M>>>(
    method: M,
    path: P,
    ...given: Given<Lowercase<M>, P>
  ): Promise<AnswerOf<Lowercase<M>, P>>;
  /**
   * All that a GET answers which spends something that works once. A refusal is thrown as it came: with a new session, or
   * with a proof, it could not be made again. Browser only.
   */
  getOnce<const P extends PathOf<'get'>>(path: P, ...given: Given<'get', P>): Promise<AnswerOf<'get', P>>;
  /** A GET that answers a file, byte for byte. Browser only. */
  file<const P extends FilePath>(path: P, ...given: Given<'get', P>): Promise<Blob>;
}

/** What is given to a call, as it is sent. */
interface Sent {
  params?: Query;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/** The address of a call: each `:name` of its path replaced, and its query. */
const addressOf = (path: string, { params = {}, query }: Sent = {}): string =>
  withQuery(
    path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name]))),
    query,
  );

/** `/api/x` with its query; fields that are empty are left out. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/** What sends the calls, each with its address made. */
interface Sender {
  call(method: string, address: string, body?: unknown, signal?: AbortSignal): Promise<Answer>;
  getOnce(address: string): Promise<Answer>;
  file(address: string, signal?: AbortSignal): Promise<Blob>;
}

/** The calls by way of what sends them. */
export function apiOf(sender: Sender): Api {
  const sendWhole = (method: string, path: string, given?: Sent) =>
    sender.call(method, addressOf(path, given), given?.body, given?.signal);
  const send = async (method: string, path: string, given?: Sent) =>
    (await sendWhole(method, path, given)).data;
  const calls = {
    get: (path: string, given?: Sent) => send('GET', path, given),
    getWhole: (path: string, given?: Sent) => sendWhole('GET', path, given),
    send,
    sendWhole,
    getOnce: (path: string, given?: Sent) => sender.getOnce(addressOf(path, given)),
    file: (path: string, given?: Sent) => sender.file(addressOf(path, given), given?.signal),
  };
  // The routes' types are for those who call: the server's schemas hold what is sent to them, and its types what it answers.
  return calls as Api;
}

export const loginAddress = (next: string): string =>
  withQuery('/login', { expired: true, next: next === '/' ? undefined : next });

/** The page that is being left never sees an answer: it is replaced, so nothing may flash up before. */
const leaveForLogin = (): Promise<never> => {
  forgetWorks();
  const { pathname, search } = window.location;
  // Nobody frames the sign-in page; loaded anew, this one says in a frame that the sign-in has ended.
  if (window.parent !== window) window.location.reload();
  else window.location.assign(loginAddress(pathname + search));
  return new Promise(() => {});
};

type Read<T> = (response: Response) => Promise<T>;

export function browserApi(userId: number | null, bearer: string | null = null): Api {
  const request = async <T>(address: string, init: RequestInit, read: Read<T>): Promise<T> => {
    const headers = new Headers(init.headers);
    if (userId !== null) headers.set('new-api-user', String(userId));
    if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`);
    const code = approveCode();
    if (code !== null) headers.set(APPROVE_CODE_HEADER, code);
    const response = await fetch(address, { ...init, headers, cache: 'no-store' }).catch(() => {
      throw new ApiError({ code: 'TRANSPORT', message: '', status: 0, requestId: '' });
    });
    return read(response);
  };
  const failed = (error: unknown): never => {
    if (error instanceof ApiError) showAsAsked(error);
    throw error;
  };
  const call = async <T>(address: string, init: RequestInit, read: Read<T>): Promise<T> => {
    try {
      return await request(address, init, read);
    } catch (error) {
      if (userId !== null && isSignedOut(error)) return leaveForLogin();
      // What he asked for is done as soon as he has shown that it is he.
      if (needsReauthentication(error) && address !== CONFIRM && (await reauthenticate()))
        return call(address, init, read);
      return failed(error);
    }
  };
  return apiOf({
    call: (method, address, body, signal) =>
      call(address, { method, ...withBody(body), ...(signal && { signal }) }, unwrap),
    getOnce: (address) => request(address, {}, unwrap).catch(failed),
    file: (address, signal) => call(address, { ...(signal && { signal }) }, unwrapFile),
  });
}

const withBody = (body: unknown): RequestInit =>
  body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
