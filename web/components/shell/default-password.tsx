/** While root has the password that everybody knows: a word on every page, and once after he has come in a dialog before all else. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Notice } from '@/components/ui/notice.tsx';
import { late } from '@/lib/late.tsx';
import { hasDefaultPassword } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const DefaultPasswordDialog = late(() =>
  import('./default-password-dialog.tsx').then((module) => module.DefaultPasswordDialog),
);

const root = getRouteApi('__root__');

export function DefaultPassword() {
  const { t } = useTranslation();
  const self = root.useLoaderData();
  const isDefault = self?.default_password ?? false;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (hasDefaultPassword()) setOpen(true);
  }, []);
  if (!isDefault) return null;
  return (
    <>
      <Notice
        tone="bad"
        role="status"
        data-print="no"
        className="mx-6 mt-4 max-md:mx-4"
        end={
          <Link to="/personal" hash="account" className="link hit">
            {t('shell.changePassword')}
          </Link>
        }
      >
        {t('login.defaultPassword')}
      </Notice>
      {isOpen && <DefaultPasswordDialog onClose={() => setOpen(false)} />}
    </>
  );
}
