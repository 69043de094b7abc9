/** Takes the secret into an authenticator, and proves by a code that it is there. */

import { CopyField } from '@/components/copy-field.tsx';
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** What the server shows once: `POST /api/user/2fa/setup`. */
export type TwoFactorSetup = DataOf<'post', '/api/user/2fa/setup'>;

interface TwoFactorSetupDialogProps {
  setup: TwoFactorSetup;
  onEnabled: () => void;
  onClose: () => void;
}

export function TwoFactorSetupDialog({ setup, onEnabled, onClose }: TwoFactorSetupDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: code.trim() === '' ? t('second.codeNeeded') : undefined }),
    submit: async ({ code }) => {
      await api.send('POST', '/api/user/2fa/enable', { body: { code: code.trim() } });
      onEnabled();
    },
  });
  return (
    <FormDialog
      title={t('second.title')}
      description={t('second.setupHelp')}
      form={form}
      action={t('second.enable')}
      onClose={onClose}
    >
      <div className="grid justify-items-center gap-2" data-print="no">
        {/* Scanners want dark on light, whatever the theme. */}
        <img
          src={`data:image/svg+xml,${encodeURIComponent(setup.qr)}`}
          alt={t('second.qr')}
          width={200}
          height={200}
          className="rounded-sm bg-white"
        />
        <a href={setup.otpauth} className="hit text-sm text-accent-text underline">
          {t('second.openHere')}
        </a>
      </div>
      <CopyField label={t('second.secret')} value={setup.secret} />
      <Field
        id={form.id('code')}
        label={t('second.code')}
        help={t('second.codeHelp')}
        error={form.error('code')}
      >
        <Input
          {...form.text('code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          className="font-mono"
        />
      </Field>
    </FormDialog>
  );
}
