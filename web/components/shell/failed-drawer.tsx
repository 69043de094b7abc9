import { Button } from '@/components/ui/button.tsx';
import type { ApiError } from '@/lib/api-error.ts';
import { useCloseDrawer, useDrawerLook, useDrawerTitle } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { ErrorPanel } from '../error-panel.tsx';
import { BODY_LOOK } from '../ui/drawer-look.tsx';
import { DrawerFrame } from './drawer-frame.tsx';
import { isNowhere, useRefusal } from './refused-page.tsx';

/** In the place of a drawer that a rule refuses. */
export function RefusedDrawer({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const close = useCloseDrawer();
  const look = useDrawerLook();
  const refusal = useRefusal(error);
  const title = isNowhere(error) ? t('notFound.title') : refusal.title;
  return (
    <DrawerFrame title={title} className={look} onClose={close}>
      <div className={BODY_LOOK}>
        <p className="mb-5 text-muted">{isNowhere(error) ? t('notFound.gone') : refusal.reason}</p>
        <Button variant="primary" onClick={close}>
          {t('app.back')}
        </Button>
      </div>
    </DrawerFrame>
  );
}

interface FailedDrawerProps {
  /** What has failed. */
  title: string;
  error: unknown;
  onRetry: () => void;
}

/** In the place of one that could not be fetched, for want of a connection or by a fault. */
export function FailedDrawer({ title, error, onRetry }: FailedDrawerProps) {
  const { t } = useTranslation();
  const name = useDrawerTitle();
  const look = useDrawerLook();
  const close = useCloseDrawer();
  return (
    <DrawerFrame title={name || title} className={look} onClose={close}>
      <div className="px-2 max-md:px-0">
        <ErrorPanel title={title} error={error} onRetry={onRetry}>
          <Button variant="ghost" onClick={close}>
            {t('app.back')}
          </Button>
        </ErrorPanel>
      </div>
    </DrawerFrame>
  );
}
