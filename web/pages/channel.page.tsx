/** The list of channels. */

import { formatNumber } from '@core/money.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { getRouteApi, Link, Outlet, useRouter } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { KeyFinder } from '@/components/key-finder.tsx';
import { BottomBarSpace, PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { BALANCE_JOB, TEST_JOB } from '@/features/channel/calls.ts';
import { type Channel, channelStates } from '@/features/channel/channel.ts';
import { useChannelColumns } from '@/features/channel/channel-columns.tsx';
import { channelsUnder, isTag, type Line, lineId, tagLines } from '@/features/channel/line.ts';
import { PageMenus } from '@/features/channel/page-menus.tsx';
import { isRecent } from '@/features/channel/recent.ts';
import type { ChannelTools } from '@/features/channel/tools.ts';
import { useChannelActions } from '@/features/channel/use-channel-actions.ts';
import { type ManyActions, useManyActions } from '@/features/channel/use-many-actions.ts';
import { saveText } from '@/lib/download.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { followJob, useJobs } from '@/lib/jobs.ts';
import { late } from '@/lib/late.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel');

const TagDialog = late(() => import('@/features/channel/tag-dialog.tsx').then((module) => module.TagDialog));
const TestDialog = late(() =>
  import('@/features/channel/test-dialog.tsx').then((module) => module.TestDialog),
);

export function ChannelPage() {
  const { t } = useTranslation();
  const { page, types } = route.useLoaderData();
  const { by, view } = route.useSearch();
  const refresh = useRefresh();
  const isTagView = view === 'tag';
  const [tools, testDialog] = useChannelTools(isTagView, page.probing);
  const [tagging, setTagging] = useState<{ channels: Channel[]; clear: () => void } | null>(null);
  const columns = useChannelColumns(tools, types);
  const exportCsv = useExport();
  const lines = useMemo(
    () => ({ ...page, items: isTagView ? tagLines(page.items) : (page.items as Line[]) }),
    [page, isTagView],
  );
  useJobNews();

  return (
    <>
      <PageHeader
        title={t('channel.title')}
        help={<Counts />}
        actions={<PageMenus actions={tools.many} exportCsv={exportCsv} />}
        actionsBelow
        primary={<AddLink />}
      />
      <ChannelFilters />
      <DataTable<Line>
        name="channel"
        label={t('channel.list')}
        columns={columns}
        page={lines}
        rowId={lineId}
        rowName={(line) => (isTag(line) ? t('channel.tagIs', { tag: line.tagOf }) : line.name)}
        summary={t(by === 'id' ? 'channel.orderId' : 'channel.orderPriority')}
        empty={<NoChannels />}
        isNew={(line) => !isTag(line) && isRecent(line)}
        subRows={channelsUnder}
        bulk={(chosen, clear) => {
          const channels = chosen.filter((line): line is Channel => !isTag(line));
          return (
            <BulkActions
              channels={channels}
              clear={clear}
              actions={tools.many}
              onTag={() => setTagging({ channels, clear })}
            />
          );
        }}
        onRefresh={() => void refresh()}
      />
      <BottomBarSpace />
      {testDialog}
      {tagging && (
        <TagDialog
          count={tagging.channels.length}
          save={async (tag) => {
            await tools.many.tag(tagging.channels, tag);
            tagging.clear();
          }}
          onClose={() => setTagging(null)}
        />
      )}
      <Outlet />
    </>
  );
}

/** What the cells can do, and the dialog that one of them opens. */
function useChannelTools(tagView: boolean, probing: boolean): [ChannelTools, ReactNode] {
  const one = useChannelActions();
  const many = useManyActions();
  const [tested, setTested] = useState<Channel | null>(null);
  const tools = useMemo(
    (): ChannelTools => ({
      one,
      many,
      probing,
      testModels: setTested,
      tagView,
    }),
    [one, many, tagView, probing],
  );
  const dialog = tested && <TestDialog channel={tested} onClose={() => setTested(null)} />;
  return [tools, dialog];
}

/** Takes up jobs that were under way before this page, and shows the fresh rows as their results come in. */
function useJobNews(): void {
  const api = useApi();
  const router = useRouter();
  const { jobs } = useJobs();
  useEffect(() => {
    for (const path of [TEST_JOB, BALANCE_JOB] as const) void followJob(api, path, { onlyRunning: true });
  }, [api]);
  const news = jobs.map(({ id, done, state }) => `${id} ${done} ${state}`).join();
  const [seen, setSeen] = useState(news);
  useEffect(() => {
    if (news === seen) return;
    setSeen(news);
    void router.invalidate();
  }, [news, seen, router]);
}

function useExport(): () => void {
  const { t } = useTranslation();
  const { query } = route.useLoaderData();
  const api = useApi();
  return () => {
    void (async () => {
      try {
        const { allChannels, csvOf } = await import('@/features/channel/csv.ts');
        saveText('channels.csv', csvOf(await allChannels(api, { ...query, tag_mode: undefined })));
      } catch (error) {
        notify(failureNotice(error, t));
      }
    })();
  };
}

interface BulkActionsProps {
  channels: readonly Channel[];
  clear: () => void;
  actions: ManyActions;
  onTag: () => void;
}

function BulkActions({ channels, clear, actions, onTag }: BulkActionsProps) {
  const { t } = useTranslation();
  const ids = channels.map(({ id }) => id);
  return (
    <>
      <Button onClick={() => void actions.setEnabled(channels, true).then(clear)}>
        {t('channel.enable')}
      </Button>
      <Button onClick={() => void actions.setEnabled(channels, false).then(clear)}>
        {t('channel.disable')}
      </Button>
      <Button onClick={onTag}>{t('channel.tag')}</Button>
      <Button onClick={() => void actions.begin(TEST_JOB, { ids })}>{t('channel.test')}</Button>
      <Button onClick={() => void actions.begin(BALANCE_JOB, { ids })}>{t('channel.balance')}</Button>
      <Button variant="danger" onClick={() => void actions.remove(channels).then((done) => done && clear())}>
        {t('channel.delete')}
      </Button>
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
  const { q, group, model, type, status, by, view } = route.useSearch();
  const { types, groups } = route.useLoaderData();
  const setSearch = useSetSearch();
  return (
    <FilterBar
      count={[group, model, type, status, by, view].filter(Boolean).length}
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
        value={type}
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
      <label className="flex min-h-8 cursor-pointer items-center gap-2 px-1 text-sm max-md:min-h-11">
        <Checkbox
          checked={view === 'tag'}
          onChange={(event) =>
            setSearch({ view: event.target.checked ? 'tag' : undefined, p: undefined }, { replace: true })
          }
        />
        {t('channel.tagView')}
      </label>
      <ChannelByKey />
    </FilterBar>
  );
}

const keyTexts = {
  action: 'channel.byKey',
  help: 'channel.byKeyHelp',
  field: 'channel.key',
  unknown: 'channel.keyUnknown',
} as const;

function ChannelByKey() {
  const api = useApi();
  return (
    <KeyFinder
      texts={keyTexts}
      isTight
      find={async (keyword) => {
        const { items } = await api.get('/api/channel/search', { query: { keyword } });
        const [channel] = items;
        if (!channel) return null;
        const none = undefined;
        return { q: channel.name, group: none, model: none, type: none, status: none, p: none };
      }}
    />
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
    <EmptyState title={t('channel.emptyTitle')} action={<FirstChannels />}>
      {t('channel.emptyBody')}
    </EmptyState>
  );
}

const firstTypes = [
  { kind: 1, title: 'OpenAI', body: 'channel.firstOpenai' },
  { kind: 14, title: 'Anthropic', body: 'channel.firstAnthropic' },
  { kind: 1, title: null, body: 'channel.firstCompatible' },
] as const;

/** Three ways to begin: each opens the form with its type. */
function FirstChannels() {
  const { t } = useTranslation();
  return (
    <ul className="grid max-w-[760px] grid-cols-3 gap-3 max-md:grid-cols-1">
      {firstTypes.map(({ kind, title, body }) => (
        <li key={body}>
          <Link
            to="/channel/add"
            {...openDrawer}
            search={{ kind }}
            className="block h-full rounded-md border border-line-btn px-4 py-3 text-text no-underline hover:border-line-strong hover:bg-hover"
          >
            <span className="block font-medium">{title ?? t('channel.firstCompatibleTitle')}</span>
            <span className="mt-0.5 block text-sm text-muted">{t(body)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
