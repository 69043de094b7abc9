/** The dialog that asks for a provider's well-known address. */
import { FormDialog } from '@/components/form-dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OidcTestProps } from './oidc-test-props.ts';

const WELL_KNOWN = 'oidc.well_known';

export function OidcTestDialog({ fields, settings, onClose }: OidcTestProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const known = fields.find(({ key }) => key === WELL_KNOWN);
  const form = useForm({
    initial: { address: known ? settings.text(known) : '' },
    validate: () => ({}),
    submit: async ({ address }) => {
      const wellKnown = address.trim();
      const found = await api.send('POST', '/api/option/oidc_discovery', { body: { well_known: wellKnown } });
      const filled: Record<string, string> = {
        [WELL_KNOWN]: wellKnown,
        'oidc.authorization_endpoint': found.authorization_endpoint,
        'oidc.token_endpoint': found.token_endpoint,
        'oidc.user_info_endpoint': found.userinfo_endpoint,
      };
      for (const field of fields) {
        const text = filled[field.key];
        if (text !== undefined) settings.set(field, text);
      }
      notify({ tone: 'ok', text: t('third.oidcFilled', { issuer: found.issuer }) });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('third.oidcTest')}
      description={t('third.oidcHelp')}
      form={form}
      action={t('third.oidcRead')}
      incomplete={form.values.address.trim() === ''}
      dismiss={t('app.close')}
      onClose={onClose}
    >
      <Field id={form.id('address')} label={known?.label ?? WELL_KNOWN}>
        <Input
          {...form.text('address')}
          type="url"
          inputMode="url"
          spellCheck={false}
          placeholder="https://id.example.com/.well-known/openid-configuration"
        />
      </Field>
    </FormDialog>
  );
}
