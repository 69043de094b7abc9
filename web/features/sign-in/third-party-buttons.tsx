/** The ways in by passkeys and third parties, each shown only where the operator has switched it on. */
import type { OAuthProviderName } from '@modules/auth/facts.ts';
import { useLocation, useSearch } from '@tanstack/react-router';
import { type ComponentType, useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { cn } from '@/lib/cn.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SiteStatus } from '../../boot.ts';
import { useAgreement } from './agreement.tsx';
import { GitHubLogo, GoogleLogo, LinuxDoLogo, type LogoProps, OidcLogo } from './logos.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { TelegramButton } from './telegram-button.tsx';
import type { WayProps } from './way-props.ts';
import { WeChatButton } from './wechat-button.tsx';

interface Way {
  name: string;
  flag: keyof SiteStatus;
  /** One button, as high and wide as the others. */
  Button: ComponentType<WayProps>;
  /** Leads into accounts that there are, and makes none. */
  isForSigningIn?: boolean;
  /** Not offered on a phone. */
  isForDesks?: boolean;
}

const oauthWay = (
  provider: OAuthProviderName,
  flag: keyof SiteStatus,
  Logo: ComponentType<LogoProps>,
): Way => ({
  name: provider,
  flag,
  Button: (props) => <OAuthButton {...props} provider={provider} Logo={Logo} />,
});

const ways: readonly Way[] = [
  { name: 'passkey', flag: 'passkey_login', Button: PasskeyButton, isForSigningIn: true },
  oauthWay('google', 'google_oauth', GoogleLogo),
  oauthWay('github', 'github_oauth', GitHubLogo),
  oauthWay('oidc', 'oidc_enabled', OidcLogo),
  oauthWay('linuxdo', 'linuxdo_oauth', LinuxDoLogo),
  { name: 'wechat', flag: 'wechat_login', Button: WeChatButton, isForDesks: true },
  { name: 'telegram', flag: 'telegram_oauth', Button: TelegramButton },
];

const forDesks = (isForDesks: boolean | undefined): string => (isForDesks ? 'max-md:hidden' : '');

/**
 * Of a page that one comes to with a next path or an invitation. Nothing at all where none is switched on, and
 * without JavaScript, which every one of them needs.
 */
export function ThirdPartyButtons() {
  const { t } = useTranslation();
  const { status } = useBoot();
  const { next, aff } = useSearch({ strict: false });
  const id = useId();
  const { whenAgreed } = useAgreement();
  const [failure, setFailure] = useState<unknown>(null);
  const isSigningIn = useLocation().pathname === '/login';
  const open = ways.filter(
    ({ flag, isForSigningIn }) => status[flag] === true && (isSigningIn || !isForSigningIn),
  );
  if (open.length === 0) return null;
  return (
    <section
      aria-labelledby={id}
      className={cn('mt-6 noscript:hidden', forDesks(open.every((way) => way.isForDesks)))}
    >
      <h2
        id={id}
        className="mb-4 flex items-center gap-3 text-xs font-normal text-muted before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line"
      >
        {t(open.every((way) => way.isForSigningIn) ? 'passkey.or' : 'third.or')}
      </h2>
      <div role="alert" className="empty:hidden">
        {failure !== null && (
          <Notice tone={errorTone(failure)} className="mb-4">
            {errorText(failure, t)}
          </Notice>
        )}
      </div>
      <ul className="flex flex-wrap gap-3">
        {open.map(({ name, Button: WayButton, isForDesks }) => (
          <li key={name} className={cn('grid flex-1 basis-[calc(50%-6px)]', forDesks(isForDesks))}>
            <WayButton next={next} aff={aff} whenAgreed={whenAgreed} onFailure={setFailure} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface OAuthButtonProps extends WayProps {
  provider: OAuthProviderName;
  Logo: ComponentType<LogoProps>;
}

function OAuthButton({ provider, Logo, next, aff, onFailure, whenAgreed }: OAuthButtonProps) {
  const { t } = useTranslation();
  const api = useApi();
  const title = t(`user.bound.${provider}`);
  const go = useAction(async () => {
    onFailure(null);
    try {
      const { address } = await api.send('POST', '/api/oauth/:provider/start', {
        params: { provider },
        body: { next, aff },
      });
      window.location.assign(address);
    } catch (error) {
      return onFailure(error);
    }
    // The button stays busy until the other page stands.
    await new Promise(() => {});
  });
  return (
    <Button
      size="lg"
      busy={go.pending}
      aria-label={t('third.with', { provider: title })}
      onClick={() => void whenAgreed(() => go.run())}
    >
      {!go.pending && <Logo className="text-muted" />}
      {title}
    </Button>
  );
}
