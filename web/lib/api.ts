/**
 * The one way to `/api`. `get` works on the server (in process, inside loaders) and in the browser alike; writes exist
 * in the browser only and always name the signed-in user.
 */
import { ApiError } from './api-error.ts';
import { showAsAsked } from './message-modal.ts';
import { askForProof, CONFIRM, needsProof } from './owner-proof.ts';
import { isSignedOut, unwrap, unwrapFile } from './unwrap.ts';

export type Query = Record<string, string | number | boolean | undefined>;

export interface Api {
  /** The data of a GET. Throws ApiError; leads to the sign-in page when the session has ended. */
  get<T>(path: string, query?: Query): Promise<T>;
  /** The data of a write. Browser only. */
  send<T = undefined>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** A GET that answers a file, byte for byte. Browser only. */
  file(path: string, query?: Query): Promise<Blob>;
}

/** `/api/x` with its query; fields that are undefined or empty are left out. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

export const loginAddress = (next: string): string =>
  withQuery('/login', { expired: true, next: next === '/' ? undefined : next });

/** The page that is being left never sees an answer: it is replaced, so nothing may flash up before. */
const leaveForLogin = (): Promise<never> => {
  const { pathname, search } = window.location;
  window.location.assign(loginAddress(pathname + search));
  return new Promise(() => {});
};

export function browserApi(userId: number | null): Api {
  const call = async <T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const headers = new Headers(init.headers);
    if (userId !== null) headers.set('new-api-user', String(userId));
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, cache: 'no-store' });
    } catch {
      throw new ApiError({ code: 'TRANSPORT', message: '', status: 0, requestId: '' });
    }
    try {
      return await read(response);
    } catch (error) {
      if (userId !== null && isSignedOut(error)) return leaveForLogin();
      // What he asked for is done as soon as he has shown that it is he.
      if (needsProof(error) && path !== CONFIRM && (await askForProof())) return call(path, init, read);
      if (error instanceof ApiError) showAsAsked(error);
      throw error;
    }
  };
  return {
    get: <T>(path: string, query?: Query) => call<T>(withQuery(path, query), { method: 'GET' }, unwrap),
    send: <T>(method: string, path: string, body?: unknown) =>
      call<T>(
        path,
        {
          method,
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        },
        unwrap,
      ),
    file: (path, query) => call(withQuery(path, query), { method: 'GET' }, unwrapFile),
  };
}
