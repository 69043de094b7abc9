/** Moving rewards to the balance. */
import { formatAmount } from '@core/money.ts';
import { FormDialog } from '@/components/form-dialog.tsx';
import { QuotaField } from '@/components/quota-field.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { useSaved } from '@/features/personal/use-told.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isWhole } from '@/lib/whole.ts';

interface TransferDialogProps {
  /** All that can be moved, quota units. */
  waiting: number;
  onClose: () => void;
}

export function TransferDialog({ waiting, onClose }: TransferDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const rules = moneyRules(useBoot());
  const saved = useSaved(onClose);
  const quotaError = (text: string): string | undefined => {
    if (!isWhole(text)) return t('invitation.whole');
    const isThere = Number(text) > 0 && Number(text) <= waiting;
    return isThere ? undefined : t('invitation.short');
  };
  const form = useForm({
    initial: { quota: String(waiting) },
    validate: ({ quota }) => ({ quota: quotaError(quota) }),
    submit: async ({ quota }) => {
      await api.send('POST', '/api/user/quota_transfer', { body: { quota: Number(quota) } });
      await saved(t('invitation.moved', { amount: formatAmount(Number(quota), rules).text }));
    },
  });
  return (
    <FormDialog
      title={t('invitation.move')}
      description={t('invitation.moveHelp')}
      form={form}
      action={t('invitation.moveNow')}
      onClose={onClose}
    >
      <QuotaField
        form={form}
        name="quota"
        label={t('invitation.amount')}
        presets={false}
        help={t('invitation.waitingHelp', { amount: formatAmount(waiting, rules).text })}
        end={
          <LinkButton onClick={() => form.set('quota', String(waiting))}>{t('invitation.all')}</LinkButton>
        }
      />
    </FormDialog>
  );
}
