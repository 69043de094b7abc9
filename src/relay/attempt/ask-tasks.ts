/** Asks a channel's upstream after tasks that it has taken. */
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskNews } from '../../core/tasks.ts';
import { keyOpener, loadForTasks } from '../../modules/channel/load.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import type { TaskProbe } from '../../modules/task/service.ts';
import { createFairGate } from '../../platform/fair-gate.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest, VendorCall } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
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
  /** There was no good answer whatever is asked: nobody is there, the key is refused, there are too many questions. */
  isNoAnswerToAny: boolean;
}

const UNANSWERED: Omit<Asked, 'isNoAnswerToAny'> = { body: null, secrets: [] };

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
): Promise<Asked> {
  const { dialer, log } = deps;
  let isUp = false;
  const goesUp = () => {
    isUp = true;
  };
  const asked = inTime(limits.taskAskMs, deps, async ({ signal }) => {
    const request = await prepare(vendorCall(channel, deps));
    const headers = { ...request.headers, ...channel.setting.headers };
    const connectMs = channel.setting.deadlines.connectMs ?? limits.taskAskMs;
    const response = await dialer.open({ ...request, headers }, { channel, connectMs, signal, goesUp });
    const text = await readBounded(response, wire.answerBytes ?? limits.taskAnswerBytes);
    dialer.wasRead(response);
    const { ok, status } = response;
    if (!ok) log.warn('tasks.no_answer', { channel_id: access.id, status });
    return {
      body: ok ? parseJson(text) : null,
      secrets: request.secrets ?? [],
      isNoAnswerToAny: ABOUT_WHO_ASKS.has(status),
    };
  });
  return asked.catch((error: unknown) => {
    log.warn('tasks.no_answer', { channel_id: access.id, error });
    return { ...UNANSWERED, isNoAnswerToAny: !isUp || NOBODY_THERE.has(transportFaultOf(error)) };
  });
}

export function createTaskProbe(deps: RelayDeps): TaskProbe {
  const gate = (atOnce: number, ofOneAtOnce: number) =>
    createFairGate({ atOnce, ofOneAtOnce, waitingMax: Infinity, ofOneWaitingMax: Infinity });
  // By channels: whoever waits for one that hangs, waits for that one.
  const turns = gate(limits.tasksAskedAtOnce, limits.tasksAskedOfOne);
  const wholeTurns = gate(limits.taskResultsAtOnce, limits.taskResultsOfOne);
  return {
    async ask({ ids, until, hear, ...at }) {
      const place = await placeOf(at, deps);
      if (place === 'gone' || place === null) return place;
      const { wire, access } = place;
      const { run } = wire.answerBytes === undefined ? turns : wholeTurns;
      const askAfter = async (some: readonly string[]): Promise<void> => {
        const news = await run({ who: String(access.id) }, async () =>
          until.aborted ? null : newsOf(place, some, deps),
        );
        if (news !== 'spoilt') return hear(news ?? []);
        // Any one of them may have spoilt it for the others.
        if (some.length > 1) await Promise.all(halvesOf(some).map(askAfter));
      };
      await Promise.all(wire.singly ? ids.map((id) => askAfter([id])) : [askAfter(ids)]);
      return null;
    },
  };
}

function halvesOf<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}

/**
 * What the upstream says of these; null where it says nothing to whatever is asked, `spoilt` where it says nothing good and
 * that may be for one of them: its answer is too large or no answer at all.
 */
async function newsOf(
  place: TaskPlace,
  ids: readonly string[],
  deps: RelayDeps,
): Promise<TaskNews[] | 'spoilt' | null> {
  const { channel, wire, access } = place;
  const { body, secrets, isNoAnswerToAny } = await ask(place, (http) => wire.ask(access, ids, http), deps);
  if (isNoAnswerToAny) return null;
  const hidden = [...hiddenOfChannel(channel, access.key, access.baseUrl), ...secrets];
  try {
    return wire.read(body, ids[0] ?? '')?.map((one) => cleanedNews(one, wire, hidden)) ?? 'spoilt';
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
  return seed.read((await ask(place, () => seed.ask(place.access, task.upstreamId), deps)).body);
}
