import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { cn } from '@/lib/cn.ts';
import { navFor } from '@/lib/nav.ts';
import { onUse } from '@/lib/on-use.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Brand } from './brand.tsx';
import { CommandSlot } from './command-slot.tsx';
import { JobSlot } from './job-slot.tsx';
import { MenuButton } from './menu-button.tsx';
import { OutsideLink } from './outside-link.tsx';
import { LanguageSwitch, ThemeSwitch } from './preference-switches.tsx';
import { SiteBadge } from './site-badge.tsx';
import { accountClass, UserBadge } from './user-badge.tsx';

const AccountMenu = onUse(
  () => import('./account-menu.tsx').then(({ AccountMenu }) => AccountMenu),
  function AccountButton({ onUse }) {
    return (
      <button
        type="button"
        aria-haspopup="menu"
        aria-expanded={false}
        className={accountClass}
        onClick={onUse}
      >
        <UserBadge />
        <ChevronDown className="max-md:hidden" aria-hidden="true" />
      </button>
    );
  },
);

const MenuSheet = onUse(() => import('./menu-sheet.tsx').then(({ MenuSheet }) => MenuSheet), MenuButton);

const topLinkClass = (isCurrent: boolean) =>
  cn(
    '-mb-px inline-flex items-center border-b-2 px-3 no-underline hover:text-text',
    isCurrent ? 'border-accent font-semibold text-text' : 'border-transparent text-muted',
  );

export function TopBar() {
  const { t } = useTranslation();
  const { user, status } = useBoot();
  const router = useRouter();
  const onHub = useLocation().pathname === '/model-hub';
  const first = user && navFor(router)[0]?.[1][0];
  return (
    <header
      data-shell="header"
      className="sticky top-0 z-20 flex h-14 items-center gap-4 border-b border-line bg-surface pr-6 max-md:gap-1 max-md:px-2"
    >
      <div className="md:hidden">
        <MenuSheet />
      </div>
      <Brand className="w-[200px] shrink-0 pl-[18px] max-md:w-auto max-md:min-w-0 max-md:shrink max-md:pl-0" />
      <nav data-shell="nav" aria-label={t('shell.topNav')} className="-ml-1 flex self-stretch max-md:hidden">
        {status.home_link && (
          <OutsideLink href={status.home_link} className={cn(topLinkClass(false), 'gap-1')}>
            {t('app.home')}
          </OutsideLink>
        )}
        {first && (
          <Link to={first.path} aria-current={onHub ? undefined : 'true'} className={topLinkClass(!onHub)}>
            {t('shell.console')}
          </Link>
        )}
        <Link to="/model-hub" className={topLinkClass(onHub)}>
          {t('nav.modelHub')}
        </Link>
      </nav>
      <SiteBadge />
      <div className="ml-auto flex items-center gap-1">
        <JobSlot />
        <CommandSlot />
        <LanguageSwitch className="max-md:hidden" />
        <ThemeSwitch />
        <AccountMenu />
      </div>
    </header>
  );
}
