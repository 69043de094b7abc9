/** Leads from the wallet to where its balance came from and went. */
import { Link } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

export function StatementLink() {
  const { t } = useTranslation();
  return (
    <Link to="/topup/statement" className={buttonVariants()}>
      <ScrollText aria-hidden="true" />
      {t('statement.title')}
    </Link>
  );
}
