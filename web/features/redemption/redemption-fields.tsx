import { CountPicks } from '@/components/count-picks.tsx';
import { ExpiryField } from '@/components/expiry-field.tsx';
import { QuotaField } from '@/components/quota-field.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { COUNT_PICKS, type RedemptionValues } from './form.ts';

interface RedemptionFieldsProps {
  form: Form<RedemptionValues>;
  /** Asks how many to make. */
  batch?: boolean;
}

export function RedemptionFields({ form, batch }: RedemptionFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        id={form.id('name')}
        label={t('redemption.name')}
        required
        error={form.error('name')}
        help={t('redemption.nameHelp')}
      >
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
      <QuotaField form={form} name="quota" label={t('redemption.quota')} help={t('redemption.quotaHelp')} />
      {batch && <CountField form={form} />}
      <ExpiryField form={form} />
    </>
  );
}

function CountField({ form }: { form: Form<RedemptionValues> }) {
  const { t } = useTranslation();
  return (
    <Field id={form.id('count')} label={t('redemption.batch')} error={form.error('count')}>
      <CountPicks form={form} name="count" label={t('redemption.batch')} picks={COUNT_PICKS} />
    </Field>
  );
}
