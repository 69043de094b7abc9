/** Asks an administrator why he credits an order by hand, voids it, or takes its quota back. */
import { lengthOf } from '@core/account-rules.ts';
import { formatAmount } from '@core/money.ts';
import { TOPUP_REASON_MAX } from '@modules/payment/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { notify } from '@/lib/notify.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { leftOf, priceText, type ReasonAsked } from './order.ts';

/** What is said of each, and who reads the reason. */
const TEXTS = {
  complete: {
    title: 'payment.completeTitle',
    body: 'payment.completeBody',
    action: 'payment.completeDo',
    done: 'payment.completeDone',
    help: 'payment.reasonHelp',
  },
  void: {
    title: 'payment.voidTitle',
    body: 'payment.voidBody',
    action: 'payment.voidDo',
    done: 'payment.voidDone',
    help: 'payment.refundReasonHelp',
  },
  refund: {
    title: 'payment.refundTitle',
    body: 'payment.refundBody',
    action: 'payment.refundDo',
    done: 'payment.refundDone',
    help: 'payment.refundReasonHelp',
  },
} as const satisfies Record<ReasonAsked['deed'], Record<string, TextKey>>;

export function OrderReason({ deed, order, onClose }: ReasonAsked & { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const boot = useBoot();
  const texts = TEXTS[deed];
  const form = useForm({
    initial: { reason: '' },
    validate: ({ reason }) => {
      const length = lengthOf(reason.trim());
      return { reason: length < 1 || length > TOPUP_REASON_MAX ? t('payment.reasonLength') : undefined };
    },
    submit: async ({ reason }) => {
      const given = { params: { id: order.id }, body: { reason: reason.trim() } };
      if (deed === 'refund') await api.send('POST', '/api/topup/:id/refund', given);
      else if (deed === 'void') await api.send('POST', '/api/topup/:id/void', given);
      else await api.send('POST', '/api/topup/:id/complete', given);
      notify({ tone: 'ok', text: t(texts.done) });
      onClose();
      await router.invalidate();
    },
  });
  const { quota, money } = deed === 'refund' ? leftOf(order) : order;
  const facts = {
    amount: formatAmount(quota, moneyRules(boot)).text,
    price: priceText(money, order.currency, boot.locale),
    user: order.username || String(order.user_id),
  };
  const isOwed = deed === 'complete' && order.status === 'owed';
  const addedNothing = deed === 'refund' && order.status === 'voided';
  const usualBody = addedNothing ? 'payment.refundVoidedBody' : texts.body;
  const body = t(isOwed ? 'payment.completeOwedBody' : usualBody, facts);
  const isLate = deed === 'complete' && order.status !== 'pending' && !isOwed;
  return (
    <FormDialog
      title={t(texts.title, facts)}
      description={isLate ? [body, t('payment.completeLate')].join(boot.locale === 'en' ? ' ' : '') : body}
      form={form}
      action={t(texts.action)}
      danger={deed !== 'complete'}
      onClose={onClose}
    >
      <Field
        id={form.id('reason')}
        label={t('payment.reason')}
        error={form.error('reason')}
        help={t(texts.help)}
      >
        <Input {...form.text('reason')} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}
