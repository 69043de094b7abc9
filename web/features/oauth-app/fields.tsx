import { OAUTH_SCOPES } from '@modules/oauth-app/facts.ts';
import { Checkbox, Switch } from '@/components/ui/checkbox.tsx';
import { Field, FieldGroup } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OAuthAppValues } from './form.ts';

interface OAuthAppFieldsProps {
  form: Form<OAuthAppValues>;
  /** Asks whether it can keep a secret, which is settled when it is registered. */
  asksKind?: boolean;
}

export function OAuthAppFields({ form, asksKind }: OAuthAppFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        id={form.id('name')}
        label={t('oauthApp.name')}
        required
        error={form.error('name')}
        help={t('oauthApp.nameHelp')}
      >
        <Input {...form.text('name')} autoComplete="off" />
      </Field>
      <Field
        id={form.id('redirects')}
        label={t('oauthApp.redirects')}
        required
        error={form.error('redirects')}
        help={t('oauthApp.redirectsHelp')}
      >
        <Textarea {...form.text('redirects')} rows={4} spellCheck={false} className="font-mono text-xs!" />
      </Field>
      <ScopesField form={form} />
      {asksKind && (
        <Field
          id={form.id('confidential')}
          label={
            <span className="flex items-center gap-2.5">
              <Switch
                id={form.id('confidential')}
                checked={form.values.confidential}
                aria-describedby={`${form.id('confidential')}-help`}
                onChange={(event) => form.set('confidential', event.target.checked)}
              />
              {t('oauthApp.hasServer')}
            </span>
          }
          help={t('oauthApp.hasServerHelp')}
        >
          {null}
        </Field>
      )}
      <Field id={form.id('homepage')} label={t('oauthApp.homepage')} error={form.error('homepage')}>
        <Input {...form.text('homepage')} inputMode="url" autoComplete="off" spellCheck={false} />
      </Field>
      <label className="flex min-h-6 items-center gap-2.5 max-md:min-h-11">
        <Switch
          id={form.id('enabled')}
          checked={form.values.enabled}
          onChange={(event) => form.set('enabled', event.target.checked)}
        />
        {t('oauthApp.enabled')}
      </label>
    </>
  );
}

function ScopesField({ form }: { form: Form<OAuthAppValues> }) {
  const { t } = useTranslation();
  const { scopes } = form.values;
  return (
    <FieldGroup
      id={form.id('scopes')}
      label={t('oauthApp.scopes')}
      required
      error={form.error('scopes')}
      help={t('oauthApp.scopesHelp')}
    >
      {OAUTH_SCOPES.map((scope) => (
        <label key={scope} className="flex min-h-7 items-center gap-2.5 text-sm max-md:min-h-11">
          <Checkbox
            checked={scopes.includes(scope)}
            onChange={(event) =>
              form.set(
                'scopes',
                event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope),
              )
            }
          />
          <span>
            <code className="font-mono text-xs">{scope}</code>
            <span className="text-muted"> · {t(`oauthApp.scope.${scope}`)}</span>
          </span>
        </label>
      ))}
    </FieldGroup>
  );
}
