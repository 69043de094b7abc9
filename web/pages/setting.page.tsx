import { getRouteApi } from '@tanstack/react-router';
import { FilterBar, SearchFilter } from '@/components/filter-bar.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { PriceGrid } from '@/features/prices/price-grid.tsx';
import { FoundOptions } from '@/features/setting/found-options.tsx';
import { groupsIn, PanelFields } from '@/features/setting/panel-fields.tsx';
import { PanelMenu } from '@/features/setting/panel-menu.tsx';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/setting');

// Most visits are for the other panels, which are heavy enough.
const PersonalView = late(() => import('@/features/personal/view.tsx').then((module) => module.PersonalView));
const PersonalSections = late(() =>
  import('@/features/personal/sections.tsx').then((module) => module.PersonalSections),
);

export function SettingPage() {
  const { t } = useTranslation();
  const { tab, sub, q, isOperator, personal, fields, models, only } = route.useLoaderData();
  if (!isOperator && personal) return <PersonalView personal={personal} />;
  return (
    <>
      <PageHeader title={t('setting.title')} help={t(personal ? 'personal.help' : 'setting.help')} />
      {!personal && <FilterBar count={0} search={<SearchFilter name="q" label={t('setting.search')} />} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 md:grid-cols-[150px_minmax(0,880px)]">
        <PanelMenu tab={q === '' ? tab : null} />
        {personal ? (
          <PersonalSections personal={personal} />
        ) : q !== '' ? (
          <FoundOptions fields={fields} text={q} />
        ) : tab === 'visual' ? (
          models && <PriceGrid models={models} groups={groupsIn(fields)} />
        ) : (
          <PanelFields key={tab} fields={fields} sub={sub} models={models} only={only} />
        )}
      </div>
    </>
  );
}
