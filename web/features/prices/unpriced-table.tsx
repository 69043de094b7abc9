/** Models that nothing prices, to choose from, each with the price of one of its family. */
import { LinkButton } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { cellsOf, type HubModel, relative } from './draft.ts';

interface UnpricedTableProps {
  rows: readonly string[];
  chosen: ReadonlySet<string>;
  choose: (names: readonly string[], on: boolean) => void;
  /** Those that prices may be taken over from. */
  priced: readonly HubModel[];
  onFollow: (name: string, model: HubModel) => void;
}

export function UnpricedTable({ rows, chosen, choose, priced, onFollow }: UnpricedTableProps) {
  const { t } = useTranslation();
  return (
    <table className="w-full border-separate border-spacing-0 text-sm">
      <thead>
        <tr className="text-left text-xs text-muted [&>th]:h-8 [&>th]:border-b [&>th]:border-line [&>th]:bg-sunken [&>th]:px-2 [&>th]:font-medium">
          <th scope="col" className="w-9 pl-4!">
            <Checkbox
              aria-label={t('table.selectPage')}
              checked={rows.every((name) => chosen.has(name))}
              mixed={rows.some((name) => chosen.has(name)) && !rows.every((name) => chosen.has(name))}
              onChange={(event) => choose(rows, event.target.checked)}
            />
          </th>
          <th scope="col">{t('hub.model')}</th>
          <th scope="col">{t('prices.suggestion')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((name) => (
          <tr key={name} className="[&>*]:h-10 [&>*]:border-b [&>*]:border-line [&>*]:px-2">
            <td className="pl-4!">
              <Checkbox
                aria-label={t('table.selectRow', { name })}
                checked={chosen.has(name)}
                onChange={(event) => choose([name], event.target.checked)}
              />
            </td>
            <th scope="row" className="text-left font-medium wrap-anywhere">
              {name}
            </th>
            <td>
              <Suggestion name={name} model={relative(name, priced)} onFollow={onFollow} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface SuggestionProps {
  name: string;
  model: HubModel | null;
  onFollow: (name: string, model: HubModel) => void;
}

/** The price of a model of the same family: a hint, not a price. */
function Suggestion({ name, model, onFollow }: SuggestionProps) {
  const { t } = useTranslation();
  if (!model) return <span className="text-faint">—</span>;
  const { input, output } = cellsOf(model, 'price');
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 text-muted">
      <span>{t('prices.like', { name: model.name, input, output })}</span>
      <LinkButton
        className="text-xs"
        aria-label={t('prices.takeOver', { name })}
        onClick={() => onFollow(name, model)}
      >
        {t('prices.take')}
      </LinkButton>
    </span>
  );
}
