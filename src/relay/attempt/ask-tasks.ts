/** Asks a channel's upstream after tasks that it has taken. */
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskNews } from '../../core/tasks.ts';
import { isTooLarge } from '../../core/too-large.ts';
import { keyOpener, loadForTasks } from '../../modules/channel/load.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import type { TaskProbe } from '../../modules/task/service.ts';
import { createFairGate } from '../../platform/fair-gate.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest, VendorCall } from '../../providers/provider.ts';
import { addressAt, findProvider } from '../../providers/registry.ts';
import type { RelayDeps } from '../deps.ts';
import { hiddenOfChannel } from './hidden.ts';
import { inTime } from './lifeline.ts';
import { siteOf } from './prepare.ts';
import { cleanedNews } from './task-words.ts';
import { transportFaultOf } from './transport-fault.ts';
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
    baseUrl: addressAt(provider, channel.baseUrl),
    key: key.value,
    organization: channel.organization,
    other: channel.other,
    site: siteOf(deps),
  };
  return { channel, wire: provider.tasks, access };
}

/** The JSON of a good answer. */
interface Told {
  body: unknown;
  /** Beside what the channel holds, what must not be seen of it in the upstream's words. */
  secrets: readonly string[];
}

/**
 * Why there is none: the answer is too large; there is none that is good, which may be for any of the tasks; or there would be
 * none whatever is asked, since nobody is there, the key is refused or there are too many questions.
 */
type Untold = 'large' | 'spoilt' | 'nobody';

/** Statuses that are about who asks, and how often. */
const ABOUT_WHO_ASKS: ReadonlySet<number> = new Set([401, 429]);
/** Faults of a call that has met nobody. */
const NOBODY_THERE: ReadonlySet<ReturnType<typeof transportFaultOf>> = new Set([
  'connect-refused',
  'no-host',
  'tls',
  'proxy',
]);

async function ask(
  { channel, access, wire }: TaskPlace,
  prepare: (http: VendorCall) => UpstreamRequest | Promise<UpstreamRequest>,
  deps: RelayDeps,
): Promise<Told | Untold> {
  const { dialer, log } = deps;
  let isUp = false;
  const goesUp = () => {
    isUp = true;
  };
  try {
    return await inTime(limits.taskAskMs, deps, async ({ signal }) => {
      const request = await prepare(vendorCall(channel, deps));
      const headers = { ...request.headers, ...channel.setting.headers };
      const connectMs = channel.setting.deadlines.connectMs ?? limits.taskAskMs;
      const response = await dialer.open({ ...request, headers }, { channel, connectMs, signal, goesUp });
      const text = await readBounded(response, wire.answerBytes ?? limits.taskAnswerBytes);
      dialer.wasRead(response);
      const { ok, status } = response;
      if (ok) return { body: parseJson(text), secrets: request.secrets ?? [] };
      log.warn('tasks.no_answer', { channel_id: access.id, status });
      return ABOUT_WHO_ASKS.has(status) ? 'nobody' : 'spoilt';
    });
  } catch (error) {
    log.warn('tasks.no_answer', { channel_id: access.id, error });
    if (isTooLarge(error)) return 'large';
    return isUp && !NOBODY_THERE.has(transportFaultOf(error)) ? 'spoilt' : 'nobody';
  }
}

export function createTaskProbe(deps: RelayDeps): TaskProbe {
  const gate = (atOnce: number, ofOneAtOnce: number) =>
    createFairGate({ atOnce, ofOneAtOnce, waitingMax: Infinity, ofOneWaitingMax: Infinity });
  // Places are given by channels in turn, and each has a few at most, so that whoever waits for one that hangs waits for that
  // one alone. What is not answered soon counts for its channel on, and no more for all: however many hang, the others are
  // asked. It holds next to nothing while it hangs, and of what drips in each channel has no more than its own few.
  const turns = gate(limits.tasksAskedAtOnce, limits.tasksAskedOfOne);
  const largeTurns = gate(limits.largeTasksAtOnce, limits.largeTasksOfOne);
  return {
    async ask({ ids, until, hear, ...at }) {
      const place = await placeOf(at, deps);
      if (place === 'gone') return place;
      if (place === null) return ids;
      const { wire, access } = place;
      const { run } = wire.singly && wire.answerBytes === undefined ? turns : largeTurns;
      // Whoever finds nobody there has found it for all of them, also where each is asked after by itself.
      let isNobody = false;
      const ask = (some: readonly string[]) =>
        run(
          { who: String(access.id) },
          async () => {
            if (until.aborted || isNobody) return 'nobody';
            const news = await newsOf(place, some, deps);
            isNobody ||= news === 'nobody';
            return news;
          },
          limits.taskSlowMs,
        );
      const batches = wire.singly ? ids.map((id) => [id]) : [ids];
      const left = await Promise.all(batches.map((batch) => askAfter(batch, ask, hear)));
      return left.flat();
    },
  };
}

/**
 * Where there is no good answer, each half is asked after by itself, since any task may have spoilt the answer for the others. An
 * upstream that gives several such answers in a row may be down, and then it is asked once more, after one task alone, which
 * hardly can be a bad one each time: no answer to that leaves the others to a later round. Answers those that are left.
 */
async function askAfter(
  batch: readonly string[],
  ask: (some: readonly string[]) => Promise<TaskNews[] | Untold>,
  hear: (news: readonly TaskNews[]) => Promise<void>,
): Promise<readonly string[]> {
  const parts = [batch];
  let inVain = 0;
  for (let some = parts.shift(); some; some = parts.shift()) {
    const news = await ask(some);
    if (news === 'nobody') return [some, ...parts].flat();
    if (news !== 'large' && news !== 'spoilt') await hear(news);
    else if (some.length > 1) parts.push(...halvesOf(some));
    inVain = news === 'spoilt' ? inVain + 1 : 0;
    if (inVain > limits.tasksAskedInVain) return parts.flat();
    if (inVain === limits.tasksAskedInVain && parts.length > 0) parts.unshift(anyOf(parts.flat()));
  }
  return [];
}

function halvesOf<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

/** One of them. */
function anyOf<T>(list: readonly T[]): T[] {
  const at = Math.floor(Math.random() * list.length);
  return list.slice(at, at + 1);
}

async function newsOf(
  place: TaskPlace,
  ids: readonly string[],
  deps: RelayDeps,
): Promise<TaskNews[] | Untold> {
  const { channel, wire, access } = place;
  const told = await ask(place, (http) => wire.ask(access, ids, http), deps);
  if (typeof told === 'string') return told;
  const hidden = [...hiddenOfChannel(channel, access.key, access.baseUrl), ...told.secrets];
  try {
    const news = wire.read(told.body, ids[0] ?? '');
    if (news) return news.map((one) => cleanedNews(one, wire, hidden));
    // A task that is answered well and never understood hangs until its time is up: its operator sees why.
    if (told.body !== null) deps.log.warn('tasks.unread', { channel_id: access.id });
    return 'spoilt';
  } catch (error) {
    // It nests too deep.
    deps.log.warn('tasks.no_answer', { channel_id: access.id, error });
    return 'spoilt';
  }
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
  const told = await ask(place, () => seed.ask(place.access, task.upstreamId), deps);
  return typeof told === 'string' ? null : seed.read(told.body);
}
