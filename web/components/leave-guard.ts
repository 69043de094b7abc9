/** Asks before unsaved work is left: by a link, the back button, Escape or the closing of the tab. */
import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { useConfirm } from './confirm.tsx';

export function useLeaveGuard(active: boolean): void {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const isActive = useRef(active);
  isActive.current = active;
  useBlocker({
    enableBeforeUnload: () => isActive.current,
    shouldBlockFn: async () => {
      if (!isActive.current) return false;
      const discard = await confirm({
        title: t('app.discardTitle'),
        body: t('app.discardBody'),
        action: t('app.discard'),
        keep: t('app.keepEditing'),
        danger: true,
      });
      return !discard;
    },
  });
}
