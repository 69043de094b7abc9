/** Adds quota to an account, or takes some away, beside what its calls spend meanwhile. */
import { formatAmount } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { QuotaPresets } from '@/components/quota-field.tsx';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { readAddition } from './form.ts';
import type { User } from './user.ts';

export function AddQuotaDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const rules = { ...moneyRules(useBoot()), inCurrency: true };
  const ids = { amount: useId(), reason: useId() };
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const addition = readAddition(typed);
  const error = isTried && addition === null ? t('user.additionBad') : undefined;
  const money = (units: number) => formatAmount(units, rules).text;

  const save = useAction(async (units: number) => {
    await api.send('PUT', '/api/user/', { body: { id: user.id, add_quota: units, reason } });
    notify({ tone: 'ok', text: t('user.quotaAdded', { name: user.username }) });
    await router.invalidate();
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (addition === null) document.getElementById(ids.amount)?.focus();
    else void save.run(addition);
  };

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogTitle>{t('user.addQuotaTitle', { name: user.username })}</DialogTitle>
        <DialogDescription>{t('user.addQuotaHelp')}</DialogDescription>
        <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
          <div role="alert" className="empty:hidden">
            {save.error !== null && <Notice tone={errorTone(save.error)}>{errorText(save.error, t)}</Notice>}
          </div>
          <Field id={ids.amount} label={t('user.addition')} error={error}>
            <Input
              {...controlAria(ids.amount, { error })}
              inputMode="text"
              autoComplete="off"
              className="text-right tabular-nums"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <QuotaPresets value={addition} onChoose={(units) => setTyped(String(units))} />
          </Field>
          <p className="text-sm tabular-nums" aria-live="polite">
            {money(user.quota)}
            {addition !== null && (
              <>
                {addition > 0 ? ' + ' : ' − '}
                {money(Math.abs(addition))} → <strong>{money(user.quota + addition)}</strong>
              </>
            )}
          </p>
          <Field id={ids.reason} label={t('user.reason')} help={t('user.reasonHelp')}>
            <Input
              {...controlAria(ids.reason, { help: true })}
              maxLength={200}
              autoComplete="off"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <DialogActions>
            <Button onClick={onClose}>{t('app.cancel')}</Button>
            <Button type="submit" variant="primary" busy={save.pending}>
              {t(save.pending ? 'app.saving' : 'user.addQuota')}
            </Button>
          </DialogActions>
        </form>
      </DialogContent>
    </Dialog>
  );
}
