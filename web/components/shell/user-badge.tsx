import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { topButtonClass } from './preference-switches.tsx';

/** The button that the badge stands in. */
export const accountClass = cn(topButtonClass, 'text-text');

export function Avatar({ name, className }: { name: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        'grid size-[22px] shrink-0 place-items-center rounded-full bg-accent-soft text-[11px] font-semibold text-accent-text',
        className,
      )}
    >
      {[...name][0]?.toUpperCase()}
    </span>
  );
}

/** Who is signed in, as the top bar shows it. */
export function UserBadge() {
  const { t } = useTranslation();
  const { user } = useBoot();
  if (!user) return null;
  return (
    <>
      <span className="sr-only">{t('shell.accountMenu')}</span>
      <Avatar name={user.username} />
      <span className="max-w-32 truncate max-md:sr-only">{user.username}</span>
    </>
  );
}
