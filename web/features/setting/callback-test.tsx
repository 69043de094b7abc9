/** Whether payment providers reach this site, by the address that they are given. */
import { Radio } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function CallbackTest() {
  const { t } = useTranslation();
  const api = useApi();
  const [result, setResult] = useState<DataOf<'post', '/api/topup/callback_test'> | null>(null);
  const test = useAction(async () => {
    setResult(null);
    try {
      setResult(await api.send('POST', '/api/topup/callback_test'));
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  return (
    <>
      <p role="status" className="min-w-0 text-xs break-all text-muted empty:hidden">
        {result &&
          (result.reachable
            ? t('payment.reachable', { url: result.url })
            : t('payment.unreachable', { url: result.url, reason: result.reason }))}
      </p>
      <Button busy={test.pending} onClick={() => void test.run()}>
        <Radio aria-hidden="true" />
        {t('payment.callbackTest')}
      </Button>
    </>
  );
}
