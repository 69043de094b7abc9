/** The phone's menu: who is signed in with his balance, the pages, language and theme. */
import { Menu, X } from 'lucide-react';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DialogClose, DialogTitle, DrawerContent } from '@/components/ui/dialog.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { roleText } from '@/lib/role-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Balance } from './balance.tsx';
import { PublicLines } from './menu-line.tsx';
import { LanguageSwitch, ThemeSwitch } from './preference-switches.tsx';
import { NavSections } from './side-menu.tsx';
import { useMenuSheet } from './use-menu-sheet.ts';
import { Avatar } from './user-badge.tsx';

export function MenuSheet({ defaultOpen }: { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const { open, setOpen, show, onClick } = useMenuSheet(defaultOpen);

  if (!user) return null;
  const buttonClass = buttonVariants({ className: 'flex-1 max-md:px-3 text-text' });
  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <Button
        variant="ghost"
        size="icon"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={t('shell.openMenu')}
        onClick={show}
      >
        <Menu aria-hidden="true" />
      </Button>
      <DrawerContent
        side="left"
        aria-describedby={undefined}
        className="z-40 overflow-y-auto pb-6"
        onClick={onClick}
      >
        <DialogTitle className="sr-only">{t('shell.mainMenu')}</DialogTitle>
        <div className="border-b border-line py-3 pr-2 pl-4">
          <div className="flex items-center gap-2">
            <Avatar name={user.username} className="size-8 text-base" />
            <div className="min-w-0 flex-1">
              <p className="truncate font-semibold">{user.username}</p>
              <p className="text-xs text-muted">{roleText(user.role, t)}</p>
            </div>
            <DialogClose
              className={buttonVariants({ variant: 'ghost', size: 'icon' })}
              aria-label={t('shell.closeMenu')}
            >
              <X aria-hidden="true" />
            </DialogClose>
          </div>
          <Balance className="mt-3" />
        </div>
        <nav aria-label={t('shell.mainMenu')} className="pt-2">
          <NavSections
            headClass="h-9 px-4"
            linkClass="h-11 gap-3 px-4 text-[15px]"
            currentClass="bg-accent-soft"
          />
          <div className="mt-2 border-t border-line">
            <PublicLines />
          </div>
        </nav>
        <div className="mt-3 flex gap-2 border-t border-line p-4">
          <LanguageSwitch className={buttonClass} />
          <ThemeSwitch labelled className={buttonClass} />
        </div>
      </DrawerContent>
    </Dialog>
  );
}
