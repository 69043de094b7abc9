/** In the place of the list: none at all is another matter than none that matches. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { EmptyState } from '@/components/empty-state.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useMay } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token');

export function CreateLink() {
  const { t } = useTranslation();
  if (!useMay('keepTokens')) return null;
  return (
    <Link to="/token/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('token.create')}
    </Link>
  );
}

const FILTERS = ['q', 'status', 'group'] as const;

export function NoTokens() {
  const { t } = useTranslation();
  const search = route.useSearch();
  if (FILTERS.some((name) => search[name])) {
    return (
      <NoMatch title={t('token.noMatchTitle')} filters={FILTERS}>
        {t('token.noMatchBody')}
      </NoMatch>
    );
  }
  return (
    <EmptyState title={t('token.emptyTitle')} action={<CreateLink />}>
      {t('token.emptyBody')}
    </EmptyState>
  );
}
