/** Turns a code into quota. */
import { formatAmount } from '@core/money.ts';
import { useRouter } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { moneyRules, useApi, useBoot } from '@/lib/page-context.ts';
import { useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Panel } from './panel.tsx';

export function RedeemPanel() {
  const { t } = useTranslation();
  const api = useApi();
  const boot = useBoot();
  const router = useRouter();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: code.trim() === '' ? t('wallet.codeNeeded') : undefined }),
    submit: async ({ code }) => {
      const added = await api.send('POST', '/api/user/topup', { body: { key: code.trim() } });
      form.reset();
      notify({
        tone: 'ok',
        text: t('wallet.redeemed', { amount: formatAmount(added, moneyRules(boot)).text }),
      });
      await router.invalidate();
    },
  });
  return (
    <Panel title={t('wallet.redeemTitle')}>
      <form data-form noValidate onSubmit={form.onSubmit} className="grid gap-4">
        <Field
          id={form.id('code')}
          label={t('wallet.code')}
          end={<BuyLink />}
          error={form.error('code')}
          help={t('wallet.codeHelp')}
        >
          <div className="flex gap-2 max-md:flex-col">
            <Input {...form.text('code')} autoComplete="off" spellCheck={false} className="font-mono" />
            <Button type="submit" variant="primary" busy={form.pending}>
              {t('wallet.redeem')}
            </Button>
          </div>
        </Field>
        <div role="alert" className="empty:hidden">
          {form.failure !== null && (
            <Notice tone={errorTone(form.failure)}>{errorText(form.failure, t, t('wallet.failed'))}</Notice>
          )}
        </div>
      </form>
    </Panel>
  );
}

/** Leads to where codes are sold; says so where the operator has named no such place. */
function BuyLink() {
  const { t } = useTranslation();
  const link = useBoot().status.top_up_link;
  if (link) {
    return (
      <a href={link} target="_blank" rel="noreferrer" className="link hit">
        {t('wallet.getCode')}
        <ExternalLink aria-hidden="true" className="ml-1 inline size-3" />
      </a>
    );
  }
  return (
    <button
      type="button"
      className="link hit"
      onClick={() => notify({ tone: 'bad', text: t('wallet.noLink') })}
    >
      {t('wallet.getCode')}
    </button>
  );
}
