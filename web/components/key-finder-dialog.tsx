/** The dialog of the key finder. */
import { useState } from 'react';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FormDialog } from './form-dialog.tsx';
import type { KeyFinderProps } from './key-finder-props.ts';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';
import { Notice } from './ui/notice.tsx';

export function KeyFinderDialog({ texts, find, onClose }: KeyFinderProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  /** The last key that belongs to no row. */
  const [unknown, setUnknown] = useState<string | null>(null);
  const form = useForm({
    initial: { key: '' },
    validate: () => ({}),
    submit: async ({ key }) => {
      const found = await find(key.trim());
      if (!found) return setUnknown(key);
      setSearch(found);
      onClose();
    },
  });
  const { key } = form.values;
  return (
    <FormDialog
      title={t(texts.action)}
      description={t(texts.help)}
      form={form}
      action={t('table.find')}
      incomplete={key.trim() === ''}
      outcome={key === unknown && <Notice tone="warn">{t(texts.unknown)}</Notice>}
      onClose={onClose}
    >
      <Field id={form.id('key')} label={t(texts.field)}>
        <Input
          {...form.text('key')}
          className="font-mono"
          placeholder="sk-…"
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
    </FormDialog>
  );
}
