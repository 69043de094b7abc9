/** The lines that the phone's menus have in common. */
import { Link } from '@tanstack/react-router';
import { House, Store } from 'lucide-react';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { OutsideLink } from './outside-link.tsx';

/** The look of one that leads somewhere. */
export const menuLine =
  'flex h-11 items-center gap-3 px-4 text-[15px] text-text no-underline aria-[current=page]:bg-accent-soft [&>svg]:text-muted';

/** What everybody may see: the models, and the operator's own site where there is one. */
export function PublicLines() {
  const { t } = useTranslation();
  const { status } = useBoot();
  return (
    <>
      <Link to="/model-hub" className={menuLine}>
        <Store aria-hidden="true" />
        {t('nav.modelHub')}
      </Link>
      {status.home_link && (
        <OutsideLink href={status.home_link} className={menuLine}>
          <House aria-hidden="true" />
          {t('app.home')}
        </OutsideLink>
      )}
    </>
  );
}
