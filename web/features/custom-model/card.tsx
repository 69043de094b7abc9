/** One service: whose it is, its models, what is left there, and what can be done with it. */
import { Pencil, Trash2 } from 'lucide-react';
import { SearchLink } from '@/components/search-link.tsx';
import { State } from '@/components/status.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { useEntryActions } from '@/features/desk/use-entry-actions.ts';
import { ConfigBalance } from '@/features/supplier/balance.tsx';
import { configLook, dollars, IN_USE } from '@/features/supplier/supplier.ts';
import type { ModelsPopoverProps } from '@/features/token/models-popover.tsx';
import { onUse } from '@/lib/on-use.tsx';
import { useApi, useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type CustomModel, calledName, SHOWN_MODELS } from './custom-model.ts';

export function CustomModelCard({ config }: { config: CustomModel }) {
  const { t } = useTranslation();
  const { id, supplier, key, models, balance } = config;
  const titleId = `service-${id}`;
  const acts = useMay('act');
  const look = configLook(config);
  return (
    <article
      aria-labelledby={titleId}
      className="flex h-full flex-col gap-3 rounded-md border border-line bg-surface p-4"
    >
      <header className="flex items-start gap-2">
        <h2 id={titleId} className="min-w-0 flex-1 truncate text-base font-semibold" title={supplier.name}>
          {supplier.name}
        </h2>
        {acts && <Actions config={config} />}
      </header>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <span className="font-mono">{key}</span>
        {look !== IN_USE && <State look={look} />}
      </p>
      <Models config={config} models={models} />
      <p className="mt-auto flex items-baseline justify-between gap-3 border-t border-line pt-3 text-sm">
        <span className="text-muted">{t('supplier.balance')}</span>
        {acts ? (
          <ConfigBalance id={id} name={supplier.name} balance={balance} />
        ) : (
          <span>{balance === undefined ? '—' : dollars(balance)}</span>
        )}
      </p>
    </article>
  );
}

function Models({ config, models }: { config: CustomModel; models: readonly string[] }) {
  const { t } = useTranslation();
  if (models.length === 0) return <p className="text-sm text-muted">{t('customModel.noModels')}</p>;
  const more = models.length - SHOWN_MODELS;
  return (
    <ul className="flex flex-wrap items-center gap-1.5">
      {models.slice(0, SHOWN_MODELS).map((model) => (
        <li key={model} className="min-w-0 max-w-full" title={calledName(config, model)}>
          <Tag>
            <span className="max-w-44 truncate">{model}</span>
          </Tag>
        </li>
      ))}
      {more > 0 && (
        <li className="text-xs">
          <AllModels
            models={models}
            label={t('customModel.modelsOf', { name: config.supplier.name })}
            text={t('customModel.more', { count: more })}
          />
        </li>
      )}
    </ul>
  );
}

const AllModels = onUse<ModelsPopoverProps>(
  () => import('@/features/token/models-popover.tsx').then((module) => module.ModelsPopover),
  ({ label, text, onUse }) => (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={`${label}: ${text}`}
      className="link hit"
      onClick={onUse}
    >
      {text}
    </button>
  ),
);

function Actions({ config: { id, supplier } }: { config: CustomModel }) {
  const { t } = useTranslation();
  const api = useApi();
  const { remove } = useEntryActions();
  const { name } = supplier;
  const question = { title: t('customModel.deleteTitle', { name }), body: t('customModel.deleteBody') };
  return (
    <span className="-mt-1.5 -mr-1.5 flex">
      <SearchLink
        change={{ edit: id }}
        className={buttonVariants({ variant: 'ghost', size: 'icon' })}
        aria-label={t('customModel.editOf', { name })}
      >
        <Pencil aria-hidden="true" />
      </SearchLink>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('customModel.deleteOf', { name })}
        onClick={() =>
          void remove(question, () =>
            api.send('DELETE', '/api/user/custom-models/conf/:id', { params: { id: String(id) } }),
          )
        }
      >
        <Trash2 aria-hidden="true" />
      </Button>
    </span>
  );
}
