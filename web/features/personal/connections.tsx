/** Accounts of third parties by which one can sign in. */
import { type Ref, useRef } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { late } from '@/lib/late.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SiteStatus } from '../../boot.ts';
import type { Provider, SectionProps } from './personal.ts';
import { Row, SectionNote, ValueLine } from './section.tsx';
import { useSaved, useTold } from './use-told.ts';

// Few sites have them.
const TelegramBind = late(() => import('./messenger-bind.tsx').then((module) => module.TelegramBind));
const WeChatBind = late(() => import('./messenger-bind.tsx').then((module) => module.WeChatBind));

/** The flag of the site's status that says whether each is open. */
const FLAGS = {
  github: 'github_oauth',
  google: 'google_oauth',
  oidc: 'oidc_enabled',
  linuxdo: 'linuxdo_oauth',
  wechat: 'wechat_login',
  telegram: 'telegram_oauth',
} as const satisfies Record<Provider, keyof SiteStatus>;

const PROVIDERS = Object.keys(FLAGS) as Provider[];

export function ConnectionsSection({ personal: { account } }: SectionProps) {
  const { t } = useTranslation();
  return (
    <>
      <SectionNote>{t('personal.connectionsHelp')}</SectionNote>
      {PROVIDERS.map((provider) => (
        <Connection
          key={provider}
          provider={provider}
          name={account.bound[provider]}
          isPaused={account.bound_paused.includes(provider)}
        />
      ))}
    </>
  );
}

interface ConnectionProps {
  provider: Provider;
  /** Undefined where none is bound. */
  name: string | undefined;
  /** It was bound before the password was changed, and waits for a word of its owner. */
  isPaused: boolean;
}

function Connection({ provider, name, isPaused }: ConnectionProps) {
  const { t } = useTranslation();
  const { status } = useBoot();
  const unbind = useRef<HTMLButtonElement>(null);
  const title = t(`user.bound.${provider}`);
  if (name !== undefined) {
    return (
      <Row label={title} help={isPaused ? t('personal.pausedHelp') : undefined}>
        <ValueLine
          value={
            <Status tone={isPaused ? 'auto' : 'on'}>
              {t(isPaused ? 'personal.pausedAs' : 'personal.boundAs', { name })}
            </Status>
          }
        >
          {isPaused && (
            <KeepButton provider={provider} title={title} onKept={() => unbind.current?.focus()} />
          )}
          <UnbindButton provider={provider} title={title} ref={unbind} />
        </ValueLine>
      </Row>
    );
  }
  const isOpen = status[FLAGS[provider]];
  return (
    <Row label={title} help={isOpen ? undefined : t('personal.notEnabledHelp')}>
      <ValueLine
        value={<Status tone="off">{t(isOpen ? 'personal.notBound' : 'personal.notEnabled')}</Status>}
      >
        {isOpen && <Bind provider={provider} title={title} />}
      </ValueLine>
    </Row>
  );
}

interface ButtonProps {
  provider: Provider;
  title: string;
}

function Bind({ provider, title }: ButtonProps) {
  if (provider === 'wechat') return <WeChatBind title={title} />;
  if (provider === 'telegram') return <TelegramBind title={title} />;
  return <BindButton provider={provider} title={title} />;
}

const HERE = '/personal#connections';

/** Goes to the third party, and comes back here. */
function BindButton({ provider, title }: ButtonProps) {
  const { t } = useTranslation();
  const api = useApi();
  const bind = useAction(async () => {
    try {
      const { address } = await api.send('POST', '/api/oauth/:provider/start', {
        params: { provider },
        body: { next: HERE },
      });
      window.location.assign(address);
      // The button stays busy until the other page stands.
      await new Promise(() => {});
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  return (
    <Button
      busy={bind.pending}
      aria-label={`${t('personal.bind')}: ${title}`}
      onClick={() => void bind.run()}
    >
      {t('personal.bind')}
    </Button>
  );
}

/** It goes once it is kept. */
function KeepButton({ provider, title, onKept }: ButtonProps & { onKept: () => void }) {
  const { t } = useTranslation();
  const api = useApi();
  const tell = useTold();
  const keep = useAction(async () => {
    const isKept = await tell(
      () => api.send('POST', '/api/oauth/:provider/keep', { params: { provider } }),
      t('personal.kept', { title }),
    );
    if (isKept) onKept();
  });
  return (
    <Button
      busy={keep.pending}
      aria-label={`${t('personal.keep')}: ${title}`}
      onClick={() => void keep.run()}
    >
      {t('personal.keep')}
    </Button>
  );
}

function UnbindButton({ provider, title, ref }: ButtonProps & { ref: Ref<HTMLButtonElement> }) {
  const { t } = useTranslation();
  const api = useApi();
  const confirm = useConfirm();
  const saved = useSaved(() => {});
  const ask = async () => {
    const isDone = await confirm({
      title: t('personal.unbindTitle', { title }),
      body: t('personal.unbindBody', { title }),
      action: t('personal.unbind'),
      danger: true,
      work: () => api.send('DELETE', '/api/oauth/:provider', { params: { provider } }),
    });
    if (isDone) await saved(t('personal.unbound', { title }));
  };
  return (
    <Button ref={ref} aria-label={`${t('personal.unbind')}: ${title}`} onClick={() => void ask()}>
      {t('personal.unbind')}
    </Button>
  );
}
