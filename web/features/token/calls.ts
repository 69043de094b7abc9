/** What the token pages ask of the server. */
import type { Api } from '@/lib/api.ts';
import type { Token } from './token.ts';

/** The whole key with its `sk-`; asked for only when somebody copies or uses it. */
export const revealKey = async (api: Api, id: number): Promise<string> =>
  `sk-${(await api.send('POST', '/api/token/:id/key', { params: { id } })).key}`;

export const setStatus = (api: Api, id: number, status: number): Promise<Token> =>
  api.send('PUT', '/api/token/', { query: { status_only: 'true', mask: 'true' }, body: { id, status } });

export const removeToken = (api: Api, id: number): Promise<undefined> =>
  api.send('DELETE', '/api/token/:id', { params: { id } });

export const removeTokens = (api: Api, ids: number[]): Promise<number> =>
  api.send('POST', '/api/token/batch', { body: { ids } });
