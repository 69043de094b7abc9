/** The two ways of signing in: by phone and by password. Where both are open, in Chinese a link leads to the other, elsewhere tabs. */
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { Notice } from '@/components/ui/notice.tsx';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { PasswordForm } from './password-form.tsx';
import { PhoneSignIn } from './phone-sign-in.tsx';

const route = getRouteApi('/login');

const WAYS = ['phone', 'password'] as const;
export type Way = (typeof WAYS)[number];

const forms = { phone: PhoneSignIn, password: PasswordForm };
const names = { phone: 'login.byPhone', password: 'login.byPassword' } as const;
const invitations = { phone: 'login.usePhone', password: 'login.usePassword' } as const;

/** The ways that are open, and the one that is shown. */
export function useWay(): { open: readonly Way[]; shown: Way | undefined } {
  const { status, loginAttempt } = useBoot();
  const { by } = route.useSearch();
  const isOpen = { phone: status.enabled_phone_login, password: status.enabled_password_login };
  const open = WAYS.filter((way) => isOpen[way]);
  // Who has just tried without JavaScript, which only the password form can do, finds it again.
  const wanted = loginAttempt ? 'password' : by;
  // Root gets in by password always; where that is closed, nothing but this address leads to the form.
  const shown = wanted === 'password' ? wanted : (open.find((way) => way === wanted) ?? open[0]);
  return { open, shown };
}

export function SignInWays() {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const { open, shown } = useWay();
  if (!shown) return <Notice tone="warn">{t('login.closed')}</Notice>;
  if (!open.includes(shown)) return <RootForm />;
  const Form = forms[shown];
  if (open.length === 1) return <Form />;
  if (locale !== 'zh') return <WayTabs shown={shown} />;
  const other = shown === 'phone' ? 'password' : 'phone';
  return (
    <>
      <Form key={shown} />
      <p className="mt-5 text-sm">
        <WayLink way={other} className="link">
          {t(invitations[other])}
        </WayLink>
      </p>
    </>
  );
}

function RootForm() {
  const { t } = useTranslation();
  return (
    <>
      <Notice className="mb-5">{t('login.rootOnly')}</Notice>
      <PasswordForm />
    </>
  );
}

function WayTabs({ shown }: { shown: Way }) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const show = (by: Way) => void navigate({ search: (old) => ({ ...old, by }), replace: true });
  return (
    <Tabs value={shown} onValueChange={(way) => show(way === 'phone' ? 'phone' : 'password')}>
      <TabsList aria-label={t('login.ways')} className="mb-5">
        {WAYS.map((way) => (
          <TabsTrigger key={way} value={way} asChild>
            <WayLink way={way}>{t(names[way])}</WayLink>
          </TabsTrigger>
        ))}
      </TabsList>
      {WAYS.map((way) => {
        const Form = forms[way];
        return (
          <TabsContent key={way} value={way} tabIndex={-1}>
            <Form />
          </TabsContent>
        );
      })}
    </Tabs>
  );
}

/** An address of its own, so that it works without JavaScript too. */
function WayLink({ way, ...props }: { way: Way } & ComponentProps<'a'>) {
  return <Link from="/login" to="/login" search={(old) => ({ ...old, by: way })} replace {...props} />;
}
