/** The first run in two steps: who administers, and what the site is for. */
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { PasswordInput } from '@/components/password-input.tsx';
import { GuestColumn, GuestShell } from '@/components/shell/guest-shell.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Radio } from '@/components/ui/checkbox.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { FORM_LOST, type SetupValues, setupErrors, setupFailure } from '@/features/setup/rules.ts';
import { ApiError } from '@/lib/api-error.ts';
import { errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { type Form, useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/setup');

const RELOAD_MS = 1_500;

const modes = ['external', 'selfUse', 'demo'] as const;
type Mode = (typeof modes)[number];

export function SetupPage() {
  const { t } = useTranslation();
  const [step, setStep] = useState<1 | 2>(1);
  const { token = '' } = route.useSearch();
  const [refused, setRefused] = useState<Refused | null>(null);
  const form = useForm<SetupValues>({
    initial: { username: '', password: '', confirm: '', token },
    validate: (values) => ({
      ...setupErrors(values, t),
      ...(values.token === refused?.token && { token: refused.reason }),
    }),
    submit: async () => setStep(2),
  });
  return (
    <GuestShell>
      <GuestColumn title={t('setup.title')}>
        <p className="-mt-4 mb-6 text-sm text-muted" aria-live="polite">
          {t('setup.step', { step })} · {t(step === 1 ? 'setup.admin' : 'setup.mode')}
        </p>
        {step === 1 ? (
          <AdminStep form={form} asksToken={token === '' || refused !== null} />
        ) : (
          <ModeStep
            admin={form.values}
            onBack={() => setStep(1)}
            onRefused={(reason) => {
              setRefused({ token: form.values.token, reason });
              setStep(1);
            }}
          />
        )}
        <Health />
      </GuestColumn>
    </GuestShell>
  );
}

/** A token that was none, and the server's words for it. */
interface Refused {
  token: string;
  reason: string;
}

interface AdminStepProps {
  form: Form<SetupValues>;
  /** The link held none, or a wrong one. */
  asksToken: boolean;
}

function AdminStep({ form, asksToken }: AdminStepProps) {
  const { t } = useTranslation();
  // Who comes back because of his token begins there.
  const tokenField = useRef<HTMLInputElement>(null);
  const isRefused = form.error('token') !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useEffect(() => {
    if (isRefused) tokenField.current?.focus();
  }, []);
  return (
    <form noValidate onSubmit={form.onSubmit} className="grid gap-5">
      <Field
        id={form.id('username')}
        label={t('setup.username')}
        error={form.error('username')}
        help={t('setup.usernameHelp')}
      >
        <Input {...form.text('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field
        id={form.id('password')}
        label={t('setup.password')}
        error={form.error('password')}
        help={t('setup.passwordHelp')}
      >
        <PasswordInput {...form.text('password')} autoComplete="new-password" />
      </Field>
      <Field id={form.id('confirm')} label={t('setup.confirm')} error={form.error('confirm')}>
        <PasswordInput {...form.text('confirm')} autoComplete="new-password" />
      </Field>
      {asksToken && (
        <Field
          id={form.id('token')}
          label={t('setup.token')}
          error={form.error('token')}
          help={t('setup.tokenHelp')}
        >
          <Input
            ref={tokenField}
            {...form.text('token')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
      )}
      <Button type="submit" variant="primary" size="lg" className="mt-1">
        {t('setup.continue')}
      </Button>
    </form>
  );
}

interface ModeStepProps {
  admin: SetupValues;
  onBack: () => void;
  /** The token of the first step is none; with the server's words. */
  onRefused: (reason: string) => void;
}

function ModeStep({ admin, onBack, onRefused }: ModeStepProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [mode, setMode] = useState<Mode>('external');
  const [done, setDone] = useState(false);
  const first = useRef<HTMLFieldSetElement>(null);
  useEffect(() => first.current?.querySelector('input')?.focus(), []);

  const setup = useAction(async () => {
    // The first step let nobody on with less: what is missing now was lost on the way.
    if (Object.values(setupErrors(admin, t)).some((error) => error !== undefined)) throw FORM_LOST;
    try {
      await api.send('POST', '/api/setup/', {
        body: {
          username: admin.username,
          password: admin.password,
          confirmPassword: admin.confirm,
          SelfUseModeEnabled: mode === 'selfUse',
          DemoSiteEnabled: mode === 'demo',
          setup_token: admin.token.trim(),
        },
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SETUP_TOKEN') return onRefused(error.message);
      throw error;
    }
    setDone(true);
    await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
    window.location.assign('/');
    await new Promise(() => {});
  });

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void setup.run();
      }}
    >
      <div role="alert">
        {setup.error !== null && (
          <Notice tone={errorTone(setup.error)} className="mb-5">
            {setupFailure(setup.error, t)}
          </Notice>
        )}
      </div>
      <fieldset ref={first} className="grid gap-2">
        <legend className="sr-only">{t('setup.mode')}</legend>
        {modes.map((one) => (
          <ModeChoice
            key={one}
            checked={mode === one}
            onChoose={() => setMode(one)}
            help={t(`setup.mode.${one}Help`)}
          >
            {t(`setup.mode.${one}`)}
          </ModeChoice>
        ))}
      </fieldset>
      <div role="status">
        {done && (
          <Notice tone="ok" className="mt-5">
            {t('setup.done')}
          </Notice>
        )}
      </div>
      <div className="mt-6 flex gap-2">
        <Button size="lg" onClick={onBack} disabled={setup.pending}>
          {t('setup.back')}
        </Button>
        <Button type="submit" variant="primary" size="lg" className="flex-1" busy={setup.pending}>
          {t(setup.pending ? 'setup.working' : 'setup.finish')}
        </Button>
      </div>
    </form>
  );
}

interface ModeChoiceProps {
  checked: boolean;
  onChoose: () => void;
  help: string;
  children: ReactNode;
}

function ModeChoice({ checked, onChoose, help, children }: ModeChoiceProps) {
  return (
    <label className="flex cursor-pointer items-start gap-3 rounded-md border border-line bg-surface px-4 py-3 has-checked:border-accent has-checked:bg-accent-soft">
      <Radio name="mode" className="mt-[3px]" checked={checked} onChange={onChoose} />
      <span>
        <span className="block font-medium">{children}</span>
        <span className="block text-xs text-muted">{help}</span>
      </span>
    </label>
  );
}

/** A wrong deployment is best seen now. */
function Health() {
  const { t } = useTranslation();
  const { origin } = useBoot();
  const { database_type } = route.useLoaderData();
  return (
    <section className="mt-10 border-t border-line pt-4">
      <h2 className="mb-1 text-xs font-medium text-muted">{t('setup.health')}</h2>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-3.5 gap-y-1 text-sm">
        <dt className="text-muted">{t('setup.database')}</dt>
        <dd>{t(`setup.database.${database_type}`)}</dd>
        <dt className="text-muted">{t('setup.address')}</dt>
        <dd className="font-mono text-xs leading-5 break-all">{origin}</dd>
      </dl>
    </section>
  );
}
