/** Asks a channel's upstream after tasks that it has taken. */
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { keyOpener, loadForTasks } from '../../modules/channel/load.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import type { TaskProbe } from '../../modules/task/service.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayDeps } from '../deps.ts';
import { siteOf } from './prepare.ts';
import { cleanedNews, hiddenAt } from './task-words.ts';

interface Place {
  channel: RoutedChannel;
  wire: TaskWire;
  access: ChannelAccess;
}

/** Where a task is; `gone` where its channel is none any more, null where it has no key just now. */
async function placeOf(
  task: { channelId: number; keyId: number },
  deps: RelayDeps,
): Promise<Place | 'gone' | null> {
  const channel = await loadForTasks(deps.db.orm, task, keyOpener(deps));
  const provider = channel && findProvider(channel.type);
  if (!channel || !provider?.tasks) return 'gone';
  const [key] = channel.keys;
  if (!key) return null;
  const access = {
    id: channel.id,
    baseUrl: channel.baseUrl || provider.baseUrl || '',
    key: key.value,
    organization: channel.organization,
    other: channel.other,
    site: siteOf(deps),
  };
  return { channel, wire: provider.tasks, access };
}

/** The JSON of a good answer; null where there was none. */
async function ask(
  { channel, access }: Place,
  request: UpstreamRequest,
  { dialer, cut, log }: RelayDeps,
): Promise<unknown> {
  const abort = new AbortController();
  const end = () => abort.abort();
  const timer = setTimeout(end, limits.taskAskMs);
  const uncut = cut.onCut(end);
  try {
    const headers = { ...request.headers, ...channel.setting.headers };
    const response = await dialer.open(
      { ...request, headers },
      {
        channel,
        connectMs: channel.setting.deadlines.connectMs ?? limits.taskAskMs,
        signal: abort.signal,
      },
    );
    const text = await readBounded(response, limits.taskAnswerBytes);
    dialer.wasRead(response);
    if (!response.ok) log.warn('tasks.no_answer', { channel_id: access.id, status: response.status });
    return response.ok ? parseJson(text) : null;
  } catch (error) {
    log.warn('tasks.no_answer', { channel_id: access.id, error });
    return null;
  } finally {
    clearTimeout(timer);
    uncut();
  }
}

export const createTaskProbe = (deps: RelayDeps): TaskProbe => ({
  async ask(question) {
    const place = await placeOf(question, deps);
    if (place === 'gone' || place === null) return place;
    const { wire, access } = place;
    const news = wire.read(await ask(place, wire.ask(access, question.ids), deps));
    const hidden = hiddenAt(access);
    return news?.map((one) => cleanedNews(one, wire, hidden)) ?? null;
  },
});

/** By which number a picture can be drawn again; null where its upstream does not tell. */
export async function askSeed(
  task: { channelId: number; keyId: number; upstreamId: string },
  deps: RelayDeps,
): Promise<string | null> {
  const place = await placeOf(task, deps);
  if (place === 'gone' || place === null) return null;
  const { seed } = place.wire;
  return seed ? seed.read(await ask(place, seed.ask(place.access, task.upstreamId), deps)) : null;
}
