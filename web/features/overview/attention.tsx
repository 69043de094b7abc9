/** What wants a look: channels that are off by themselves or rest, models without a price, a full disk, a database that is behind. */
import { can } from '@core/roles.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { Status, type StatusTone } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import type { ChannelStanding, SiteOverview } from '@/features/home/load.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { ChannelLink } from './channel-link.tsx';

interface Item {
  key: string;
  tone: StatusTone;
  state: string;
  what: ReactNode;
  why: ReactNode;
  /** At the end of the line. */
  end?: ReactNode;
}

export function Attention({ site }: { site: SiteOverview }) {
  const { t } = useTranslation();
  const headingId = useId();
  const items = useItems(site);
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface">
      <h3 id={headingId} className="border-b border-line px-4 py-2.5 font-semibold">
        {t('overview.attention')}
      </h3>
      {site.channels === 'busy' && (
        <p className="border-line px-4 py-3 text-sm text-muted not-last:border-b">
          {t('overview.channelsBusy')}
        </p>
      )}
      {site.channels !== 'busy' && items.length === 0 && (
        <p className="px-4 py-3 text-sm">
          <Status tone="on">{t('overview.allWell')}</Status>
        </p>
      )}
      {items.length > 0 && (
        <ul className="text-sm">
          {items.map(({ key, tone, state, what, why, end }) => (
            <li
              key={key}
              className="grid grid-cols-[7rem_minmax(0,14rem)_minmax(0,1fr)_auto] items-baseline gap-x-4 border-line px-4 py-2 not-last:border-b max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-y-0.5"
            >
              <Status tone={tone}>{state}</Status>
              <span className="flex min-w-0 max-md:order-first max-md:col-span-2">{what}</span>
              <span className="min-w-0 text-muted break-words max-md:order-last max-md:col-span-2">
                {why}
              </span>
              <span className="text-right text-xs whitespace-nowrap text-muted">{end}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function useItems({ channels, resting, unpriced, self_use, disk, queue }: SiteOverview): Item[] {
  const { t } = useTranslation();
  const { user } = useBoot();
  const list = (names: readonly string[]) => names.join(t('app.comma'));
  const items: Item[] = [];
  if (disk?.is_low)
    items.push({
      key: 'disk',
      tone: 'bad',
      state: t('overview.state.disk'),
      what: t('overview.disk'),
      why: t('overview.diskLow'),
    });
  if (queue.spooled > 0)
    items.push({
      key: 'spool',
      tone: 'bad',
      state: t('overview.state.behind'),
      what: t('overview.spooled'),
      why: t('overview.spooledWhy'),
    });
  if (channels !== 'busy') items.push(...offItems(channels, t));
  for (const { id, name, why, models } of resting)
    items.push({
      key: `rests ${id} ${why}`,
      tone: 'auto',
      state: t('overview.state.rests'),
      what: <ChannelLink id={id} name={name} />,
      why: t(`overview.rest.${why}`, { models: list(models) }),
    });
  if (unpriced.count > 0 && !self_use)
    items.push({
      key: 'unpriced',
      tone: 'gone',
      state: t('overview.state.unpriced'),
      what: t('overview.unpriced', { count: unpriced.count }),
      why: `${list(unpriced.models)}${unpriced.count > unpriced.models.length ? '…' : ''}`,
      end: can(user?.role ?? 0, 'canManageOptions') && (
        <Link
          to="/setting"
          search={{ tab: 'operation', sub: 'unpriced' }}
          className="hit text-sm text-accent-text"
        >
          {t('overview.stepAction.price')}
        </Link>
      ),
    });
  return items;
}

/** Channels that serve nobody, where somebody has to do something about it. */
function offItems(
  { enabled, disabled, auto_disabled, off, keys_off }: ChannelStanding,
  t: TFunction,
): Item[] {
  const items: Item[] = [];
  if (enabled === 0)
    items.push({
      key: 'none',
      tone: 'bad',
      state: t('overview.state.none'),
      what: (
        <Link to="/channel" className="text-accent-text">
          {t('nav.channel')}
        </Link>
      ),
      why: t(disabled + auto_disabled > 0 ? 'overview.noneEnabled' : 'overview.noChannels'),
    });
  for (const { id, name, reason, since } of off)
    items.push({
      key: `off ${id}`,
      tone: 'auto',
      state: t('overview.state.auto'),
      what: <ChannelLink id={id} name={name} />,
      why: reason ?? t('overview.unknownReason'),
      end: since > 0 && <Time at={since} relative />,
    });
  const moreOff = auto_disabled - off.length;
  if (moreOff > 0)
    items.push({
      key: 'more off',
      tone: 'auto',
      state: t('overview.state.auto'),
      what: (
        <Link
          to="/channel"
          search={{ status: `${CHANNEL_STATUS.autoDisabled}` }}
          className="hit text-accent-text"
        >
          {t('overview.moreOff', { count: moreOff })}
        </Link>
      ),
      why: null,
    });
  for (const { id, name, off: dead, count: all, since } of keys_off)
    items.push({
      key: `keys ${id}`,
      tone: 'auto',
      state: t('overview.state.keys'),
      what: <ChannelLink id={id} name={name} />,
      why: t('overview.keysOff', { off: dead, all }),
      end: since > 0 && <Time at={since} relative />,
    });
  return items;
}
