/** Finds the owner of a relay key. The key is asked for in a dialog, because what stands in an address is kept in histories. */
import { KeyRound } from 'lucide-react';
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
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { User } from './user.ts';

export function OwnerFinder() {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <KeyRound aria-hidden="true" />
        {t('user.byToken')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        {open && <FinderDialog onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function FinderDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const setSearch = useSetSearch();
  const id = useId();
  const [token, setToken] = useState('');
  const [isUnknown, setUnknown] = useState(false);
  const find = useAction(async (key: string) => {
    const { items } = await api.get<{ items: User[] }>('/api/user/search', { token: key });
    const [owner] = items;
    setUnknown(owner === undefined);
    if (!owner) return;
    setSearch({ q: owner.username, aff: undefined, group: undefined, p: undefined });
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') void find.run(token.trim());
  };
  return (
    <DialogContent>
      <DialogTitle>{t('user.byToken')}</DialogTitle>
      <DialogDescription>{t('user.byTokenHelp')}</DialogDescription>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <Field id={id} label={t('user.token')}>
          <Input
            id={id}
            className="font-mono"
            placeholder="sk-…"
            autoComplete="off"
            spellCheck={false}
            value={token}
            onChange={(event) => {
              setToken(event.target.value);
              setUnknown(false);
            }}
          />
        </Field>
        <div role="status" className="empty:hidden">
          {isUnknown && <Notice tone="warn">{t('user.tokenUnknown')}</Notice>}
          {find.error !== null && <Notice tone="bad">{errorText(find.error, t)}</Notice>}
        </div>
        <DialogActions>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          <Button type="submit" variant="primary" busy={find.pending} disabled={token.trim() === ''}>
            {t('user.find')}
          </Button>
        </DialogActions>
      </form>
    </DialogContent>
  );
}
