/** The phone's menu of a guest: the ways in, the prices, language and theme. */
import { Link, useSearch } from '@tanstack/react-router';
import { LogIn, Menu, UserPlus, X } from 'lucide-react';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DialogClose, DialogTitle, DrawerContent } from '@/components/ui/dialog.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { offersRegistration } from '@/lib/registration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { menuLine, PublicLines } from './menu-line.tsx';
import { LanguageSwitch, ThemeSwitch } from './preference-switches.tsx';
import { useMenuSheet } from './use-menu-sheet.ts';

export function GuestMenu({ defaultOpen }: { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const { status } = useBoot();
  const { next } = useSearch({ strict: false });
  const { open, setOpen, show, onClick } = useMenuSheet(defaultOpen);
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
        <div className="flex h-14 items-center border-b border-line pr-2 pl-4">
          <DialogTitle className="min-w-0 flex-1 truncate">{status.system_name}</DialogTitle>
          <DialogClose
            className={buttonVariants({ variant: 'ghost', size: 'icon' })}
            aria-label={t('shell.closeMenu')}
          >
            <X aria-hidden="true" />
          </DialogClose>
        </div>
        <nav aria-label={t('shell.mainMenu')} className="py-2">
          <Link to="/login" search={{ next }} className={menuLine}>
            <LogIn aria-hidden="true" />
            {t('login.title')}
          </Link>
          {offersRegistration(status) && (
            <Link to="/register" search={{ next }} className={menuLine}>
              <UserPlus aria-hidden="true" />
              {t('register.title')}
            </Link>
          )}
          <PublicLines />
        </nav>
        <div className="flex gap-2 border-t border-line p-4">
          <LanguageSwitch className={buttonClass} />
          <ThemeSwitch labelled className={buttonClass} />
        </div>
      </DrawerContent>
    </Dialog>
  );
}
