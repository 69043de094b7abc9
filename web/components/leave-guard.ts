/** Asks before what would be lost is left: by a link, the palette, the back button, Escape or the closing of the tab. */
import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { stringifySearch } from '@/lib/search.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useConfirm } from './confirm.tsx';
import type { Question } from './question.ts';

interface LeaveGuard {
  /** Asked in place of whether what was typed shall be discarded. */
  question?: Question;
  /** Fields of the address that only turn the pages of what is typed into. */
  free?: readonly string[];
}

export function useLeaveGuard(active: boolean, { question, free = [] }: LeaveGuard = {}): void {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const isActive = useRef(active);
  isActive.current = active;
  useBlocker({
    enableBeforeUnload: () => isActive.current,
    shouldBlockFn: async ({ current, next }) => {
      if (!isActive.current || placeOf(current, free) === placeOf(next, free)) return false;
      const mayGo = await confirm(
        question ?? {
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

const placeOf = (
  { pathname, search }: { pathname: string; search: object },
  free: readonly string[],
): string =>
  pathname +
  stringifySearch(
    Object.fromEntries(
      Object.entries(search)
        .filter(([name]) => !free.includes(name))
        .sort(),
    ),
  );
