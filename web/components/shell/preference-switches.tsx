/** Language and theme. Both are plain forms, so that they work before, and without, JavaScript. */
import { useLocation } from '@tanstack/react-router';
import { Languages, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { APPROVE_PAGE } from '@/lib/approve-code.ts';
import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTheme } from '@/lib/theme.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export const topButtonClass =
  'inline-flex h-8 items-center justify-center gap-1.5 rounded-sm px-2.5 text-sm text-muted no-underline hover:bg-hover hover:text-text max-md:h-11 max-md:min-w-11 max-md:px-0';

interface SwitchProps {
  className?: string;
  /** Shows words beside the icon of the theme. */
  labelled?: boolean;
}

/** Sets one preference by a form post, then shows the same page again. */
function PreferenceForm({ children, className }: { children: ReactNode; className?: string }) {
  const { pathname, href } = useLocation();
  return (
    <form method="post" action="/preferences" className={className}>
      {/* The code that stands in this one's address is remembered, and is written into no document. */}
      <input type="hidden" name="next" value={pathname === APPROVE_PAGE ? pathname : href} />
      {children}
    </form>
  );
}

export function LanguageSwitch({ className }: SwitchProps) {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const other = locale === 'zh' ? 'en' : 'zh';
  return (
    <PreferenceForm className="contents">
      <button
        type="submit"
        name="lang"
        value={other}
        lang={other === 'zh' ? 'zh-CN' : 'en'}
        title={t('shell.switchLanguage')}
        className={cn(topButtonClass, className)}
      >
        <Languages aria-hidden="true" />
        {t('shell.otherLanguage')}
      </button>
    </PreferenceForm>
  );
}

export function ThemeSwitch({ className, labelled }: SwitchProps) {
  const { t } = useTranslation();
  const [theme, setTheme] = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  const Icon = other === 'dark' ? Moon : Sun;
  return (
    <PreferenceForm className="contents">
      <button
        type="submit"
        name="theme"
        value={other}
        aria-label={labelled ? undefined : t(other === 'dark' ? 'shell.toDark' : 'shell.toLight')}
        title={labelled ? undefined : t(other === 'dark' ? 'shell.toDark' : 'shell.toLight')}
        className={cn(topButtonClass, className)}
        onClick={(event) => {
          event.preventDefault();
          setTheme(other);
        }}
      >
        <Icon aria-hidden="true" />
        {labelled && t(other === 'dark' ? 'shell.dark' : 'shell.light')}
      </button>
    </PreferenceForm>
  );
}
