/** Asks an administrator why he credits an order by hand, or takes its quota back. */
import { lengthOf } from '@core/account-rules.ts';
import { formatAmount } from '@core/money.ts';
import { TOPUP_REASON_MAX } from '@modules/payment/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { notify } from '@/lib/notify.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { leftOf, priceText, type ReasonAsked } from './order.ts';

export function OrderReason({ deed, order, onClose }: ReasonAsked & { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const boot = useBoot();
  const isRefund = deed === 'refund';
  const form = useForm({
    initial: { reason: '' },
    validate: ({ reason }) => {
      const length = lengthOf(reason.trim());
      return { reason: length < 1 || length > TOPUP_REASON_MAX ? t('payment.reasonLength') : undefined };
    },
    submit: async ({ reason }) => {
      const given = { params: { id: order.id }, body: { reason: reason.trim() } };
      if (isRefund) await api.send('POST', '/api/topup/:id/refund', given);
      else await api.send('POST', '/api/topup/:id/complete', given);
      notify({ tone: 'ok', text: t(isRefund ? 'payment.refundDone' : 'payment.completeDone') });
      onClose();
      await router.invalidate();
    },
  });
  const { quota, money } = isRefund ? leftOf(order) : order;
  const facts = {
    amount: formatAmount(quota, moneyRules(boot)).text,
    price: priceText(money, order.currency, boot.locale),
    user: order.username || String(order.user_id),
  };
  const body = t(isRefund ? 'payment.refundBody' : 'payment.completeBody', facts);
  const isLate = !isRefund && order.status !== 'pending';
  return (
    <FormDialog
      title={t(isRefund ? 'payment.refundTitle' : 'payment.completeTitle', facts)}
      description={isLate ? [body, t('payment.completeLate')].join(boot.locale === 'en' ? ' ' : '') : body}
      form={form}
      action={t(isRefund ? 'payment.refundDo' : 'payment.completeDo')}
      danger={isRefund}
      onClose={onClose}
    >
      <Field
        id={form.id('reason')}
        label={t('payment.reason')}
        error={form.error('reason')}
        help={t(isRefund ? 'payment.refundReasonHelp' : 'payment.reasonHelp')}
      >
        <Input {...form.text('reason')} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}
