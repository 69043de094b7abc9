/** Channels whose upstreams tell usage that cannot be: counted, and told to root when one does it again and again. */

import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { asIs, filled, type Text } from '../../core/text.ts';
import type { Alerts } from '../../modules/alert/service.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import type { RelayDeps } from '../deps.ts';

interface Standing {
  /** performance.now() of the first. */
  from: number;
  count: number;
}

/** How often each channel did it within the window that began with the first time. */
export class Suspects {
  /** Of too many the one that was silent the longest is forgotten. */
  readonly #standings = new LRUCache<number, Standing>({ max: limits.suspectsRemembered });

  get size(): number {
    return this.#standings.size;
  }

  /** Once more; how often that makes. */
  note(channel: number, now: number): number {
    const known = this.#standings.get(channel);
    const isFresh = known && now - known.from < limits.suspectWindowMs;
    const standing = isFresh ? known : { from: now, count: 0 };
    standing.count++;
    this.#standings.set(channel, standing);
    return standing.count;
  }
}

const suspects = new WeakMap<Alerts, Suspects>();
const SUSPECT: Text = {
  zh: '渠道 {name}（#{id}）多次上报不可信的用量',
  en: 'Channel {name} (#{id}) tells usage that cannot be, again and again',
};
const CHARGED: Text = {
  zh: '这些调用已按本站计数收费，请检查上游。',
  en: 'These calls were charged by our own count; have a look at the upstream.',
};

/** Notes one answer that was charged by our own count. */
export function noteSuspect({ id, name }: RoutedChannel, { metrics, alerts }: RelayDeps): void {
  metrics.count('tollgate_usage_suspect_total', 'Answers whose told usage was not believed.', {
    channel: id,
  });
  const all = suspects.get(alerts) ?? new Suspects();
  suspects.set(alerts, all);
  if (all.note(id, performance.now()) < limits.suspectsBeforeAlert) return;
  alerts.send({
    type: 'usage_suspect',
    subject: `channel:${id}`,
    title: filled(SUSPECT, { name: asIs(name), id }),
    content: CHARGED,
  });
}
