/** What is left behind a configuration: as it was told, or a press that asks. */
import { useRouter } from '@tanstack/react-router';
import { LinkButton, Spinner } from '@/components/ui/button.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { dollars } from './supplier.ts';

interface ConfigBalanceProps {
  id: number;
  /** Of whom and where. */
  name: string;
  /** Absent while nobody asked. */
  balance?: number | undefined;
}

export function ConfigBalance({ id, name, balance }: ConfigBalanceProps) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const asking = useAction(async () => {
    try {
      await api.get('/api/user/custom-models/conf/check', { query: { key: String(id) } });
      await router.invalidate();
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  if (asking.pending) {
    return (
      <span role="status" className="inline-flex align-middle text-muted">
        <Spinner />
        <span className="sr-only">{t('supplier.askingBalance')}</span>
      </span>
    );
  }
  const text = balance === undefined ? t('supplier.getBalance') : dollars(balance);
  return (
    <LinkButton
      title={t('supplier.askBalance')}
      aria-label={t('supplier.balanceOf', { name, balance: text })}
      onClick={() => void asking.run()}
    >
      {text}
    </LinkButton>
  );
}
