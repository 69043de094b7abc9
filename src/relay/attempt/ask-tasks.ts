/** Asks a channel's upstream after tasks that it has taken. */
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskProbe } from '../../modules/task/service.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayDeps } from '../deps.ts';
import { cleanText } from './outcome.ts';
import { siteOf } from './prepare.ts';

export const createTaskProbe = (deps: RelayDeps): TaskProbe => ({
  async ask({ channelId, keyId, ids }) {
    const { channels, dialer, cut, log } = deps;
    const channel = channels.byId(channelId);
    const provider = channel && findProvider(channel.type);
    if (!channel || !provider?.tasks) return 'gone';
    // The key that submitted them, or another of the account's where that is out of service.
    const key = channel.keys.find(({ id }) => id === keyId) ?? channel.keys[0];
    if (!key) return null;
    const access = {
      id: channel.id,
      baseUrl: channel.baseUrl || provider.baseUrl || '',
      key: key.value,
      organization: channel.organization,
      other: channel.other,
      site: siteOf(deps),
    };
    const abort = new AbortController();
    const end = () => abort.abort();
    const timer = setTimeout(end, limits.taskAskMs);
    const uncut = cut.onCut(end);
    try {
      const request = provider.tasks.ask(access, ids);
      const response = await dialer.open(
        { ...request, headers: { ...request.headers, ...channel.setting.headers } },
        {
          channel,
          connectMs: channel.setting.deadlines.connectMs ?? limits.taskAskMs,
          signal: abort.signal,
        },
      );
      const text = await readBounded(response, limits.taskAnswerBytes);
      dialer.wasRead(response);
      const news = response.ok ? provider.tasks.read(parseJson(text)) : null;
      if (!news) log.warn('tasks.no_answer', { channel_id: channelId, status: response.status });
      // Its words reach the task's owner: neither the key nor the address may stand in them.
      const hidden = [key.value, ...(URL.canParse(access.baseUrl) ? [new URL(access.baseUrl).hostname] : [])];
      return news?.map((one) => ({ ...one, failReason: cleanText(one.failReason, hidden) })) ?? null;
    } catch (error) {
      log.warn('tasks.no_answer', { channel_id: channelId, error });
      return null;
    } finally {
      clearTimeout(timer);
      uncut();
    }
  },
});
