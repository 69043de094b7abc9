import { can } from '@core/roles.ts';
import { Pencil } from 'lucide-react';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function HubAction() {
  const { t } = useTranslation();
  const { user } = useBoot();
  if (!user) {
    return (
      <a href="/login?next=%2Fmodel-hub" className={buttonVariants()}>
        {t('hub.signIn')}
      </a>
    );
  }
  if (!can(user.role, 'canManageOptions')) return null;
  return (
    <a href="/setting?tab=visual" className={buttonVariants()}>
      <Pencil aria-hidden="true" />
      {t('hub.editPrices')}
    </a>
  );
}
