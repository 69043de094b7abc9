/** The services that a user has keys of his own for, a card each. */
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '@/components/empty-state.tsx';
import { OwnSiteNotice } from '@/components/own-site-notice.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { CustomModelCard } from '@/features/custom-model/card.tsx';
import { CustomModelDrawer } from '@/features/custom-model/drawer.tsx';
import { AddLink } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer } from '@/features/desk/entry-drawer.tsx';
import { useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/custom-models');

export function CustomModelsPage() {
  const { t } = useTranslation();
  const { configs, suppliers } = route.useLoaderData();
  const acts = useMay('act');
  const add = acts && suppliers.length > 0 && <AddLink>{t('customModel.add')}</AddLink>;
  return (
    <>
      <PageHeader title={t('nav.customModels')} help={t('customModel.help')} primary={add || undefined} />
      <OwnSiteNotice />
      {configs.length === 0 ? (
        <div className="rounded-md border border-line bg-surface">
          <EmptyState title={t('customModel.emptyTitle')} action={add || undefined}>
            {t(suppliers.length > 0 ? 'customModel.emptyBody' : 'customModel.noSuppliers')}
          </EmptyState>
        </div>
      ) : (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
          {configs.map((config) => (
            <li key={config.id} className="min-w-0">
              <CustomModelCard config={config} />
            </li>
          ))}
        </ul>
      )}
      {acts && (
        <EntryDrawer
          entries={configs}
          head={(config) => ({
            title: t(config ? 'customModel.editTitle' : 'customModel.add'),
            sub: config?.supplier.name,
          })}
        >
          {(config) => (
            <CustomModelDrawer key={config?.id} config={config} suppliers={suppliers} configs={configs} />
          )}
        </EntryDrawer>
      )}
    </>
  );
}
