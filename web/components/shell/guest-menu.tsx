/** The phone's menu of a guest: the ways in, the prices, language and theme. */
import { Link, useSearch } from '@tanstack/react-router';
import { LogIn, UserPlus } from 'lucide-react';
import { DialogTitle } from '@/components/ui/dialog.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { offersRegistration } from '@/lib/registration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CloseMenu, MenuFrame } from './menu-frame.tsx';
import { menuLine, PublicLines } from './menu-line.tsx';

export function GuestMenu({ defaultOpen }: { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const { status } = useBoot();
  const { next } = useSearch({ strict: false });
  const head = (
    <div className="flex h-14 items-center border-b border-line pr-2 pl-4">
      <DialogTitle className="min-w-0 flex-1 truncate">{status.system_name}</DialogTitle>
      <CloseMenu />
    </div>
  );
  return (
    <MenuFrame defaultOpen={defaultOpen} head={head}>
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
    </MenuFrame>
  );
}
