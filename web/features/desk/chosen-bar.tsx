/** What can be done with the chosen applications; also by a button beside the list, which asks for a choice where none is. */
import { useEffect } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Application } from './application.ts';
import { useEntryActions } from './use-entry-actions.ts';

/** What is chosen in the list, and the way to choose nothing. */
export interface Chosen {
  applications: readonly Application[];
  clear: () => void;
}

interface ChosenBarProps extends Chosen {
  /** Told what is chosen for as long as something is. */
  tell: { current: Chosen | null };
  onRemove: () => void;
}

export function ChosenBar({ applications, clear, tell, onRemove }: ChosenBarProps) {
  const { t } = useTranslation();
  useEffect(() => {
    tell.current = { applications, clear };
    return () => {
      tell.current = null;
    };
  });
  return (
    <Button variant="danger" onClick={onRemove}>
      {t('desk.delete')}
    </Button>
  );
}

/** Deletes what is chosen after a question; says so where nothing is. */
export function useRemoveChosen(): (chosen: Chosen | null) => Promise<void> {
  const { t } = useTranslation();
  const api = useApi();
  const actions = useEntryActions();
  return async (chosen) => {
    if (!chosen) return notify({ tone: 'bad', text: t('application.chooseFirst') });
    const ids = chosen.applications.map(({ id }) => id);
    const isDone = await actions.remove(
      {
        title: t('application.deleteManyTitle', { count: ids.length }),
        body: t('application.deleteBody'),
      },
      () => api.send('POST', '/api/application/admin/batch', { body: { ids } }),
      t('application.batchDeleted'),
    );
    if (isDone) chosen.clear();
  };
}
