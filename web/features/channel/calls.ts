/** What the channel pages ask of the server, beyond what their loaders read. */
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import type { Api } from '@/lib/api.ts';
import type { BodyOf } from '@/lib/calls.ts';
import { errorText } from '@/lib/error-text.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { Channel, ChannelKey } from './channel.ts';
import { getChannel } from './read.ts';
import type { TestOutcome } from './recent.ts';

/** Where tests and balances of many are begun. */
export const TEST_JOB = '/api/channel/test';
export const BALANCE_JOB = '/api/channel/update_balance';

export const getTags = (api: Api): Promise<string[]> => api.get('/api/channel/tags');

export type ChannelChange = BodyOf<'put', '/api/channel/'>;

export const updateChannel = (api: Api, change: ChannelChange): Promise<Channel> =>
  api.send('PUT', '/api/channel/', { body: change });

export const createChannel = async (api: Api, body: BodyOf<'post', '/api/channel/'>): Promise<number[]> =>
  (await api.send('POST', '/api/channel/', { body })).ids;

export const getKeys = (api: Api, id: number): Promise<ChannelKey[]> =>
  api.get('/api/channel/:id/keys', { params: { id } });

/** How many of them were off. */
export const enableKeys = (api: Api, id: number, ids: readonly number[]): Promise<number> =>
  api.send('POST', '/api/channel/:id/keys/enable', { params: { id }, body: { ids } });

export const removeChannel = (api: Api, id: number): Promise<undefined> =>
  api.send('DELETE', '/api/channel/:id', { params: { id } });

/** The id of the new channel: like its original, keys included, but for its name. */
export const copyChannel = async (api: Api, id: number, suffix: string): Promise<number> =>
  (await api.send('POST', '/api/channel/copy/:id', { params: { id }, query: { suffix } })).id;

/** One call to its upstream. Answers the channel with its new response time; throws ApiError with the reason. */
export async function testChannel(api: Api, id: number): Promise<Channel> {
  await api.get('/api/channel/test/:id', { params: { id } });
  return getChannel(api, id);
}

/** One call with a certain model. Throws ApiError with the reason. */
export const testModel = (api: Api, id: number, model: string, stream: boolean): Promise<unknown> =>
  api.get('/api/channel/test/:id', { params: { id }, query: { model, stream } });

/** The same for a form, to which a failed test is a result like another. */
export async function testOutcome(api: Api, id: number, t: TFunction): Promise<TestOutcome> {
  try {
    const { model } = await api.get('/api/channel/test/:id', { params: { id } });
    return { ok: true, model, ms: (await getChannel(api, id)).response_time };
  } catch (error) {
    return { ok: false, reason: errorText(error, t) };
  }
}

/** Asks the upstream what is left and answers the channel with it. */
export async function refreshBalance(api: Api, id: number): Promise<Channel> {
  await api.get('/api/channel/update_balance/:id', { params: { id } });
  return getChannel(api, id);
}

export const fetchModelsOf = (api: Api, id: number): Promise<string[]> =>
  api.get('/api/channel/fetch_models/:id', { params: { id } });

export const fetchModels = (
  api: Api,
  access: { type: number; base_url: string; key: string; other: string },
): Promise<string[]> => api.send('POST', '/api/channel/fetch_models', { body: access });

/** Which of these models nothing prices. None where that cannot be asked: it is told beside other work, and stops none. */
export const unpricedAmong = (api: Api, models: readonly string[]): Promise<string[]> =>
  api.send('POST', '/api/model_hub/unpriced', { body: { models: [...models] } }).catch(() => []);

// What is done to many answers how many it was done to.

export const setStatusOf = (api: Api, ids: readonly number[], status: 1 | 2): Promise<number> =>
  api.send('POST', '/api/channel/batch/status', { body: { ids, status } });

export const removeChannels = (api: Api, ids: readonly number[]): Promise<number> =>
  api.send('POST', '/api/channel/batch', { body: { ids } });

export const tagChannels = (api: Api, ids: readonly number[], tag: string): Promise<number> =>
  api.send('POST', '/api/channel/batch/tag', { body: { ids, tag } });

export const removeDisabled = (api: Api): Promise<number> => api.send('DELETE', '/api/channel/disabled');

/** How many channels are off, by hand or automatically. */
export async function countOff(api: Api): Promise<number> {
  const { status_counts: counts } = await api.get('/api/channel/', { query: { page_size: 1 } });
  return (counts[CHANNEL_STATUS.disabled] ?? 0) + (counts[CHANNEL_STATUS.autoDisabled] ?? 0);
}

/** Rows of the index of models, after what was wrong in it has been put right. */
export const fixIndex = (api: Api): Promise<number> => api.send('POST', '/api/channel/fix');

export const setTagStatus = (api: Api, tag: string, enabled: boolean): Promise<number> =>
  api.send('POST', `/api/channel/tag/${enabled ? 'enabled' : 'disabled'}`, { body: { tag } });

export const editTag = (api: Api, change: BodyOf<'put', '/api/channel/tag'>): Promise<number> =>
  api.send('PUT', '/api/channel/tag', { body: change });
