/** The dialog of the key finder. */
import { type FormEvent, useId, useState } from 'react';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { KeyFinderProps } from './key-finder.tsx';

export function KeyFinderDialog({ texts, find, onClose }: KeyFinderProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const id = useId();
  const [key, setKey] = useState('');
  const [isUnknown, setUnknown] = useState(false);
  const search = useAction(async (text: string) => {
    const found = await find(text);
    setUnknown(found === null);
    if (!found) return;
    setSearch(found);
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '') void search.run(key.trim());
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogTitle>{t(texts.action)}</DialogTitle>
        <DialogDescription>{t(texts.help)}</DialogDescription>
        <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
          <Field id={id} label={t(texts.field)}>
            <Input
              id={id}
              className="font-mono"
              placeholder="sk-…"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => {
                setKey(event.target.value);
                setUnknown(false);
              }}
            />
          </Field>
          <div role="status" className="empty:hidden">
            {isUnknown && <Notice tone="warn">{t(texts.unknown)}</Notice>}
            {search.error !== null && (
              <Notice tone={errorTone(search.error)}>{errorText(search.error, t)}</Notice>
            )}
          </div>
          <DialogActions>
            <Button onClick={onClose}>{t('app.cancel')}</Button>
            <Button type="submit" variant="primary" busy={search.pending} disabled={key.trim() === ''}>
              {t('table.find')}
            </Button>
          </DialogActions>
        </form>
      </DialogContent>
    </Dialog>
  );
}
