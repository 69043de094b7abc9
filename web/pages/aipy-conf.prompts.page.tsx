/** The list of recommended prompts. */
import { formatNumber } from '@core/money.ts';
import type { PromptAction } from '@modules/prompt/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { BulkAction } from '@/components/bulk-action.tsx';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { AddLink, DeskFrame } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer, EntryToCome } from '@/features/desk/entry-drawer.tsx';
import { nameOf } from '@/features/desk/prompt.ts';
import { usePromptColumns } from '@/features/desk/prompt-columns.tsx';
import type { PromptDrawerProps } from '@/features/desk/prompt-drawer.tsx';
import { late, soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/aipy-conf/prompts');

// The list is read more often than it is changed.
const drawer = () => import('@/features/desk/prompt-drawer.tsx').then((module) => module.PromptDrawer);
const PromptDrawer = late<PromptDrawerProps>(drawer, undefined, EntryToCome);
soon(drawer);

export function PromptsPage() {
  const { t } = useTranslation();
  const { prompts } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const change = (action: PromptAction) => (ids: number[]) =>
    api.send('POST', '/api/prompt/suggest/batch', { body: { ids, action } });
  const columns = usePromptColumns();
  const total = prompts.length;
  const add = <AddLink>{t('prompt.add')}</AddLink>;
  return (
    <DeskFrame primary={add}>
      <DataTable
        name="prompt"
        label={t('desk.tab.prompts')}
        columns={columns}
        page={{ items: prompts, total, page: 1, size: Math.max(total, 1) }}
        pager={false}
        rowId={(prompt) => String(prompt.id)}
        rowName={nameOf}
        summary={t('prompt.count', { count: total, n: formatNumber(total) })}
        empty={
          <EmptyState title={t('prompt.emptyTitle')} action={add}>
            {t('prompt.emptyBody')}
          </EmptyState>
        }
        bulk={(rows, clear, isBeyond) => (
          <>
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('prompt.releaseMany')}
              work={change('release')}
            />
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('prompt.withdrawMany')}
              danger
              work={change('withdraw')}
            />
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('desk.delete')}
              question={{
                title: t('prompt.deleteManyTitle', { count: rows.length }),
                body: t('prompt.deleteBody'),
              }}
              work={change('delete')}
            />
          </>
        )}
        onRefresh={() => void refresh()}
      />
      <EntryDrawer
        entries={prompts}
        head={(prompt) => ({
          title: t(prompt ? 'prompt.editTitle' : 'prompt.add'),
          sub: prompt ? nameOf(prompt) : undefined,
        })}
      >
        {(prompt) => (
          <PromptDrawer
            key={prompt?.id}
            prompt={prompt}
            tags={[...new Set(prompts.flatMap(({ tags }) => tags))]}
          />
        )}
      </EntryDrawer>
    </DeskFrame>
  );
}
