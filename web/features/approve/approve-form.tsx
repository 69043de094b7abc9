/** Who asks, from where, for what; and the two answers, alike in size. */
import { DEFAULT_QUOTA } from '@modules/token/facts.ts';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import { QuotaField } from '@/components/quota-field.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Radio } from '@/components/ui/checkbox.tsx';
import { FieldGroup } from '@/components/ui/field.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { type Token, tokenStates } from '@/features/token/token.ts';
import { approveCode } from '@/lib/approve-code.ts';
import type { BodyOf } from '@/lib/calls.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { type Form, useForm } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isWhole } from '@/lib/whole.ts';
import type { Asked, Decision, TokenRequest } from './use-approval.ts';

/**
 * A token of its own, which harms nothing else when it gets into wrong hands, stands first. It is what is meant at first, but
 * where there is one token alone that could be given: that one is.
 */
const NEW = 'new';

interface Choice {
  /** NEW, or the id of a token. */
  token: string;
  /** Quota units of a new one, as typed. */
  quota: string;
}

interface ApproveFormProps {
  asked: Asked;
  onDecided: (decision: Decision) => void;
}

export function ApproveForm({ asked, onDecided }: ApproveFormProps) {
  const { t } = useTranslation();
  const api = useApi();
  const { request, tokens, isUsable } = asked;
  const [only, ...others] = tokens.filter(isUsable);
  const decide = (body: Omit<BodyOf<'patch', '/api/request_bind'>, 'code'>) =>
    api.send('PATCH', '/api/request_bind', { body: { code: approveCode() ?? '', ...body } });
  const form = useForm<Choice>({
    initial: {
      token: only && others.length === 0 ? String(only.id) : NEW,
      quota: String(DEFAULT_QUOTA),
    },
    validate: ({ token, quota }) => ({
      quota: token !== NEW || isWhole(quota) ? undefined : t('token.quotaBad'),
    }),
    async submit({ token, quota }) {
      await decide(token === NEW ? { remain_quota: Number(quota) } : { token: Number(token) });
      onDecided('approved');
    },
  });
  const reject = useAction(async () => {
    await decide({ action: 'reject' });
    onDecided('rejected');
  });
  const failure = form.failure ?? reject.error;
  const isBusy = form.pending || reject.pending;
  return (
    <form noValidate onSubmit={form.onSubmit} className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <Asking request={request} />
      {only ? (
        <TokenChoice form={form} tokens={tokens} isUsable={isUsable} />
      ) : (
        <p className="text-sm text-muted">{t('approve.noneUsable')}</p>
      )}
      {form.values.token === NEW && (
        <QuotaField form={form} name="quota" label={t('token.quota')} help={t('token.quotaHelp')} />
      )}
      <div role="alert" className="empty:hidden">
        {failure !== null && <Notice tone={errorTone(failure)}>{errorText(failure, t)}</Notice>}
      </div>
      <div className="grid grid-cols-2 gap-3">
        <Button size="lg" busy={reject.pending} disabled={isBusy} onClick={() => void reject.run()}>
          {t('approve.reject')}
        </Button>
        <Button type="submit" variant="primary" size="lg" busy={form.pending} disabled={isBusy}>
          {t('approve.approve')}
        </Button>
      </div>
    </form>
  );
}

function Asking({ request }: { request: TokenRequest }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const { name, number, ip, browser, system, same_network, created_at } = request;
  const device = [ip, browser, system].filter(Boolean).join(' · ');
  return (
    <div className="grid gap-4">
      <div>
        <p className="text-base font-medium break-words">
          {name ? t('approve.asks', { name }) : t('approve.asksNameless')}
        </p>
        <p className="mt-1 text-sm text-muted">{t('approve.gets')}</p>
      </div>
      {!same_network && <Notice tone="warn">{t('approve.elsewhere')}</Notice>}
      <dl className="grid gap-3 rounded-md border border-line bg-sunken px-4 py-3 text-sm">
        <Fact label={t('approve.number')} help={t('approve.numberHelp')}>
          <span className="font-mono text-xl font-semibold tracking-widest">{number}</span>
        </Fact>
        <Fact label={t('approve.from')}>
          <span className="break-all">{device}</span> · <Time at={created_at} relative />
        </Fact>
        <Fact label={t('approve.account')}>{user?.username}</Fact>
      </dl>
    </div>
  );
}

function Fact({ label, help, children }: { label: string; help?: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{label}</dt>
      <dd>{children}</dd>
      {help && <dd className="text-xs text-muted">{help}</dd>}
    </div>
  );
}

interface TokenChoiceProps extends Omit<Asked, 'request'> {
  form: Form<Choice>;
}

function TokenChoice({ form, tokens, isUsable }: TokenChoiceProps) {
  const { t } = useTranslation();
  return (
    <FieldGroup id={form.id('token')} label={t('approve.which')}>
      <div className="grid max-h-80 grid-cols-[minmax(0,1fr)] gap-2 overflow-y-auto">
        <Option form={form} value={NEW} title={t('approve.new')}>
          {t('approve.newHelp')}
        </Option>
        {tokens.map((token) => (
          <Option
            key={token.id}
            form={form}
            value={String(token.id)}
            title={token.name}
            disabled={!isUsable(token)}
          >
            <TokenFacts token={token} />
          </Option>
        ))}
      </div>
    </FieldGroup>
  );
}

/** What tells it from the others; of one that cannot be given, why not. */
function TokenFacts({ token }: { token: Token }) {
  const { t } = useTranslation();
  const state = tokenStates.find(({ status }) => status === token.status);
  return (
    <>
      {state && state.tone !== 'on' && <>{t(state.label)} · </>}
      {token.group || t('token.ownGroup')}
      {' · '}
      {token.unlimited_quota ? t('token.unlimited') : <Money quota={token.remain_quota} />}
      {' · '}
      {token.expired_time > 0 ? <Time at={token.expired_time} /> : t('token.never')}
    </>
  );
}

interface OptionProps {
  form: Form<Choice>;
  value: string;
  title: string;
  disabled?: boolean;
  children: ReactNode;
}

const Option = ({ form, value, title, disabled = false, children }: OptionProps) => (
  <label className="flex cursor-pointer items-start gap-3 rounded-md border border-line bg-surface px-3 py-2.5 has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:bg-sunken has-disabled:text-muted">
    <Radio
      name="token"
      className="mt-0.5"
      disabled={disabled}
      checked={form.values.token === value}
      onChange={() => form.set('token', value)}
    />
    <span className="min-w-0">
      <span className="block text-sm font-medium break-words">{title}</span>
      <span className="block text-xs text-muted">{children}</span>
    </span>
  </label>
);
