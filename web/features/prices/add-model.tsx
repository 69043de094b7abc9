/** A new row in the price editor: a name that no other model has. */
import { PRICED_NAME_MAX } from '@core/bounds.ts';
import { useState } from 'react';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { PriceDrafts } from './use-price-drafts.ts';

interface AddModelProps {
  drafts: PriceDrafts;
  onClose: () => void;
  onAdded: () => void;
}

export function AddModel({ drafts, onClose, onAdded }: AddModelProps) {
  const { t } = useTranslation();
  /** The last name that another model turned out to have. */
  const [taken, setTaken] = useState<string | null>(null);
  const form = useForm({
    initial: { name: '' },
    validate: ({ name }) => ({
      name:
        name.trim() === ''
          ? t('prices.nameNeeded')
          : name.trim() === taken
            ? t('prices.nameTaken')
            : undefined,
    }),
    submit: async ({ name }) => {
      if (!drafts.add(name.trim())) return setTaken(name.trim());
      onAdded();
      onClose();
    },
  });
  return (
    <FormDialog title={t('prices.add')} form={form} action={t('prices.addAction')} onClose={onClose}>
      <Field id={form.id('name')} label={t('prices.name')} error={form.error('name')}>
        <Input {...form.text('name')} maxLength={PRICED_NAME_MAX} autoComplete="off" spellCheck={false} />
      </Field>
    </FormDialog>
  );
}
