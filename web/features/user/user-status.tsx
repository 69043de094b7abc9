import { Status } from '@/components/status.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { isBanned, isCancelled, isErased, type User } from './user.ts';

export function UserStatus({ user }: { user: User }) {
  const { t } = useTranslation();
  if (isErased(user)) return <Status tone="gone">{t('user.erased')}</Status>;
  if (isCancelled(user)) return <Status tone="bad">{t('user.cancelled')}</Status>;
  if (isBanned(user)) return <Status tone="off">{t('user.banned')}</Status>;
  return user.status === 1 ? (
    <Status tone="on">{t('user.active')}</Status>
  ) : (
    <Status tone="gone">{t('app.unknown')}</Status>
  );
}
