/** Deleting one's own account: what follows, his name to be typed, and the end. */
import { useState } from 'react';
import { FormDialog } from '@/components/form-dialog.tsx';
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
import { useApi } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Account } from './personal.ts';
import { deleteErrors } from './rules.ts';

const CONSEQUENCES = ['signOut', 'tokens', 'data', 'quota', 'name'] as const;

interface DeleteDialogProps {
  account: Account;
  onClose: () => void;
}

export function DeleteDialog({ account, onClose }: DeleteDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [isGone, setIsGone] = useState(false);
  const form = useForm({
    initial: { username: '' },
    validate: (values) => deleteErrors(values, account.username, t),
    submit: async (body) => {
      await api.send('DELETE', '/api/user/self', { body });
      keep.signedOut();
      setIsGone(true);
    },
  });
  if (isGone) return <Gone />;
  return (
    <FormDialog
      title={t('personal.deleteTitle', { name: account.username })}
      description={
        <>
          <p>{t('personal.deleteWarning')}</p>
          <ul className="mt-2 list-disc pl-5">
            {CONSEQUENCES.map((one) => (
              <li key={one}>{t(`personal.deletes.${one}`)}</li>
            ))}
          </ul>
        </>
      }
      form={form}
      action={t('personal.delete')}
      danger
      onClose={onClose}
    >
      <Field
        id={form.id('username')}
        label={t('app.typeToConfirm', { word: account.username })}
        error={form.error('username')}
      >
        <Input {...form.text('username')} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </Field>
    </FormDialog>
  );
}

/** Nothing of the page behind works any more: it is left, however this is closed. */
function Gone() {
  const { t } = useTranslation();
  const leave = () => window.location.assign('/');
  return (
    <Dialog open onOpenChange={leave}>
      <DialogContent>
        <DialogTitle className="mb-1.5">{t('personal.deleted')}</DialogTitle>
        <DialogDescription>{t('personal.deletedHelp')}</DialogDescription>
        <DialogActions>
          <Button variant="primary" onClick={leave}>
            {t('app.home')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
