/** The list of drawings. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { CallbackNotice } from '@/features/drawing/callback-notice.tsx';
import { useDrawingColumns } from '@/features/drawing/columns.tsx';
import { actionText, type Drawing, pictureOf } from '@/features/drawing/drawing.ts';
import { DrawingFilters, NoDrawings } from '@/features/drawing/filters.tsx';
import { late } from '@/lib/late.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadDrawings } from '../features/drawing/load.ts';

const PromptDialog = late(() =>
  import('@/features/drawing/viewer.tsx').then((module) => module.PromptDialog),
);
const Viewer = late(() => import('@/features/drawing/viewer.tsx').then((module) => module.Viewer));

const route = getRouteApi('/_console/midjourney');

export function DrawingPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { page, seesAll } = route.useLoaderData();
  const [picture, setPicture] = useState<Drawing | null>(null);
  const [prompt, setPrompt] = useState<Drawing | null>(null);
  const opens = useMemo(() => ({ picture: setPicture, prompt: setPrompt }), []);
  const columns = useDrawingColumns(seesAll, opens);
  return (
    <>
      <PageHeader title={t('drawing.title')} help={t('drawing.help')} />
      {seesAll && <CallbackNotice />}
      <DrawingFilters />
      <DataTable
        name="drawing"
        label={t('drawing.title')}
        columns={columns}
        page={page}
        rowId={(drawing) => drawing.mj_id}
        rowName={(drawing) => actionText(drawing.action, t)}
        summary={t('drawing.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoDrawings />}
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
