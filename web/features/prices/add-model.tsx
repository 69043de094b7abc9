/** A new row in the price editor: a name that no other model has. */
import { NAME_MAX } from '@modules/model-hub/facts.ts';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { PriceDrafts } from './use-price-drafts.ts';

interface AddModelProps {
  drafts: PriceDrafts;
  onClose: () => void;
  onAdded: () => void;
}

export function AddModel({ drafts, onClose, onAdded }: AddModelProps) {
  const { t } = useTranslation();
  const id = useId();
  const [name, setName] = useState('');
  const [error, setError] = useState<TextKey>();
  const add = () => {
    const given = name.trim();
    if (given === '') return setError('prices.nameNeeded');
    if (!drafts.add(given)) return setError('prices.nameTaken');
    onAdded();
    onClose();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined}>
        <DialogTitle>{t('prices.add')}</DialogTitle>
        <form
          className="mt-3"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <Field id={id} label={t('prices.name')} error={error && t(error)}>
            <Input
              id={id}
              value={name}
              maxLength={NAME_MAX}
              autoComplete="off"
              spellCheck={false}
              aria-invalid={error ? true : undefined}
              aria-describedby={`${id}-error`}
              onChange={(event) => {
                setName(event.target.value);
                setError(undefined);
              }}
            />
          </Field>
          <DialogActions>
            <Button onClick={onClose}>{t('app.cancel')}</Button>
            <Button type="submit" variant="primary">
              {t('prices.addAction')}
            </Button>
          </DialogActions>
        </form>
      </DialogContent>
    </Dialog>
  );
}
