/** The phone's menu: who is signed in with his balance, the pages, language and theme. */
import { DialogTitle } from '@/components/ui/dialog.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { roleText } from '@/lib/role-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Balance } from './balance.tsx';
import { CloseMenu, MenuFrame } from './menu-frame.tsx';
import { PublicLines } from './menu-line.tsx';
import { NavSections } from './side-menu.tsx';
import { Avatar } from './user-badge.tsx';

export function MenuSheet({ defaultOpen }: { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  if (!user) return null;
  const head = (
    <>
      <DialogTitle className="sr-only">{t('shell.mainMenu')}</DialogTitle>
      <div className="border-b border-line py-3 pr-2 pl-4">
        <div className="flex items-center gap-2">
          <Avatar name={user.username} className="size-8 text-base" />
          <div className="min-w-0 flex-1">
            <p className="truncate font-semibold">{user.username}</p>
            <p className="text-xs text-muted">{roleText(user.role, t)}</p>
          </div>
          <CloseMenu />
        </div>
        <Balance className="mt-3" />
      </div>
    </>
  );
  return (
    <MenuFrame defaultOpen={defaultOpen} head={head}>
      <nav aria-label={t('shell.mainMenu')} className="pt-2 pb-3">
        <NavSections
          headClass="h-9 px-4"
          linkClass="h-11 gap-3 px-4 text-[15px]"
          currentClass="bg-accent-soft"
        />
        <div className="mt-2 border-t border-line">
          <PublicLines />
        </div>
      </nav>
    </MenuFrame>
  );
}
