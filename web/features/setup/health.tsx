/** What the server stands on: a wrong deployment is best seen now. */
import { getRouteApi } from '@tanstack/react-router';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/setup');

export function Health() {
  const { t } = useTranslation();
  const { origin } = useBoot();
  const { database_type } = route.useLoaderData();
  return (
    <section className="mt-10 border-t border-line pt-4">
      <h2 className="mb-1 text-xs font-medium text-muted">{t('setup.health')}</h2>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-3.5 gap-y-1 text-sm">
        <dt className="text-muted">{t('setup.database')}</dt>
        <dd>{t(`setup.database.${database_type}`)}</dd>
        <dt className="text-muted">{t('setup.address')}</dt>
        <dd className="font-mono text-xs leading-5 break-all">{origin}</dd>
      </dl>
    </section>
  );
}
