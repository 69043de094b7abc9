/** Asks before what would be lost is left: by a link, the palette, the back button, Escape or the closing of the tab. */
import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { useConfirm } from './confirm.tsx';
import type { Question } from './question.ts';

/** `own` is asked in place of whether what was typed shall be discarded. */
export function useLeaveGuard(active: boolean, own?: Question): void {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const isActive = useRef(active);
  isActive.current = active;
  useBlocker({
    enableBeforeUnload: () => isActive.current,
    shouldBlockFn: async () => {
      if (!isActive.current) return false;
      const mayGo = await confirm(
        own ?? {
          title: t('app.discardTitle'),
          body: t('app.discardBody'),
          action: t('app.discard'),
          keep: t('app.keepEditing'),
          danger: true,
        },
      );
      return !mayGo;
    },
  });
}
