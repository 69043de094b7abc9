/** Tries the mail settings that are saved: one letter to an address, and what the server said. */
import { Send } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
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
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function MailTest() {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Send aria-hidden="true" />
        {t('setting.mailTest')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        {open && <MailTestDialog onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function MailTestDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const id = useId();
  const [to, setTo] = useState('');
  const [sentTo, setSentTo] = useState('');
  const send = useAction(async (address: string) => {
    setSentTo('');
    await api.send('POST', '/api/mail/test', { body: { to: address } });
    setSentTo(address);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (to.trim() !== '') void send.run(to.trim());
  };
  return (
    <DialogContent>
      <DialogTitle>{t('setting.mailTest')}</DialogTitle>
      <DialogDescription>{t('setting.mailTestHelp')}</DialogDescription>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <Field id={id} label={t('register.email')}>
          <Input
            id={id}
            type="email"
            inputMode="email"
            autoComplete="email"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </Field>
        <div role="status" className="empty:hidden">
          {sentTo !== '' && <Notice tone="ok">{t('setting.mailTestSent', { address: sentTo })}</Notice>}
          {send.error !== null && <Notice tone={errorTone(send.error)}>{errorText(send.error, t)}</Notice>}
        </div>
        <DialogActions>
          <Button onClick={onClose}>{t('app.close')}</Button>
          <Button type="submit" variant="primary" busy={send.pending} disabled={to.trim() === ''}>
            {t('setting.mailTestSend')}
          </Button>
        </DialogActions>
      </form>
    </DialogContent>
  );
}
