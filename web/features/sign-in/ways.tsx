/** The two ways of signing in: by phone and by password. Where both are open, in Chinese a link leads to the other, elsewhere tabs. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ComponentProps, type KeyboardEvent, useId, useRef } from 'react';
import { Notice } from '@/components/ui/notice.tsx';
import { tabListLook, tabLook } from '@/components/ui/tab-look.ts';
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

/** Tabs of links. The component with the same look, for panels of any kind, weighs a tenth of this page. */
function WayTabs({ shown }: { shown: Way }) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const switchByKey = (event: KeyboardEvent) => {
    const way = wayOfKey(event.key, shown);
    if (!way) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>(`[data-way=${way}]`)?.focus();
    void navigate({ search: (old) => ({ ...old, by: way }), replace: true });
  };
  const Form = forms[shown];
  return (
    <>
      <div ref={list} role="tablist" aria-label={t('login.ways')} className={tabListLook('mb-5')}>
        {WAYS.map((way) => (
          <WayLink
            key={way}
            way={way}
            role="tab"
            id={`${id}-${way}`}
            data-way={way}
            data-state={way === shown ? 'active' : 'inactive'}
            aria-selected={way === shown}
            aria-controls={`${id}-panel`}
            tabIndex={way === shown ? 0 : -1}
            onKeyDown={switchByKey}
            className={tabLook()}
          >
            {t(names[way])}
          </WayLink>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`} tabIndex={-1}>
        <Form key={shown} />
      </div>
    </>
  );
}

/** The way that a key leads to from the shown one: the arrows go round, Home and End to the first and the last. */
function wayOfKey(key: string, shown: Way): Way | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowRight') return WAYS.find((way) => way !== shown);
  if (key === 'Home') return WAYS[0];
  return key === 'End' ? WAYS.at(-1) : undefined;
}

/** An address of its own, so that it works without JavaScript too. */
function WayLink({
  way,
  ...props
}: { way: Way; 'data-way'?: Way; 'data-state'?: string } & ComponentProps<'a'>) {
  return <Link from="/login" to="/login" search={(old) => ({ ...old, by: way })} replace {...props} />;
}
