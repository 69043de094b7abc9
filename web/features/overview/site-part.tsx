/** The whole site, for who keeps it: what wants a look, how the channels did, what waits. */
import { formatNumber } from '@core/money.ts';
import { type ReactNode, useId } from 'react';
import { Figure, FiguresRow } from '@/components/figure.tsx';
import { Money } from '@/components/money.tsx';
import { AuditNotice } from '@/features/audit/audit-card.tsx';
import type { ChannelStanding, SiteOverview } from '@/features/home/load.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Attention } from './attention.tsx';
import { ChannelDays } from './channel-days.tsx';
import { ChannelLink } from './channel-link.tsx';
import { FailedFigure } from './failed-figure.tsx';
import { ModelShares } from './model-shares.tsx';
import { useBackTo } from './use-back-to.ts';

interface SitePartProps {
  site: SiteOverview;
  /** The colours of models in the bar above. */
  beside: ReadonlyMap<string, string> | undefined;
}

export function SitePart({ site, beside }: SitePartProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const { usage, channels, audit } = site;
  return (
    <section aria-labelledby={headingId} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 id={headingId} className="text-lg font-semibold">
        {t('overview.site')} <span className="text-xs font-normal text-muted">{t('overview.lastDay')}</span>
      </h2>
      <FiguresRow count={4} label={t('overview.site')}>
        {usage && <UsageFigures usage={usage} />}
        <ChannelsFigure channels={channels} />
      </FiguresRow>
      {usage === 'busy' && <p className="text-sm text-muted">{t('overview.usageBusy')}</p>}
      {audit && <AuditNotice audit={audit} />}
      <Attention site={site} />
      {usage && usage !== 'busy' && (
        <ModelShares usage={usage} beside={beside} title={t('overview.siteShare')} />
      )}
      {channels !== 'busy' && channels.days.length > 0 && <ChannelDays channels={channels} />}
      <div className="grid grid-cols-2 items-start gap-3 max-lg:grid-cols-[minmax(0,1fr)]">
        {channels !== 'busy' && channels.slowest.length > 0 && <Slowest channels={channels.slowest} />}
        <Waiting site={site} />
      </div>
    </section>
  );
}

function UsageFigures({ usage }: { usage: NonNullable<SiteOverview['usage']> }) {
  const { t } = useTranslation();
  const backTo = useBackTo();
  if (usage === 'busy') {
    return (['spent', 'requests', 'errors'] as const).map((name) => (
      <Figure key={name} label={t(`overview.${name}`)}>
        {null}
      </Figure>
    ));
  }
  const note = backTo(usage);
  return (
    <>
      <Figure label={t('overview.spent')} note={note} points={usage.quota}>
        <Money quota={usage.all.quota} />
      </Figure>
      <Figure label={t('overview.requests')} note={note} points={usage.calls}>
        {formatNumber(usage.all.calls)}
      </Figure>
      <FailedFigure all={usage.all} note={note} />
    </>
  );
}

function ChannelsFigure({ channels }: Pick<SiteOverview, 'channels'>) {
  const { t } = useTranslation();
  const label = t('overview.channels');
  if (channels === 'busy') return <Figure label={label}>{null}</Figure>;
  const off = [
    channels.auto_disabled > 0 && t('overview.channelsAuto', { n: channels.auto_disabled }),
    channels.disabled > 0 && t('overview.channelsByHand', { n: channels.disabled }),
  ].filter(Boolean);
  return (
    <Figure label={label} note={off.join(' · ')}>
      {formatNumber(channels.enabled)}
    </Figure>
  );
}

const Panel = ({ title, children }: { title: string; children: ReactNode }) => {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface px-4 py-3">
      <h3 id={headingId} className="mb-2 font-semibold">
        {title}
      </h3>
      {children}
    </section>
  );
};

function Slowest({ channels }: { channels: ChannelStanding['slowest'] }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('overview.slowest')}>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-1.5 text-sm">
        {channels.map(({ id, name, ms, answers }) => (
          <li key={id} className="flex items-baseline gap-3">
            <ChannelLink id={id} name={name} />
            <span className="ml-auto whitespace-nowrap tabular-nums">
              {t('overview.seconds', { seconds: (ms / 1_000).toFixed(1) })}
            </span>
            <span className="w-28 text-right text-xs whitespace-nowrap text-muted tabular-nums">
              {t('overview.answers', { count: answers, n: formatNumber(answers) })}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const GB = 1e9;
const MB = 1e6;

/** What stands in lines, and what there is room for. */
function Waiting({ site: { queue, disk } }: { site: SiteOverview }) {
  const { t } = useTranslation();
  const inGb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;
  return (
    <Panel title={t('overview.server')}>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5 text-sm [&>dd]:text-right [&>dd]:tabular-nums [&>dt]:text-muted">
        <dt>{t('overview.callsOpen')}</dt>
        <dd>{formatNumber(queue.calls_open)}</dd>
        <dt>{t('overview.waiting')}</dt>
        <dd>{formatNumber(queue.reserve_waiting + queue.settle_waiting)}</dd>
        <dt>{t('overview.spooled')}</dt>
        <dd>{formatNumber(queue.spooled)}</dd>
        {queue.resident_bytes > 0 && (
          <>
            <dt>{t('overview.memory')}</dt>
            <dd>{formatNumber(Math.round(queue.resident_bytes / MB))} MB</dd>
          </>
        )}
        {disk && (
          <>
            <dt>{t('overview.disk')}</dt>
            <dd>{t('overview.diskOf', { free: inGb(disk.free_bytes), total: inGb(disk.total_bytes) })}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}
