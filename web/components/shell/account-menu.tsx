import { Link } from '@tanstack/react-router';
import { ChevronDown, LogOut, UserRound } from 'lucide-react';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu.tsx';
import { useApi } from '@/lib/page-context.ts';
import { signOut } from '@/lib/sign-out.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Balance } from './balance.tsx';
import { accountClass, UserBadge } from './user-badge.tsx';

export function AccountMenu({ defaultOpen }: { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const logout = useAction(() => signOut(api));
  return (
    <DropdownMenu defaultOpen={defaultOpen}>
      <DropdownMenuTrigger className={accountClass}>
        <UserBadge />
        <ChevronDown className="max-md:hidden" aria-hidden="true" />
      </DropdownMenuTrigger>
      <DropdownMenuContent className="w-52">
        <Balance className="px-2.5 py-1.5" />
        <DropdownMenuSeparator />
        <DropdownMenuItem asChild>
          <Link to="/personal" className="text-text no-underline">
            <UserRound aria-hidden="true" />
            {t('nav.personal')}
          </Link>
        </DropdownMenuItem>
        <DropdownMenuItem
          onSelect={(event) => {
            event.preventDefault();
            void logout.run();
          }}
        >
          <LogOut aria-hidden="true" />
          {t('shell.logout')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
