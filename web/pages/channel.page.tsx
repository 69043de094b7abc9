/** The list of channels. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Link, Outlet, useRouter } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Fragment } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { BottomBarSpace, PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { CHANNEL_STATUS, channelStates } from '@/features/channel/channel.ts';
import { useChannelColumns } from '@/features/channel/channel-columns.tsx';
import { isRecent } from '@/features/channel/recent.ts';
import { useChannelActions } from '@/features/channel/use-channel-actions.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel');

export function ChannelPage() {
  const { t } = useTranslation();
  const { page, types } = route.useLoaderData();
  const { by } = route.useSearch();
  const router = useRouter();
  const actions = useChannelActions();
  const columns = useChannelColumns(actions, types);
  return (
    <>
      <PageHeader title={t('channel.title')} help={<Counts />} primary={<AddLink />} />
      <ChannelFilters />
      <DataTable
        name="channel"
        label={t('channel.list')}
        columns={columns}
        page={page}
        rowId={(channel) => String(channel.id)}
        rowName={(channel) => channel.name}
        summary={t(by === 'id' ? 'channel.orderId' : 'channel.orderPriority')}
        empty={<NoChannels />}
        isNew={isRecent}
        onRefresh={() => void router.invalidate()}
      />
      <BottomBarSpace />
      <Outlet />
    </>
  );
}

function AddLink() {
  const { t } = useTranslation();
  return (
    <Link to="/channel/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('channel.add')}
    </Link>
  );
}

const countedStates = [
  { status: CHANNEL_STATUS.enabled, text: 'channel.countOn' },
  { status: CHANNEL_STATUS.disabled, text: 'channel.countOff' },
  { status: CHANNEL_STATUS.autoDisabled, text: 'channel.countAuto' },
] as const;

/** How many there are by status; each count leads to its channels. */
function Counts() {
  const { t } = useTranslation();
  const { page } = route.useLoaderData();
  const { all = 0, ...counts } = page.status_counts;
  return (
    <>
      {t('channel.count', { count: all, n: formatNumber(all) })}
      {countedStates.map(({ status, text }) => {
        const count = counts[status] ?? 0;
        return (
          count > 0 && (
            <Fragment key={status}>
              {' · '}
              <SearchLink change={{ status, p: undefined }} className="link">
                {t(text, { count, n: formatNumber(count) })}
              </SearchLink>
            </Fragment>
          )
        );
      })}
    </>
  );
}

function ChannelFilters() {
  const { t } = useTranslation();
  const { q, group, model, type, status, by } = route.useSearch();
  const { types, groups } = route.useLoaderData();
  const setSearch = useSetSearch();
  return (
    <FilterBar
      count={[group, model, type, status, by].filter(Boolean).length}
      search={<SearchFilter name="q" value={q} label={t('channel.search')} />}
    >
      <SelectFilter
        name="group"
        value={group}
        all={t('channel.allGroups')}
        options={groups.map((name) => ({ value: name, label: name }))}
      />
      <div className="w-36 *:w-full max-md:w-full">
        <SearchFilter name="model" value={model} label={t('channel.searchModel')} />
      </div>
      <SelectFilter
        name="type"
        value={type === undefined ? undefined : String(type)}
        all={t('channel.allTypes')}
        options={types.map(({ type, label }) => ({ value: String(type), label }))}
      />
      <SelectFilter
        name="status"
        value={status}
        all={t('channel.allStatuses')}
        options={channelStates.map((state) => ({ value: String(state.status), label: t(state.label) }))}
      />
      <label className="flex min-h-8 cursor-pointer items-center gap-2 px-1 text-sm max-md:min-h-11">
        <Checkbox
          checked={by === 'id'}
          onChange={(event) =>
            setSearch({ by: event.target.checked ? 'id' : undefined, p: undefined }, { replace: true })
          }
        />
        {t('channel.byId')}
      </label>
    </FilterBar>
  );
}

/** None at all is another matter than none that matches. */
function NoChannels() {
  const { t } = useTranslation();
  const { q, group, model, type, status } = route.useSearch();
  if (q || group || model || type || status) {
    const none = undefined;
    const clear = { q: none, group: none, model: none, type: none, status: none, p: none };
    return (
      <EmptyState
        title={t('channel.noMatchTitle')}
        action={
          <SearchLink change={clear} className={buttonVariants()}>
            {t('table.clearFilters')}
          </SearchLink>
        }
      >
        {t('channel.noMatchBody')}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t('channel.emptyTitle')} action={<AddLink />}>
      {t('channel.emptyBody')}
    </EmptyState>
  );
}
