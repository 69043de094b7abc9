/** The frame of the signed-in console: top bar, side menu, content, footer. On the phone the menu is a sheet. */
import { type ReactNode, useState } from 'react';
import { ConfirmProvider } from '@/components/confirm.tsx';
import { ReAuthentication } from '@/components/re-authentication.tsx';
import { Toasts } from '@/components/toasts.tsx';
import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';
import { keep } from '@/lib/storage.ts';
import { DefaultPassword } from './default-password.tsx';
import { RouteAnnouncer } from './route-announcer.tsx';
import { SideMenu } from './side-menu.tsx';
import { SiteFooter } from './site-footer.tsx';
import { SkipLink } from './skip-link.tsx';
import { TopBar } from './top-bar.tsx';

export function ConsoleShell({ children }: { children: ReactNode }) {
  const { preferences } = useBoot();
  const [collapsed, setCollapsed] = useState(preferences.sideCollapsed);
  const toggle = () => {
    keep.sideCollapsed(!collapsed);
    setCollapsed(!collapsed);
  };
  return (
    <ConfirmProvider>
      <SkipLink />
      <TopBar />
      <div
        data-shell-grid
        className={cn(
          'grid min-h-[calc(100vh-56px)] max-md:has-[[data-primary],[data-bulk]]:pb-(--foot) md:grid-cols-[var(--side)_minmax(0,1fr)] max-md:grid-cols-[minmax(0,1fr)] max-md:[--side:0px]',
          collapsed ? 'md:[--side:60px]' : 'md:[--side:200px]',
        )}
      >
        <SideMenu collapsed={collapsed} onToggle={toggle} />
        <div className="-ml-px flex min-w-0 flex-col border-l border-line max-md:ml-0 max-md:border-0">
          <DefaultPassword />
          <main
            id="main"
            tabIndex={-1}
            className="min-w-0 flex-1 px-6 pt-5 pb-8 max-md:px-4 max-md:pt-4 max-md:pb-6"
          >
            {children}
          </main>
          <SiteFooter />
          {/* In here, because they stand beside the menu. */}
          <Toasts />
        </div>
      </div>
      <RouteAnnouncer />
      <ReAuthentication />
    </ConfirmProvider>
  );
}
