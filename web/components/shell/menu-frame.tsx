/** The phone's menu: the button that opens it, and the sheet with its head, its pages, language and theme. */
import { Menu, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DialogClose, DrawerContent } from '@/components/ui/dialog.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { LanguageSwitch, ThemeSwitch } from './preference-switches.tsx';
import { useMenuSheet } from './use-menu-sheet.ts';

interface MenuFrameProps {
  defaultOpen: boolean;
  /** Names the sheet and holds the button that closes it. */
  head: ReactNode;
  children: ReactNode;
}

export function MenuFrame({ defaultOpen, head, children }: MenuFrameProps) {
  const { t } = useTranslation();
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
        data-menu
        aria-describedby={undefined}
        className="z-40 overflow-y-auto pb-6"
        onClick={onClick}
      >
        {head}
        {children}
        <div className="flex gap-2 border-t border-line p-4">
          <LanguageSwitch className={buttonClass} />
          <ThemeSwitch labelled className={buttonClass} />
        </div>
      </DrawerContent>
    </Dialog>
  );
}

export function CloseMenu() {
  const { t } = useTranslation();
  return (
    <DialogClose
      className={buttonVariants({ variant: 'ghost', size: 'icon' })}
      aria-label={t('shell.closeMenu')}
    >
      <X aria-hidden="true" />
    </DialogClose>
  );
}
