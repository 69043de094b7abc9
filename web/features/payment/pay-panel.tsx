/** Buys quota: how much, with which code, and by which way of paying. */
import { formatAmount, formatNumber } from '@core/money.ts';
import { type ReactNode, useId, useState } from 'react';
import { BottomBar } from '@/components/page-header.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field, FieldGroup } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Picks } from '@/components/ui/segmented.tsx';
import { Panel } from '@/features/wallet/panel.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { cn } from '@/lib/cn.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { goToProvider } from './go-to-provider.ts';
import { methodText, priceText } from './order.ts';
import { usePayable } from './use-payable.ts';

type Methods = DataOf<'get', '/api/user/topup/methods'>;

const PRESET_DOLLARS = [10, 20, 50, 100, 200, 500];

export function PayPanel({ methods: { methods, unit, min, max } }: { methods: Methods }) {
  const { t } = useTranslation();
  const api = useApi();
  const { locale, ...boot } = useBoot();
  const rules = moneyRules({ ...boot, locale });
  const formId = useId();
  const ofOne = unit === 'usd' ? boot.status.quota_per_unit : 1;
  const presets = PRESET_DOLLARS.map((dollars) =>
    unit === 'usd' ? dollars : dollars * boot.status.quota_per_unit,
  );
  const offered = presets.filter((amount) => amount >= min && amount <= max);

  const wrongAmount = (text: string): string | undefined => {
    if (!/^\d+$/.test(text.trim())) return t('payment.whole');
    if (Number(text) < min) return t('payment.least', { min: formatNumber(min) });
    return Number(text) > max ? t('payment.most', { max: formatNumber(max) }) : undefined;
  };
  const bodyOf = ({ amount, code, method }: { amount: string; code: string; method: string }) => ({
    amount: Number(amount),
    top_up_code: code.trim(),
    payment_method: method,
  });
  const form = useForm({
    initial: { amount: String(offered[0] ?? min), code: '', method: methods[0]?.method ?? '' },
    validate: ({ amount }) => ({ amount: wrongAmount(amount) }),
    submit: async (values) => {
      const order = await api.sendWhole('POST', '/api/user/pay', { body: bodyOf(values) });
      await goToProvider(order, t('payment.pageOld'));
    },
  });
  const { amount, method } = form.values;
  const isPriced = wrongAmount(amount) === undefined;
  // Half a code is a wrong one, and wrong ones count: it is asked about when its field is left.
  const [code, setCode] = useState('');
  const payable = usePayable(isPriced ? bodyOf({ ...form.values, code }) : null);
  const codeField = form.text('code');
  const price = payable.price && priceText(payable.price.data, payable.price.currency, locale);
  const way = methodText(method, t);
  const failure = form.failure ?? payable.error;

  return (
    <Panel title={t('payment.title')}>
      <form
        id={formId}
        data-form
        noValidate
        onSubmit={form.onSubmit}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        {offered.length > 0 && (
          <Picks
            label={t('payment.presets')}
            value={isPriced ? Number(amount) : null}
            options={offered.map((value) => ({
              value,
              label: unit === 'usd' ? `$${formatNumber(value)}` : formatNumber(value),
            }))}
            onChange={(value) => form.set('amount', String(value))}
          />
        )}
        <div className="grid gap-4 md:grid-cols-2">
          <Field
            id={form.id('amount')}
            label={t(unit === 'usd' ? 'payment.amount' : 'payment.amountUnits')}
            error={form.error('amount')}
            help={t('payment.atLeast', { min: formatNumber(min) })}
          >
            <Input {...form.text('amount')} inputMode="numeric" autoComplete="off" className="tabular-nums" />
          </Field>
          <Field
            id={form.id('code')}
            label={t('payment.code')}
            end={<span className="text-muted">{t('payment.optional')}</span>}
          >
            <Input
              {...codeField}
              onBlur={(event) => {
                codeField.onBlur(event);
                setCode(form.values.code.trim());
              }}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
        </div>
        {methods.length > 1 && (
          <FieldGroup id={form.id('method')} label={t('payment.by')}>
            <Picks
              label={t('payment.by')}
              value={method}
              options={methods.map((one) => ({ value: one.method, label: methodText(one.method, t) }))}
              onChange={(value) => form.set('method', value)}
            />
          </FieldGroup>
        )}
        <dl className="grid gap-1.5 border-t border-line pt-3 text-sm">
          <Line label={t('payment.get')}>
            {isPriced ? formatAmount(Number(amount) * ofOne, rules).text : '—'}
          </Line>
          <Line label={t('payment.toPay')} strong stale={payable.stale}>
            <output aria-live="polite">{price ?? '—'}</output>
          </Line>
        </dl>
        <div role="alert" className="empty:hidden">
          {failure !== null && (
            <Notice tone={errorTone(failure)}>{errorText(failure, t, t('wallet.failed'))}</Notice>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <BottomBar>
            <Button type="submit" form={formId} variant="primary" busy={form.pending}>
              {price && !payable.stale && code === form.values.code.trim()
                ? t('payment.payPrice', { price, way })
                : t('payment.pay', { way })}
            </Button>
          </BottomBar>
          <p className="text-xs text-muted">{t('payment.sameTab')}</p>
        </div>
      </form>
    </Panel>
  );
}

function Line(props: { label: string; strong?: boolean; stale?: boolean; children: ReactNode }) {
  return (
    <div className={cn('flex justify-between gap-4', props.strong && 'text-base font-semibold')}>
      <dt className={props.strong ? undefined : 'text-muted'}>{props.label}</dt>
      <dd className={cn('tabular-nums', props.stale && 'text-muted')}>{props.children}</dd>
    </div>
  );
}
