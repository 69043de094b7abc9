/** What the channel pages' loaders read. It is part of every page's code, so it stands by itself. */
import type { Api } from '@/lib/api.ts';
import type { Channel, ChannelType } from './channel.ts';

export const getChannel = (api: Api, id: number | string): Promise<Channel> =>
  api.get('/api/channel/:id', { params: { id } });

export const getTypes = (api: Api): Promise<ChannelType[]> => api.get('/api/channel/types');
