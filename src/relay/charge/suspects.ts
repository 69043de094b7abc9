/**
 * Channels whose upstreams tell usage that cannot be, uses of paid tools that nobody asked for, or nothing of what a model
 * has thought: counted, and told to root when one does it again and again.
 */

import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { asIs, filled, type Text } from '../../core/text.ts';
import type { AlertType } from '../../modules/alert/service.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import type { Deps } from '../../modules/deps.ts';

interface Standing {
  /** performance.now() of the first. */
  from: number;
  count: number;
}

/** How often each channel did it within the window that began with the first time. */
export class Suspects {
  /** Of too many the one that was silent the longest is forgotten. */
  readonly #standings = new LRUCache<number, Standing>({ max: limits.suspectsRemembered });

  /** `windowMs`: after so long a channel is told of anew. */
  constructor(private readonly windowMs: number = limits.suspectWindowMs) {}

  get size(): number {
    return this.#standings.size;
  }

  /** Once more; how often that makes. */
  note(channel: number, now: number): number {
    const known = this.#standings.get(channel);
    const isFresh = known && now - known.from < this.windowMs;
    const standing = isFresh ? known : { from: now, count: 0 };
    standing.count++;
    this.#standings.set(channel, standing);
    return standing.count;
  }
}

export type Doubt = 'suspect' | 'unasked' | 'untold';

interface Told {
  type: AlertType;
  metric: string;
  help: string;
  title: Text;
  content: Text;
}

/**
 * What is said of each: of what cannot be what is plausible is charged, and what nobody has asked for to nobody. Nor are
 * thoughts that no usage tells and nobody sees, of an answer that has ended well.
 */
const TOLD: Readonly<Record<Doubt, Told>> = {
  suspect: {
    type: 'usage_suspect',
    metric: 'tollgate_usage_suspect_total',
    help: 'Answers whose told usage was not believed, and charged as far as is plausible.',
    title: {
      zh: '渠道 {name}（#{id}）多次上报不可信的用量',
      en: 'Channel {name} (#{id}) tells usage that cannot be, again and again',
    },
    content: {
      zh: '这些调用已按合理用量计费，请检查上游。',
      en: 'Of these calls what is plausible was charged; have a look at the upstream.',
    },
  },
  unasked: {
    type: 'uses_unasked',
    metric: 'tollgate_uses_unasked_total',
    help: 'Answers that told uses of paid tools which nobody had asked for, and which were charged to nobody.',
    title: {
      zh: '渠道 {name}（#{id}）多次上报未被请求的工具用量',
      en: 'Channel {name} (#{id}) tells uses of paid tools that nobody asked for, again and again',
    },
    content: {
      zh: '这些工具用量未向任何人收费，上游却可能向您收费。请检查上游。',
      en: 'These uses were charged to nobody, and may be charged to you; have a look at the upstream.',
    },
  },
  untold: {
    type: 'usage_untold',
    metric: 'tollgate_usage_untold_total',
    help: 'Whole answers of models that think unseen, of which no usage was told: what they showed was charged.',
    title: {
      zh: '渠道 {name}（#{id}）的思考模型不上报用量',
      en: 'Channel {name} (#{id}) tells no usage of models that think',
    },
    content: {
      zh: '这些调用只按可见内容计费，上游却可能就看不见的思考向您收费。请检查上游，例如它是否支持 stream_options。',
      en: 'Of these calls what was shown was charged, and thoughts that nobody saw may be charged to you; see whether the upstream can tell usage, by stream_options for one.',
    },
  },
};
const DOUBTS = ['suspect', 'unasked', 'untold'] as const satisfies readonly Doubt[];

/** Notes what of one answer was not charged as it was told. */
export function noteDoubts(
  { id, name }: RoutedChannel,
  doubted: Partial<Record<Doubt, boolean>>,
  { metrics, alerts, suspects }: Pick<Deps, 'metrics' | 'alerts'> & { suspects: Record<Doubt, Suspects> },
): void {
  for (const doubt of DOUBTS) {
    if (!doubted[doubt]) continue;
    const { type, metric, help, title, content } = TOLD[doubt];
    metrics.count(metric, help, { channel: id });
    if (suspects[doubt].note(id, performance.now()) !== limits.suspectsBeforeAlert) continue;
    alerts.send({
      type,
      subject: `channel:${id}`,
      title: filled(title, { name: asIs(name), id }),
      content,
    });
  }
}
