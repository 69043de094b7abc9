/** Shows a page as it is now. */
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { notify } from './notify.ts';
import { useTranslation } from './use-translation.ts';

/** The failure itself stands in the place of the page; here it is said what has failed. */
export function useRefresh(): () => Promise<void> {
  const { t } = useTranslation();
  const router = useRouter();
  return useCallback(async () => {
    await router.invalidate();
    const hasFailed = router.state.matches.some(({ status }) => status === 'error');
    if (hasFailed) notify({ tone: 'bad', text: t('table.refreshFailed') });
  }, [router, t]);
}
