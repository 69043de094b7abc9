import { EmptyState } from '@/components/empty-state.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { useEditing } from './use-editing.ts';

/** Says that the entry which the address asks for is not there. */
export function NoEntryDrawer() {
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
