/** The frame of pages for those who are not signed in: top bar, content, footer. Before the set-up there is nowhere to go. */
import { Link, useLocation, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmProvider } from '@/components/confirm.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { cn } from '@/lib/cn.ts';
import { onUse } from '@/lib/on-use.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { offersRegistration } from '@/lib/registration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Brand } from './brand.tsx';
import { MenuButton } from './menu-button.tsx';
import { OutsideLink } from './outside-link.tsx';
import { LanguageSwitch, ThemeSwitch } from './preference-switches.tsx';
import { SiteBadge } from './site-badge.tsx';
import { SiteFooter } from './site-footer.tsx';
import { SkipLink } from './skip-link.tsx';

const Menu = onUse(() => import('./guest-menu.tsx').then(({ GuestMenu }) => GuestMenu), MenuButton);

export function GuestShell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { status } = useBoot();
  return (
    <ConfirmProvider>
      <div className="flex min-h-screen flex-col max-md:has-data-primary:pb-(--foot)">
        <SkipLink />
        <header
          data-shell="header"
          className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line bg-surface pr-6 pl-[18px] max-md:gap-1 max-md:px-2"
        >
          {status.setup && (
            <div className="md:hidden">
              <Menu />
            </div>
          )}
          <Brand className="min-w-0" />
          <SiteBadge />
          <div className="ml-auto flex shrink-0 items-center gap-1 max-md:gap-0">
            {status.setup && (
              <>
                {status.home_link && (
                  <OutsideLink
                    href={status.home_link}
                    className={buttonVariants({ variant: 'ghost', className: 'max-md:hidden' })}
                  >
                    {t('app.home')}
                  </OutsideLink>
                )}
                <Link
                  to="/model-hub"
                  className={cn(buttonVariants({ variant: 'ghost' }), 'whitespace-nowrap max-md:hidden')}
                >
                  {t('nav.modelHub')}
                </Link>
                <SignInLink />
                <RegisterLink />
              </>
            )}
            <LanguageSwitch className="max-md:px-2" />
            <ThemeSwitch />
          </div>
        </header>
        <main id="main" tabIndex={-1} className="flex-1 px-6 pt-5 pb-8 max-md:px-4 max-md:pt-4">
          {children}
        </main>
        <SiteFooter />
      </div>
    </ConfirmProvider>
  );
}

/** Leads back to where it was pressed, unless that is a form of the same kind. */
function SignInLink() {
  const { t } = useTranslation();
  const { next } = useSearch({ strict: false });
  const { pathname, href } = useLocation();
  return (
    <Link
      to="/login"
      search={{ next: next ?? (RETURNED.test(pathname) ? href : undefined) }}
      aria-current={pathname === '/login' ? 'page' : undefined}
      className={cn(buttonVariants({ variant: 'ghost' }), 'whitespace-nowrap max-md:px-2')}
    >
      {t('login.title')}
    </Link>
  );
}

/** Public pages that one wants to see again when signed in. */
const RETURNED = /^\/(model-hub|terms\/)/;

/** Not on phones: the menu has it there. */
function RegisterLink() {
  const { t } = useTranslation();
  const { status } = useBoot();
  const { next } = useSearch({ strict: false });
  if (!offersRegistration(status)) return null;
  return (
    <Link
      to="/register"
      search={{ next }}
      className={cn(buttonVariants({ size: 'sm' }), 'mr-1 max-md:hidden')}
    >
      {t('register.title')}
    </Link>
  );
}

/** The column of a form that stands alone on a page. */
export function GuestColumn({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div data-form className="group/form mx-auto max-w-[500px] pt-12 pb-16 max-md:pt-6 max-md:pb-10">
      <h1 tabIndex={-1} className="mb-5 text-xl font-semibold">
        {title}
      </h1>
      {children}
    </div>
  );
}
