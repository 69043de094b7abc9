/** In the place of codes where there are none. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { EmptyState } from '@/components/empty-state.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/redemption');

export function CreateLink() {
  const { t } = useTranslation();
  return (
    <Link to="/redemption/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('redemption.create')}
    </Link>
  );
}

/** None at all is another matter than none that matches. */
export function NoCodes() {
  const { t } = useTranslation();
  const { q, status } = route.useSearch();
  if (!q && !status) {
    return (
      <EmptyState title={t('redemption.emptyTitle')} action={<CreateLink />}>
        {t('redemption.emptyBody')}
      </EmptyState>
    );
  }
  return (
    <NoMatch title={t('redemption.noMatchTitle')} filters={['q', 'status']}>
      {t('redemption.noMatchBody')}
    </NoMatch>
  );
}
