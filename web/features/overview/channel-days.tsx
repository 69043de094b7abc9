/** How each channel answered over the last day: a strip a channel, a mark a quarter of an hour. */
import { formatNumber } from '@core/money.ts';
import { DAY_SEC } from '@core/time.ts';
import { formatShort } from '@core/time-text.ts';
import { QUARTER_SEC } from '@modules/channel/facts.ts';
import { useId } from 'react';
import type { ChannelStanding } from '@/features/home/load.ts';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { ChannelLink } from './channel-link.tsx';
import { percentText } from './share.ts';

type Day = ChannelStanding['days'][number];

const KINDS = ['ok', 'slow', 'failed'] as const;
const FILL = { ok: 'var(--ok)', slow: 'var(--warn)', failed: 'var(--bad)' } as const;
const GROUND = { ok: 'bg-ok', slow: 'bg-warn', failed: 'bg-bad' } as const;

export function ChannelDays({ channels: { days, from } }: { channels: ChannelStanding }) {
  const { t } = useTranslation();
  const headingId = useId();
  const now = useNow();
  const { timeZone } = useTimeRules();
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface px-4 py-3">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h3 id={headingId} className="font-semibold">
          {t('overview.health')}
        </h3>
        <ul className="flex gap-x-3 text-xs text-muted">
          {KINDS.map((kind) => (
            <li key={kind} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${GROUND[kind]}`} />
              {t(`overview.${kind}`)}
            </li>
          ))}
        </ul>
      </div>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm">
        {days.map((day) => (
          <li
            key={day.id}
            className="grid grid-cols-[minmax(0,12rem)_minmax(0,1fr)_11rem] items-center gap-x-4 max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-y-1"
          >
            <ChannelLink id={day.id} name={day.name} />
            <Strip day={day} />
            <Sums day={day} />
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-muted">
        {t('overview.since', { time: formatShort(from, now, timeZone) })}
      </p>
    </section>
  );
}

function Sums({ day: { ok, slow, failed } }: { day: Day }) {
  const { t } = useTranslation();
  const all = ok + slow + failed;
  return (
    <span className="text-right text-xs whitespace-nowrap text-muted tabular-nums">
      {t('overview.answered', { share: percentText(ok + slow, all) })} · {formatNumber(all)}
    </span>
  );
}

const MARKS = DAY_SEC / QUARTER_SEC;
const MARK_WIDTH = 4;
const HEIGHT = 20;

/** The parts of a mark are the shares of its quarter; where nobody asked there is a thin line. */
function Strip({ day: { name, ok, slow, failed, quarters } }: { day: Day }) {
  const { t } = useTranslation();
  return (
    <svg
      viewBox={`0 0 ${MARKS * MARK_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('overview.strip', { name, ok, slow, failed })}
      className="block h-5 w-full max-md:order-last max-md:col-span-2"
    >
      <rect y={HEIGHT - 1} width={MARKS * MARK_WIDTH} height={1} fill="var(--line)" />
      {quarters.map(([at, ...counts]) => {
        const all = counts.reduce((sum, count) => sum + count, 0);
        let y = HEIGHT;
        return KINDS.map((kind, n) => {
          const height = ((counts[n] ?? 0) / all) * HEIGHT;
          y -= height;
          return height > 0 ? (
            <rect
              key={`${at} ${kind}`}
              x={at * MARK_WIDTH}
              y={y}
              width={MARK_WIDTH - 1}
              height={height}
              fill={FILL[kind]}
            />
          ) : null;
        });
      })}
    </svg>
  );
}
