import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import type { ApiError } from '@/lib/api-error.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isNowhere, useRefusal } from './refused-page.tsx';

/** In the place of a drawer that a rule refuses. */
export function RefusedDrawer({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const close = useCloseDrawer();
  const refusal = useRefusal(error);
  const title = isNowhere(error) ? t('notFound.title') : refusal.title;
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={title} />
        <DrawerBody>
          <p className="mb-5 text-muted">{isNowhere(error) ? t('notFound.gone') : refusal.reason}</p>
          <Button variant="primary" onClick={close}>
            {t('app.back')}
          </Button>
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}
