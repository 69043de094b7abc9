import { useTranslation } from '@/lib/use-translation.ts';
import { boundOf, type User } from './user.ts';

/** The mailbox and the third-party accounts by which he signs in. */
export function BoundAccounts({ user }: { user: User }) {
  const { t } = useTranslation();
  const bound = boundOf(user);
  return (
    <section aria-label={t('user.boundTitle')} className="border-t border-line pt-4">
      <h2 className="mb-2 text-base font-semibold">{t('user.boundTitle')}</h2>
      {bound.length === 0 ? (
        <p className="text-sm text-muted">{t('user.boundNone')}</p>
      ) : (
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
          {bound.map(({ name, value }) => (
            <div key={name} className="contents">
              <dt className="text-muted">{t(name)}</dt>
              <dd className="font-mono text-xs leading-5 break-all">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
