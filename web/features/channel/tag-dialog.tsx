/** Puts the chosen channels under a tag. */
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { controlAria, Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { errorText } from '@/lib/error-text.ts';
import { useAction } from '@/lib/use-action.ts';
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
  const id = useId();
  const [tag, setTag] = useState('');
  const [isWrong, setWrong] = useState(false);
  const tags = useTags();
  const saving = useAction(async () => {
    await save(tag.trim());
    onClose();
  });
  const refusal = saving.error === null ? undefined : errorText(saving.error, t);
  const error = isWrong && !tag.trim() ? t('channel.tagNeeded') : refusal;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined}>
        <DialogTitle className="mb-3">{t('channel.tagTitle', { count })}</DialogTitle>
        <form
          noValidate
          data-form
          className="group/form"
          onSubmit={(event) => {
            event.preventDefault();
            setWrong(true);
            if (tag.trim()) void saving.run();
          }}
        >
          <Field id={id} label={t('channel.tag')} error={error}>
            <Input
              {...controlAria(id, { error })}
              list={`${id}-tags`}
              value={tag}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTag(event.target.value)}
            />
            <datalist id={`${id}-tags`}>
              {tags.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </Field>
          <DialogActions>
            <Button onClick={onClose}>{t('app.cancel')}</Button>
            <Button type="submit" variant="primary" busy={saving.pending}>
              {t('channel.tagSave')}
            </Button>
          </DialogActions>
        </form>
      </DialogContent>
    </Dialog>
  );
}
