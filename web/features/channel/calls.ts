/** What the channel pages ask of the server. */
import type { TFunction } from 'i18next';
import type { Api } from '@/lib/api.ts';
import { errorText } from '@/lib/error-text.ts';
import type { Channel, ChannelType } from './channel.ts';
import type { TestOutcome } from './recent.ts';

const pathOf = (id: number | string): string => `/api/channel/${encodeURIComponent(id)}`;

export const getChannel = (api: Api, id: number | string): Promise<Channel> => api.get<Channel>(pathOf(id));

export const getTypes = (api: Api): Promise<ChannelType[]> => api.get<ChannelType[]>('/api/channel/types');

export type ChannelChange = { id: number } & Record<string, unknown>;

export const updateChannel = (api: Api, change: ChannelChange): Promise<Channel> =>
  api.send<Channel>('PUT', '/api/channel/', change);

export const createChannel = async (api: Api, body: Record<string, unknown>): Promise<number[]> =>
  (await api.send<{ ids: number[] }>('POST', '/api/channel/', body)).ids;

export const removeChannel = (api: Api, id: number): Promise<undefined> => api.send('DELETE', pathOf(id));

/** One call to its upstream. Answers the channel with its new response time; throws ApiError with the reason. */
export async function testChannel(api: Api, id: number): Promise<Channel> {
  await api.get(`/api/channel/test/${id}`);
  return getChannel(api, id);
}

/** The same for a form, to which a failed test is a result like another. */
export async function testOutcome(api: Api, id: number, t: TFunction): Promise<TestOutcome> {
  try {
    return { ok: true, ms: (await testChannel(api, id)).response_time };
  } catch (error) {
    return { ok: false, reason: errorText(error, t) };
  }
}

export const fetchModelsOf = (api: Api, id: number): Promise<string[]> =>
  api.get<string[]>(`/api/channel/fetch_models/${id}`);

export const fetchModels = (
  api: Api,
  access: { type: number; base_url: string; key: string; other: string },
): Promise<string[]> => api.send<string[]>('POST', '/api/channel/fetch_models', access);
