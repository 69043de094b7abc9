import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { FilterBar, SearchFilter } from '@/components/filter-bar.tsx';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { PageHeader } from '@/components/page-header.tsx';
import { Select } from '@/components/ui/select.tsx';
import { PersonalAnchors } from '@/features/personal/anchors.tsx';
import type { HubModel } from '@/features/prices/draft.ts';
import { PriceGrid } from '@/features/prices/price-grid.tsx';
import { PricingSection } from '@/features/prices/pricing-section.tsx';
import type { PriceViewName } from '@/features/prices/views.ts';
import type { OptionField } from '@/features/setting/field.ts';
import { blocksOf, isJson } from '@/features/setting/field.ts';
import { FoundOptions } from '@/features/setting/found-options.tsx';
import { GroupsBody } from '@/features/setting/groups-grid.tsx';
import { MailTest } from '@/features/setting/mail-test.tsx';
import { OidcTest } from '@/features/setting/oidc-test.tsx';
import { OptionBlock } from '@/features/setting/option-block.tsx';
import { type SettingTab, settingTabs } from '@/features/setting/tabs.ts';
import { useSettings } from '@/features/setting/use-settings.ts';
import { cn } from '@/lib/cn.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/setting');

// Most visits are for the other panels, which are heavy enough.
const PersonalView = lazy(() =>
  import('@/features/personal/view.tsx').then((module) => ({ default: module.PersonalView })),
);
const PersonalSections = lazy(() =>
  import('@/features/personal/sections.tsx').then((module) => ({ default: module.PersonalSections })),
);

export function SettingPage() {
  const { t } = useTranslation();
  const { tab, sub, q, isOperator, personal, fields, models } = route.useLoaderData();
  if (!isOperator && personal) {
    return (
      <Suspense>
        <PersonalView personal={personal} />
      </Suspense>
    );
  }
  return (
    <>
      <PageHeader title={t('setting.title')} help={t(personal ? 'personal.help' : 'setting.help')} />
      {!personal && (
        <FilterBar
          count={0}
          search={<SearchFilter name="q" value={q || undefined} label={t('setting.search')} />}
        />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 md:grid-cols-[150px_minmax(0,880px)]">
        <PanelMenu tab={q === '' ? tab : null} />
        {personal ? (
          <Suspense>
            <PersonalSections personal={personal} />
          </Suspense>
        ) : q !== '' ? (
          <FoundOptions fields={fields} text={q} />
        ) : tab === 'visual' ? (
          models && <PriceGrid models={models} groups={groupsIn(fields)} />
        ) : (
          <PanelFields key={tab} fields={fields} sub={sub} models={models} />
        )}
      </div>
    </>
  );
}

/** `tab` is null while a search shows the options of all panels. */
function PanelMenu({ tab }: { tab: SettingTab | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <nav aria-label={t('setting.panels')}>
      <Select
        className="md:hidden"
        aria-label={t('setting.panels')}
        value={tab ?? ''}
        onChange={(event) => void navigate({ href: `/setting?tab=${event.target.value}` })}
      >
        {tab === null && <option value="">{t('setting.allPanels')}</option>}
        {settingTabs.map((panel) => (
          <option key={panel} value={panel}>
            {t(`setting.panel.${panel}`)}
          </option>
        ))}
      </Select>
      <ul className="sticky top-20 border-l border-line max-md:hidden">
        {settingTabs.map((panel) => (
          <li key={panel}>
            <Link
              to="/setting"
              search={{ tab: panel }}
              aria-current={panel === tab ? 'page' : undefined}
              className={cn(
                '-ml-px flex min-h-8 items-center border-l-2 px-3 py-1 text-sm no-underline',
                panel === tab
                  ? 'border-accent font-semibold text-text'
                  : 'border-transparent text-muted hover:text-text',
              )}
            >
              {t(`setting.panel.${panel}`)}
            </Link>
            {panel === 'personal' && tab === 'personal' && (
              <div className="pl-3">
                <PersonalAnchors />
              </div>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The ratio of every group, as the option has it. */
function groupsIn(fields: readonly OptionField[]): Record<string, number> {
  const text = fields.find(({ key }) => key === 'GroupRatio')?.value;
  return text === undefined || !isJson(text) ? {} : JSON.parse(text);
}

/** The block that has views of its own. */
const PRICING = 'pricing';

interface PanelFieldsProps {
  fields: OptionField[];
  sub: PriceViewName;
  models: HubModel[] | null;
}

function PanelFields({ fields, sub, models }: PanelFieldsProps) {
  const { t } = useTranslation();
  const settings = useSettings(fields);
  useLeaveGuard(settings.dirty);
  const blocks = blocksOf(fields);
  const prices = blocks.find(([block]) => block === PRICING)?.[1];
  return (
    <div className="grid min-w-0 content-start gap-4">
      {blocks
        .filter(([block]) => block !== PRICING)
        .map(([block, own]) => (
          <OptionBlock
            key={block}
            title={t(`setting.block.${block}` as TextKey)}
            fields={own}
            settings={settings}
            actions={
              (block === 'mail' && <MailTest />) ||
              (block === 'oidc' && <OidcTest fields={own} settings={settings} />)
            }
            body={block === 'groups' && <GroupsBody fields={own} settings={settings} />}
          />
        ))}
      {prices && (
        <PricingSection
          view={sub}
          fields={prices}
          settings={settings}
          models={models}
          groups={groupsIn(fields)}
        />
      )}
    </div>
  );
}
