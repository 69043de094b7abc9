/** Puts the chosen channels under a tag. */
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useTags } from './use-tags.ts';

interface TagDialogProps {
  /** How many were chosen. */
  count: number;
  save: (tag: string) => Promise<void>;
  onClose: () => void;
}

export function TagDialog({ count, save, onClose }: TagDialogProps) {
  const { t } = useTranslation();
  const tags = useTags();
  const form = useForm({
    initial: { tag: '' },
    validate: ({ tag }) => ({ tag: tag.trim() === '' ? t('channel.tagNeeded') : undefined }),
    submit: async ({ tag }) => {
      await save(tag.trim());
      onClose();
    },
  });
  const list = `${form.id('tag')}-tags`;
  return (
    <FormDialog
      title={t('channel.tagTitle', { count })}
      form={form}
      action={t('channel.tagSave')}
      onClose={onClose}
    >
      <Field id={form.id('tag')} label={t('channel.tag')} error={form.error('tag')}>
        <Input {...form.text('tag')} list={list} autoComplete="off" spellCheck={false} />
        <datalist id={list}>
          {tags.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </Field>
    </FormDialog>
  );
}
