/** The dialog of the mail test. */
import { useState } from 'react';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function MailTestDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const [sentTo, setSentTo] = useState('');
  const form = useForm({
    initial: { to: '' },
    validate: () => ({}),
    submit: async (values) => {
      const to = values.to.trim();
      setSentTo('');
      await api.send('POST', '/api/mail/test', { body: { to } });
      setSentTo(to);
    },
  });
  return (
    <FormDialog
      title={t('setting.mailTest')}
      description={t('setting.mailTestHelp')}
      form={form}
      action={t('setting.mailTestSend')}
      incomplete={form.values.to.trim() === ''}
      dismiss={t('app.close')}
      outcome={sentTo !== '' && <Notice tone="ok">{t('setting.mailTestSent', { address: sentTo })}</Notice>}
      onClose={onClose}
    >
      <Field id={form.id('to')} label={t('register.email')}>
        <Input {...form.text('to')} type="email" inputMode="email" autoComplete="email" />
      </Field>
    </FormDialog>
  );
}
