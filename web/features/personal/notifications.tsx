/** How one is warned when the balance runs low. */

import { formatAmount } from '@core/money.ts';
import { NOTIFY_TYPES } from '@core/notify-setting.ts';
import { Send } from 'lucide-react';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { PasswordInput } from '@/components/password-input.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field, FieldGroup } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Picks, Segmented } from '@/components/ui/segmented.tsx';
import { errorText, errorTone, requestIdOf } from '@/lib/error-text.ts';
import { late } from '@/lib/late.tsx';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { type Form, useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Account, notifySettingOf, type SectionProps } from './personal.ts';
import { type NotifyValues, needsCode, notifyErrors } from './rules.ts';
import { SectionNote } from './section.tsx';
import { useSaved, useTold } from './use-told.ts';

const CodeField = late(() => import('./code-field.tsx').then((module) => module.CodeField));

/** Quota units that many choose. */
const THRESHOLDS = [100_000, 500_000, 1_000_000, 5_000_000];

/** What is stored, as the form shows it; it begins anew when that has changed. */
export function NotificationsSection({ personal: { account } }: SectionProps) {
  return <NotificationsForm key={account.setting + account.email} account={account} />;
}

function NotificationsForm({ account }: { account: Account }) {
  const { t } = useTranslation();
  const api = useApi();
  const setting = notifySettingOf(account);
  const saved = useSaved(() => {});
  const told = useTold();
  const proved = [account.email.toLowerCase(), setting.notification_email.toLowerCase()];
  const form = useForm<NotifyValues>({
    initial: {
      type: setting.notify_type,
      threshold: String(setting.quota_warning_threshold),
      url: setting.webhook_url,
      secret: '',
      email: setting.notification_email,
      code: '',
    },
    validate: (values) => notifyErrors(values, proved, t),
    submit: async (values) => {
      await api.send('PUT', '/api/user/setting', { body: bodyOf(values) });
      await saved(t('user.updated'));
    },
  });
  useLeaveGuard(form.dirty);
  const test = useAction(async () => {
    await told(() => api.send('POST', '/api/user/setting/test'), t('personal.testSent'));
  });
  const { type } = form.values;
  return (
    <>
      <SectionNote>{t('personal.notificationsHelp')}</SectionNote>
      <form noValidate data-form onSubmit={form.onSubmit} className="group/form px-4 py-4">
        <div className="grid max-w-[520px] grid-cols-[minmax(0,1fr)] gap-5">
          <FieldGroup id={form.id('type')} label={t('personal.notifyType')}>
            <Segmented
              label={t('personal.notifyType')}
              value={type}
              options={NOTIFY_TYPES.map((value) => ({ value, label: t(`personal.notify.${value}`) }))}
              onChange={(value) => form.set('type', value)}
              className="justify-self-start"
            />
          </FieldGroup>
          <Threshold form={form} />
          {type === 'email' ? (
            <Mailbox form={form} account={account} proved={proved} />
          ) : (
            <Webhook form={form} hasSecret={setting.webhook_secret_set} />
          )}
          <div role="alert" className="empty:hidden">
            {form.failure !== null && (
              <Notice tone={errorTone(form.failure)}>
                {errorText(form.failure, t)}{' '}
                <code className="font-mono text-xs">{requestIdOf(form.failure)}</code>
              </Notice>
            )}
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Button type="submit" variant="primary" busy={form.pending} disabled={!form.dirty}>
              {form.pending ? t('app.saving') : t('app.save')}
            </Button>
            <Button
              busy={test.pending}
              disabled={form.dirty}
              aria-describedby={`${form.id('type')}-test`}
              onClick={() => void test.run()}
            >
              <Send aria-hidden="true" />
              {t('personal.sendTest')}
            </Button>
            <span id={`${form.id('type')}-test`} className="text-xs text-muted">
              {form.dirty && t('personal.testAfterSave')}
            </span>
          </div>
        </div>
      </form>
    </>
  );
}

/** Only what the chosen kind uses; an empty secret keeps the one that is stored. */
function bodyOf({ type, threshold, url, secret, email, code }: NotifyValues) {
  const common = { notify_type: type, quota_warning_threshold: Number(threshold) };
  if (type === 'webhook') return { ...common, webhook_url: url.trim(), webhook_secret: secret };
  return { ...common, notification_email: email.trim(), notification_email_code: code.trim() };
}

function Threshold({ form }: { form: Form<NotifyValues> }) {
  const { t } = useTranslation();
  const rules = { ...moneyRules(useBoot()), inCurrency: true };
  const props = form.text('threshold');
  const typed = props.value.trim();
  const units = /^\d{1,15}$/.test(typed) ? Number(typed) : null;
  return (
    <Field
      id={props.id}
      label={t('personal.threshold')}
      error={form.error('threshold')}
      help={t('personal.thresholdHelp')}
    >
      <div className="flex">
        <Input
          {...props}
          inputMode="numeric"
          autoComplete="off"
          className="rounded-r-none text-right tabular-nums"
        />
        <span className="inline-flex min-w-28 items-center justify-end rounded-r-sm border border-l-0 border-line-strong bg-sunken px-2.5 text-sm whitespace-nowrap text-muted tabular-nums">
          {units === null ? '—' : `= ${formatAmount(units, rules).text}`}
        </span>
      </div>
      <Picks
        label={t('personal.thresholds')}
        value={units}
        options={THRESHOLDS.map((value) => ({ value, label: String(value) }))}
        onChange={(value) => form.set('threshold', String(value))}
      />
    </Field>
  );
}

interface MailboxProps {
  form: Form<NotifyValues>;
  account: Account;
  /** Need no code. */
  proved: readonly string[];
}

function Mailbox({ form, account, proved }: MailboxProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        id={form.id('email')}
        label={t('personal.notificationEmail')}
        error={form.error('email')}
        help={t(account.email ? 'personal.notificationEmailHelp' : 'personal.notificationEmailNone')}
      >
        <Input
          {...form.text('email')}
          type="email"
          inputMode="email"
          autoComplete="email"
          spellCheck={false}
          placeholder={account.email}
        />
      </Field>
      {needsCode(form.values.email, proved) && <CodeField form={form} />}
    </>
  );
}

function Webhook({ form, hasSecret }: { form: Form<NotifyValues>; hasSecret: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        id={form.id('url')}
        label={t('personal.webhookUrl')}
        error={form.error('url')}
        help={t('personal.webhookUrlHelp')}
      >
        <Input
          {...form.text('url')}
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://"
        />
      </Field>
      <Field
        id={form.id('secret')}
        label={t('personal.webhookSecret')}
        error={form.error('secret')}
        help={t('personal.webhookSecretHelp')}
      >
        <PasswordInput
          {...form.text('secret')}
          autoComplete="off"
          placeholder={hasSecret ? t('setting.secretKept') : undefined}
        />
      </Field>
    </>
  );
}
