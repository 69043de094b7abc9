/** Adds quota to an account, or takes some away, beside what its calls spend meanwhile. */

import { formatAmount } from '@core/money.ts';
import { QUOTA_REASON_MAX } from '@modules/user/facts.ts';
import { useRouter } from '@tanstack/react-router';
import { FormDialog } from '@/components/form-dialog.tsx';
import { QuotaPresets } from '@/components/quota-field.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { notify } from '@/lib/notify.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { readAddition } from './form.ts';
import type { User } from './user.ts';

export function AddQuotaDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const form = useForm({
    initial: { amount: '', reason: '' },
    validate: ({ amount }) => ({ amount: readAddition(amount) === null ? t('user.additionBad') : undefined }),
    submit: async ({ amount, reason }) => {
      const body = { id: user.id, add_quota: readAddition(amount), reason };
      await api.send('PUT', '/api/user/', { body });
      notify({ tone: 'ok', text: t('user.quotaAdded', { name: user.username }) });
      await router.invalidate();
      onClose();
    },
  });
  const addition = readAddition(form.values.amount);
  return (
    <FormDialog
      title={t('user.addQuotaTitle', { name: user.username })}
      description={t('user.addQuotaHelp')}
      form={form}
      action={t(form.pending ? 'app.saving' : 'user.addQuota')}
      onClose={onClose}
    >
      <Field id={form.id('amount')} label={t('user.addition')} error={form.error('amount')}>
        <Input
          {...form.text('amount')}
          inputMode="text"
          autoComplete="off"
          className="text-right tabular-nums"
        />
        <QuotaPresets value={addition} onChoose={(units) => form.set('amount', String(units))} />
      </Field>
      <Balance before={user.quota} addition={addition} />
      <Field id={form.id('reason')} label={t('user.reason')} help={t('user.reasonHelp')}>
        <Input {...form.text('reason')} maxLength={QUOTA_REASON_MAX} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}

/** What the account will have. */
function Balance({ before, addition }: { before: number; addition: number | null }) {
  const rules = { ...moneyRules(useBoot()), inCurrency: true };
  const money = (units: number) => formatAmount(units, rules).text;
  return (
    <p className="text-sm tabular-nums" aria-live="polite">
      {money(before)}
      {addition !== null && (
        <>
          {addition > 0 ? ' + ' : ' − '}
          {money(Math.abs(addition))} → <strong>{money(before + addition)}</strong>
        </>
      )}
    </p>
  );
}
