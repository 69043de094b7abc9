/** What the token pages ask of the server. */
import type { Api } from '@/lib/api.ts';
import type { Token } from './token.ts';

/** The whole key with its `sk-`; asked for only when somebody copies or uses it. */
export const revealKey = async (api: Api, id: number): Promise<string> =>
  `sk-${(await api.send<{ key: string }>('POST', `/api/token/${id}/key`)).key}`;

export const setStatus = (api: Api, id: number, status: number): Promise<Token> =>
  api.send<Token>('PUT', '/api/token/?status_only=true&mask=true', { id, status });

export const removeToken = (api: Api, id: number): Promise<undefined> =>
  api.send('DELETE', `/api/token/${id}`);

export const removeTokens = (api: Api, ids: number[]): Promise<number> =>
  api.send<number>('POST', '/api/token/batch', { ids });
