import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { ChevronDown, ChevronsLeft, ChevronsRight, MonitorDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { cn } from '@/lib/cn.ts';
import { type NavItem, type NavSection, navFor } from '@/lib/nav.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { OutsideMark } from './outside-link.tsx';

const sectionLabels = {
  console: 'shell.console',
  admin: 'shell.admin',
  personal: 'shell.personal',
} as const;

export function SideMenu({ collapsed, onToggle }: { collapsed: boolean; onToggle: () => void }) {
  const { t } = useTranslation();
  const Fold = collapsed ? ChevronsRight : ChevronsLeft;
  const foldText = t(collapsed ? 'shell.expand' : 'shell.collapse');
  return (
    <nav
      data-shell="nav"
      aria-label={t('shell.mainMenu')}
      className="sticky top-14 flex h-[calc(100vh-56px)] flex-col self-start overflow-y-auto py-3 max-md:hidden"
    >
      <NavSections
        collapsed={collapsed}
        headClass="h-[26px] pr-3.5 pl-[18px]"
        linkClass="h-8 gap-2.5 pr-3 pl-[18px] text-sm"
        currentClass="bg-surface"
      />
      <button
        type="button"
        aria-label={collapsed ? foldText : undefined}
        title={collapsed ? foldText : undefined}
        className="mt-auto flex h-8 shrink-0 items-center gap-2.5 px-[18px] text-sm text-muted hover:bg-hover hover:text-text"
        onClick={onToggle}
      >
        <Fold aria-hidden="true" />
        {!collapsed && foldText}
      </button>
    </nav>
  );
}

interface NavSectionsProps {
  /** Icons only; the words become tooltips. */
  collapsed?: boolean;
  headClass: string;
  linkClass: string;
  currentClass: string;
}

/** The pages of the viewer's role, section by section; the same in the side menu and in the phone's sheet. */
export function NavSections({ collapsed = false, ...classes }: NavSectionsProps) {
  const { user } = useBoot();
  const router = useRouter();
  if (!user) return null;
  return navFor(router).map(([section, items]) => (
    <Section key={section} section={section} collapsed={collapsed} headClass={classes.headClass}>
      {items.map((item) => (
        <li key={item.path}>
          <NavLink item={item} collapsed={collapsed} {...classes} />
        </li>
      ))}
      {section === 'personal' && <DownloadLink collapsed={collapsed} linkClass={classes.linkClass} />}
    </Section>
  ));
}

interface SectionProps {
  section: NavSection;
  collapsed: boolean;
  headClass: string;
  children: ReactNode;
}

function Section({ section, collapsed, headClass, children }: SectionProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(true);
  const id = useId();
  const label = t(sectionLabels[section]);
  if (collapsed) {
    return (
      <ul aria-label={label} className="not-first:mt-3.5">
        {children}
      </ul>
    );
  }
  return (
    <div className="not-first:mt-3.5">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        className={cn('flex w-full items-center justify-between text-xs text-faint', headClass)}
        onClick={() => setOpen(!open)}
      >
        {label}
        <ChevronDown className={cn('size-3', !open && '-rotate-90')} aria-hidden="true" />
      </button>
      <ul id={id} hidden={!open}>
        {children}
      </ul>
    </div>
  );
}

function NavLink({ item, collapsed, linkClass, currentClass }: { item: NavItem } & NavSectionsProps) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const current = pathname === item.path || pathname.startsWith(`${item.path}/`);
  const Icon = item.icon;
  const label = t(item.label);
  return (
    <Link
      to={item.path}
      aria-current={current ? 'page' : undefined}
      aria-label={collapsed ? label : undefined}
      title={collapsed ? label : undefined}
      className={cn(
        entryClass,
        linkClass,
        '-ml-0 pl-4',
        current ? cn('border-accent font-semibold text-text', currentClass) : restingClass,
      )}
    >
      <Icon className={current ? 'text-accent' : undefined} aria-hidden="true" />
      {!collapsed && label}
    </Link>
  );
}

/** To where the operator offers the client; the last of the personal section. */
function DownloadLink({ collapsed, linkClass }: Pick<NavSectionsProps, 'collapsed' | 'linkClass'>) {
  const { t } = useTranslation();
  const { status } = useBoot();
  if (!status.download_link) return null;
  const label = t('shell.download');
  return (
    <li>
      <a
        href={status.download_link}
        target="_blank"
        rel="noreferrer"
        aria-label={collapsed ? label : undefined}
        title={collapsed ? label : undefined}
        className={cn(entryClass, linkClass, 'pl-4', restingClass)}
      >
        <MonitorDown aria-hidden="true" />
        {!collapsed && (
          <>
            {label}
            <OutsideMark />
          </>
        )}
      </a>
    </li>
  );
}

const entryClass = 'relative flex items-center border-l-2 border-transparent whitespace-nowrap no-underline';
const restingClass = 'text-muted hover:bg-hover hover:text-text';
