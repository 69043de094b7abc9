/** Below the operation panel: the tables of prices as JSON, the visual editor, and what has no price. */
import { useRouter } from '@tanstack/react-router';
import { useConfirm } from '@/components/confirm.tsx';
import { Button } from '@/components/ui/button.tsx';
import type { OptionField } from '@/features/setting/field.ts';
import { OptionBlock } from '@/features/setting/option-block.tsx';
import type { Settings } from '@/features/setting/use-settings.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type HubModel, isUnpriced } from './draft.ts';
import { PriceGrid } from './price-grid.tsx';
import { PriceTabs } from './price-tabs.tsx';
import { UnpricedModels } from './unpriced.tsx';
import type { OneChannel, PriceViewName } from './views.ts';

interface PricingSectionProps {
  /** Where a link to it leads. */
  anchor: string;
  view: PriceViewName;
  /** The fields of the tables. */
  fields: readonly OptionField[];
  settings: Settings;
  /** Null where the view asks for no models. */
  models: readonly HubModel[] | null;
  /** Null for all channels. */
  only: OneChannel | null;
  groups: Readonly<Record<string, number>>;
}

export function PricingSection({
  anchor,
  view,
  fields,
  settings,
  models,
  only,
  groups,
}: PricingSectionProps) {
  const { t } = useTranslation();
  const unpriced = models?.filter((model) => isUnpriced(model) && model.enabled).length ?? null;
  return (
    <div id={anchor} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <PriceTabs view={view} unpriced={unpriced} />
      {view === 'json' && (
        <OptionBlock
          title={t('setting.block.pricing')}
          fields={fields}
          settings={settings}
          actions={<ResetRatios />}
        />
      )}
      {view === 'visual' && models && <PriceGrid models={models} groups={groups} />}
      {view === 'unpriced' && models && <UnpricedModels key={only?.name} models={models} only={only} />}
    </div>
  );
}

function ResetRatios() {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const reset = async () => {
    const done = await confirm({
      title: t('prices.resetTitle'),
      body: t('prices.resetBody'),
      action: t('prices.reset'),
      danger: true,
      typed: t('prices.resetWord'),
      work: async () => {
        await api.send('POST', '/api/option/rest_model_ratio');
        await router.invalidate({ sync: true });
      },
    });
    if (done) notify({ tone: 'ok', text: t('prices.wasReset') });
  };
  return (
    <Button variant="danger" onClick={() => void reset()}>
      {t('prices.reset')}
    </Button>
  );
}
