/** What the tabs of `/aipy-conf` have in common: the heading, the way from tab to tab, and the way into their drawers. */
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { showWhole } from '@/lib/show-whole.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { deskTabs } from './tabs.ts';
import { NEW } from './use-editing.ts';

interface DeskFrameProps {
  /** Further actions of the tab, left of the primary one. */
  actions?: ReactNode;
  primary?: ReactNode;
  children: ReactNode;
}

export function DeskFrame({ actions, primary, children }: DeskFrameProps) {
  const { t } = useTranslation();
  const tabs = useRef<HTMLElement>(null);
  // On the phone the tabs are wider than the screen: the present one stands in its middle, as far as they go.
  useEffect(() => {
    const bar = tabs.current;
    const tab = bar?.querySelector('[aria-current=page]');
    if (!bar || !tab) return;
    const [outer, inner] = [bar.getBoundingClientRect(), tab.getBoundingClientRect()];
    bar.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, []);
  return (
    <>
      <PageHeader title={t('nav.aipyConf')} help={t('desk.help')} actions={actions} primary={primary} />
      <nav
        ref={tabs}
        aria-label={t('nav.aipyConf')}
        onFocus={showWhole}
        className="mb-4 flex gap-5 overflow-x-auto shadow-[inset_0_-1px_var(--line)] [scrollbar-width:none]"
      >
        {deskTabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            className="flex h-9 shrink-0 items-center border-b-2 border-transparent text-sm whitespace-nowrap text-muted no-underline hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-text max-md:h-11"
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      {children}
    </>
  );
}

/** Opens the drawer of a new entry. */
export function AddLink({ children }: { children: ReactNode }) {
  return (
    <SearchLink change={{ edit: NEW }} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {children}
    </SearchLink>
  );
}
