/** Tells root of films that are longer than was paid: their callers are charged for what they asked for, and no more. */
import { asIs, filled, type Text } from '../../core/text.ts';
import type { Deps } from '../deps.ts';

const TITLE: Text = {
  zh: '渠道 {name}（#{id}）生成的视频比所付的更长',
  en: 'Channel {name} (#{id}) makes films longer than was paid',
};
const CONTENT: Text = {
  zh: '一个视频按 {paid} 秒收费，上游称有 {told} 秒，并可能按此向您收费。可在“视频价格”中用 seconds 写明此模型生成的时长。',
  en: 'A film of {paid} seconds was charged, and its upstream tells {told}, which it may charge you for. “Prices of videos” can name the lengths that the model makes (seconds).',
};

/** What an upstream says of the seconds of a film that is done, and how many were paid. */
export function noteLength(
  { id, name }: { id: number; name: string },
  { told, paid }: { told: number; paid: number },
  { metrics, alerts }: Pick<Deps, 'metrics' | 'alerts'>,
): void {
  if (told <= paid) return;
  metrics.count('tollgate_films_longer_total', 'Films that are longer than was paid.', { channel: id });
  alerts.send({
    type: 'film_longer',
    subject: `channel:${id}`,
    title: filled(TITLE, { name: asIs(name), id }),
    content: filled(CONTENT, { paid, told }),
  });
}
