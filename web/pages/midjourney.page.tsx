/** The list of drawings. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { useSearchText } from '@/components/data-table/search-links.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { ClearFilters, FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useDrawingColumns } from '@/features/drawing/columns.tsx';
import { actionText, type Drawing, pictureOf } from '@/features/drawing/drawing.ts';
import { FIRST_RANGE } from '@/features/drawing/load.ts';
import { RangeFilter } from '@/features/log/range-filter.tsx';
import { STATE_NAMES, stateOf } from '@/features/task/task.ts';
import { late } from '@/lib/late.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { isCallbackSilent, keep } from '@/lib/storage.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadDrawings } from '../features/drawing/load.ts';

const PromptDialog = late(() =>
  import('@/features/drawing/viewer.tsx').then((module) => module.PromptDialog),
);
const Viewer = late(() => import('@/features/drawing/viewer.tsx').then((module) => module.Viewer));

const route = getRouteApi('/_console/midjourney');

/** The filters beside the search. */
const FILTERS = ['state', 'channel', 'user', 'from', 'to'] as const;
const NAMES = [...FILTERS, 'id'] as const;

export function DrawingPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const search = useSearchText();
  const { page, range, seesAll } = route.useLoaderData();
  const [picture, setPicture] = useState<Drawing | null>(null);
  const [prompt, setPrompt] = useState<Drawing | null>(null);
  const opens = useMemo(() => ({ picture: setPicture, prompt: setPrompt }), []);
  const columns = useDrawingColumns(seesAll, opens);
  const states = useMemo(() => STATE_NAMES.map((value) => ({ value, label: t(stateOf(value).label) })), [t]);
  return (
    <>
      <PageHeader title={t('drawing.title')} help={t('drawing.help')} />
      {seesAll && <CallbackNotice />}
      <FilterBar
        search={<SearchFilter name="id" value={search.id} label={t('task.id')} />}
        count={FILTERS.filter((name) => search[name] !== undefined).length}
      >
        <RangeFilter search={search} range={range} initial={FIRST_RANGE} />
        <SelectFilter
          name="state"
          value={search.state}
          all={t('task.allStates')}
          options={states}
          className="w-36 max-md:w-full"
        />
        {seesAll && (
          <>
            <SearchFilter name="channel" value={search.channel} label={t('task.channelFilter')} />
            <SearchFilter name="user" value={search.user} label={t('task.userFilter')} />
          </>
        )}
        <ClearFilters names={[...NAMES]} />
      </FilterBar>
      <DataTable
        name="drawing"
        label={t('drawing.title')}
        columns={columns}
        page={page}
        rowId={(drawing) => drawing.mj_id}
        rowName={(drawing) => actionText(drawing.action, t)}
        summary={t('drawing.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoDrawings isFiltered={NAMES.some((name) => search[name] !== undefined)} />}
        onRefresh={() => void refresh()}
      />
      {picture && (
        <Viewer
          drawings={page.items.filter((drawing) => pictureOf(drawing) !== null)}
          shown={picture}
          onShow={setPicture}
          onClose={() => setPicture(null)}
        />
      )}
      {prompt && <PromptDialog drawing={prompt} onClose={() => setPrompt(null)} />}
    </>
  );
}

function NoDrawings({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation();
  if (!isFiltered) return <EmptyState title={t('drawing.empty')}>{t('drawing.emptyHelp')}</EmptyState>;
  return (
    <NoMatch title={t('drawing.noMatch')} filters={[...NAMES]}>
      {t('task.noMatchHelp')}
    </NoMatch>
  );
}

/** What an administrator should know, unless he has said that he does. */
function CallbackNotice() {
  const { t } = useTranslation();
  const { status, preferences } = useBoot();
  const [isSilent, setSilent] = useState(preferences.callbackSilent);
  // Said by what writes into local storage alone.
  useEffect(() => setSilent((known) => known || isCallbackSilent()), []);
  if (status.mj_notify_enabled || isSilent) return null;
  const silence = () => {
    keep.callbackSilence();
    setSilent(true);
  };
  return (
    <Notice
      className="mb-3"
      end={
        <Button size="sm" onClick={silence}>
          {t('drawing.silence')}
        </Button>
      }
    >
      {t('drawing.noCallback')}
    </Notice>
  );
}
