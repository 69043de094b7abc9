/** The list of recommended prompts. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { AddLink, DeskFrame } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer } from '@/features/desk/entry-drawer.tsx';
import { nameOf } from '@/features/desk/prompt.ts';
import { usePromptColumns } from '@/features/desk/prompt-columns.tsx';
import type { PromptDrawerProps } from '@/features/desk/prompt-drawer.tsx';
import { late } from '@/lib/late.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/aipy-conf/prompts');

// The list is read more often than it is changed.
const PromptDrawer = late<PromptDrawerProps>(() =>
  import('@/features/desk/prompt-drawer.tsx').then((module) => module.PromptDrawer),
);

export function PromptsPage() {
  const { t } = useTranslation();
  const { prompts } = route.useLoaderData();
  const refresh = useRefresh();
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
        onRefresh={() => void refresh()}
      />
      <EntryDrawer entries={prompts}>
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
