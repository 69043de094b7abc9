/** Asks the provider about an order, says what it knows, and shows the list as it is then. */
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type AnyOrder, orderStates } from './order.ts';

export function useCheckOrder(): (order: AnyOrder) => void {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  return useCallback(
    async ({ id }: AnyOrder) => {
      try {
        const { status } = await api.send('POST', '/api/topup/:id/check', { params: { id } });
        notify({ tone: 'ok', text: t('payment.checked', { state: t(orderStates[status].label) }) });
        await router.invalidate();
      } catch (error) {
        notify(failureNotice(error, t));
      }
    },
    [api, router, t],
  );
}
