/** The drawer that the address asks for: of a new entry, of one of the list, or of one that is not there. */
import type { ReactNode } from 'react';
import { EmptyState } from '@/components/empty-state.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { NEW, useEditing } from './use-editing.ts';

interface EntryDrawerProps<Entry> {
  entries: readonly Entry[];
  /** Null makes a new one. */
  children: (entry: Entry | null) => ReactNode;
}

export function EntryDrawer<Entry extends { id: number }>({ entries, children }: EntryDrawerProps<Entry>) {
  const { edit } = useEditing();
  if (edit === undefined) return null;
  if (edit === NEW) return children(null);
  const entry = entries.find(({ id }) => String(id) === edit);
  return entry ? children(entry) : <NoEntry />;
}

function NoEntry() {
  const { t } = useTranslation();
  const { close } = useEditing();
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('desk.edit')} />
        <DrawerBody aria-label={t('desk.edit')}>
          <EmptyState title={t('desk.gone')} />
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}
