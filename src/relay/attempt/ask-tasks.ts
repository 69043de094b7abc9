/** Asks a channel's upstream after tasks that it has taken. */
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskNews } from '../../core/tasks.ts';
import { keyOpener, loadForTasks } from '../../modules/channel/load.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import type { TaskProbe } from '../../modules/task/service.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest, VendorCall } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayDeps } from '../deps.ts';
import { hiddenOfChannel } from './hidden.ts';
import { inTime } from './lifeline.ts';
import { siteOf } from './prepare.ts';
import { cleanedNews } from './task-words.ts';
import { vendorCall } from './vendor.ts';

export interface TaskPlace {
  channel: RoutedChannel;
  wire: TaskWire;
  access: ChannelAccess;
}

/** Where a task is; `gone` where its channel is none any more, null where it has no key just now. */
export async function placeOf(
  task: { channelId: number; keyId: number },
  deps: RelayDeps,
): Promise<TaskPlace | 'gone' | null> {
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

interface Asked {
  /** The JSON of a good answer; null where there was none. */
  body: unknown;
  /** Beside what the channel holds, what must not be seen of it in the upstream's words. */
  secrets: readonly string[];
}

const UNANSWERED: Asked = { body: null, secrets: [] };

async function ask(
  { channel, access, wire }: TaskPlace,
  prepare: (http: VendorCall) => UpstreamRequest | Promise<UpstreamRequest>,
  deps: RelayDeps,
): Promise<Asked> {
  const { dialer, log } = deps;
  const asked = inTime(limits.taskAskMs, deps, async ({ signal }) => {
    const request = await prepare(vendorCall(channel, deps));
    const headers = { ...request.headers, ...channel.setting.headers };
    const connectMs = channel.setting.deadlines.connectMs ?? limits.taskAskMs;
    const response = await dialer.open({ ...request, headers }, { channel, connectMs, signal });
    const text = await readBounded(response, wire.answerBytes ?? limits.taskAnswerBytes);
    dialer.wasRead(response);
    if (!response.ok) log.warn('tasks.no_answer', { channel_id: access.id, status: response.status });
    return { body: response.ok ? parseJson(text) : null, secrets: request.secrets ?? [] };
  });
  return asked.catch((error: unknown) => {
    log.warn('tasks.no_answer', { channel_id: access.id, error });
    return UNANSWERED;
  });
}

export const createTaskProbe = (deps: RelayDeps): TaskProbe => ({
  async ask(question) {
    const place = await placeOf(question, deps);
    if (place === 'gone' || place === null) return place;
    if (!place.wire.singly) return newsOf(place, question.ids, deps);
    const news: TaskNews[] = [];
    const waiting = question.ids.values();
    const worker = async () => {
      for (const id of waiting) news.push(...((await newsOf(place, [id], deps)) ?? []));
    };
    // Answers that hold whole results come one after the other.
    const atOnce = place.wire.answerBytes === undefined ? limits.tasksAskedSingly : 1;
    await Promise.all(Array.from({ length: atOnce }, worker));
    return news;
  },
});

async function newsOf(place: TaskPlace, ids: readonly string[], deps: RelayDeps): Promise<TaskNews[] | null> {
  const { channel, wire, access } = place;
  const { body, secrets } = await ask(place, (http) => wire.ask(access, ids, http), deps);
  const hidden = [...hiddenOfChannel(channel, access.key, access.baseUrl), ...secrets];
  return wire.read(body, ids[0] ?? '')?.map((one) => cleanedNews(one, wire, hidden)) ?? null;
}

/** By which number a picture can be drawn again; null where its upstream does not tell. */
export async function askSeed(
  task: { channelId: number; keyId: number; upstreamId: string },
  deps: RelayDeps,
): Promise<string | null> {
  const place = await placeOf(task, deps);
  if (place === 'gone' || place === null) return null;
  const { seed } = place.wire;
  if (!seed) return null;
  return seed.read((await ask(place, () => seed.ask(place.access, task.upstreamId), deps)).body);
}
