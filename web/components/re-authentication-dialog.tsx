import { getRouteApi, useLocation } from '@tanstack/react-router';
import { withQuery } from '@/lib/api.ts';
import { ApiError } from '@/lib/api-error.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { CONFIRM } from '@/lib/re-authentication.ts';
import { keep } from '@/lib/storage.ts';
import { useAction } from '@/lib/use-action.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FormDialog } from './form-dialog.tsx';
import { PasswordInput } from './password-input.tsx';
import { Button } from './ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogDescription, DialogTitle } from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';
import { Notice } from './ui/notice.tsx';

const root = getRouteApi('__root__');

interface ReAuthenticationDialogProps {
  onAnswer: (proved: boolean) => void;
}

/** Loaded with the first question. */
export function ReAuthenticationDialog({ onAnswer }: ReAuthenticationDialogProps) {
  const hasPassword = root.useLoaderData()?.has_password ?? true;
  return hasPassword ? <ByPassword onAnswer={onAnswer} /> : <BySignIn onAnswer={onAnswer} />;
}

function ByPassword({ onAnswer }: ReAuthenticationDialogProps) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const api = useApi();
  const form = useForm({
    initial: { password: '' },
    validate: ({ password }) => ({ password: password === '' ? t('user.originalNeeded') : undefined }),
    submit: async (proof) => {
      await api.send('POST', CONFIRM, { body: proof });
      onAnswer(true);
    },
  });
  const isWrong = form.failure instanceof ApiError && form.failure.code === 'PASSWORD_WRONG';
  return (
    <FormDialog
      title={t('owner.title')}
      description={t('owner.help')}
      form={form}
      action={t('owner.confirm')}
      failure={isWrong ? null : form.failure}
      onClose={() => onAnswer(false)}
    >
      {/* Password managers look for the name that belongs to it. */}
      <input type="hidden" autoComplete="username" value={user?.username ?? ''} readOnly />
      <Field
        id={form.id('password')}
        label={t('user.originalPassword')}
        error={form.error('password') ?? (isWrong ? errorText(form.failure, t) : undefined)}
      >
        <PasswordInput {...form.text('password')} autoComplete="current-password" />
      </Field>
    </FormDialog>
  );
}

/** Without a password the way in is the proof: he leaves by it and comes back to this page. */
function BySignIn({ onAnswer }: ReAuthenticationDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const { href } = useLocation();
  const leave = useAction(async () => {
    await api.get('/api/user/logout');
    keep.signedOut();
    window.location.assign(withQuery('/login', { next: href }));
    await new Promise(() => {});
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onAnswer(false)}>
      <DialogContent>
        <DialogTitle className="mb-1.5">{t('owner.title')}</DialogTitle>
        <DialogDescription>{t('owner.noPassword')}</DialogDescription>
        <div role="alert" className="not-empty:mt-3">
          {leave.error !== null && <Notice tone={errorTone(leave.error)}>{errorText(leave.error, t)}</Notice>}
        </div>
        <DialogActions>
          <Button onClick={() => onAnswer(false)}>{t('app.cancel')}</Button>
          <Button variant="primary" busy={leave.pending} onClick={() => void leave.run()}>
            {t('owner.signInAgain')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
