/** The list of channels. */
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { BulkActions } from '@/features/channel/bulk-actions.tsx';
import { useChannelColumns } from '@/features/channel/channel-columns.tsx';
import { Counts } from '@/features/channel/counts.tsx';
import { ChannelFilters } from '@/features/channel/filters.tsx';
import {
  channelCount,
  channelsUnder,
  isChannel,
  isTag,
  type Line,
  lineId,
  tagLines,
} from '@/features/channel/line.ts';
import { NoChannels } from '@/features/channel/no-channels.tsx';
import { PageMenus } from '@/features/channel/page-menus.tsx';
import { isRecent } from '@/features/channel/recent.ts';
import { useChannelTools } from '@/features/channel/use-channel-tools.tsx';
import { useExport } from '@/features/channel/use-export.ts';
import { useJobNews } from '@/features/channel/use-job-news.ts';
import { soon } from '@/lib/late.tsx';
import type { Page } from '@/lib/list-search.ts';
import { useApi } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel');

/** What a row opens. */
soon(() => import('./channel.edit.page.tsx'));

export function ChannelPage() {
  const { t } = useTranslation();
  const { page, types, query } = route.useLoaderData();
  const api = useApi();
  const { by, view, sort } = route.useSearch();
  const refresh = useRefresh();
  const isTagView = view === 'tag';
  const [tools, testDialog] = useChannelTools(isTagView, page.probing);
  const columns = useChannelColumns(tools, types);
  const exportCsv = useExport();
  const lines = useMemo(
    (): Page<Line> => ({ ...page, items: isTagView ? tagLines(page.items) : page.items }),
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
      <DataTable
        name="channel"
        label={t('channel.list')}
        columns={columns}
        page={lines}
        rowId={lineId}
        rowName={(line) => (isTag(line) ? t('channel.tagIs', { tag: line.tagOf }) : line.name)}
        summary={sort === undefined && t(by === 'id' ? 'channel.orderId' : 'channel.orderPriority')}
        empty={<NoChannels />}
        isNew={(line) => !isTag(line) && isRecent(line)}
        subRows={channelsUnder}
        bulk={(chosen, clear, isBeyond) => (
          <BulkActions
            channels={chosen.filter(isChannel)}
            clear={clear}
            isBeyond={isBeyond}
            actions={tools.many}
          />
        )}
        // Of channels in either view: a page of tags is counted in tags.
        matching={(paging) =>
          api.get('/api/channel/', { query: { ...query, tag_mode: undefined, brief: true, ...paging } })
        }
        matchingTotal={isTagView ? channelCount(page, query.type) : undefined}
        onRefresh={() => void refresh()}
      />
      {testDialog}
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
