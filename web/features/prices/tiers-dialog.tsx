/** The tiers of one model's price: a row a tier. What is applied is saved with the other prices. */
import { TIERS_MAX } from '@core/price-tiers.ts';
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { Input } from '@/components/ui/input.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { bases, NO_TIER, readTiers, type TierErrors, type TierRow, tierRows } from './tiers.ts';
import type { PriceDrafts } from './use-price-drafts.ts';

const COLUMNS = [
  ['upTo', 'prices.tierUpTo'],
  ['input', 'prices.inputPrice'],
  ['output', 'prices.outputPrice'],
  ['thinking', 'prices.thinkingPrice'],
  ['cacheRead', 'prices.cachePrice'],
  ['cacheWrite', 'prices.cacheWritePrice'],
] as const satisfies readonly [keyof TierRow, TextKey][];

interface TiersDialogProps {
  name: string;
  drafts: PriceDrafts;
  onClose: () => void;
}

export function TiersDialog({ name, drafts, onClose }: TiersDialogProps) {
  const { t } = useTranslation();
  const given = drafts.tiered(name);
  const [by, setBy] = useState(given?.by ?? 'input');
  const [rows, setRows] = useState(() => tierRows(given));
  const [wasTried, setWasTried] = useState(false);
  const read = readTiers(rows);
  const errors = wasTried && !read.ok ? read.errors : [];

  const apply = () => {
    setWasTried(true);
    if (!read.ok) return;
    drafts.setTiered(name, { by, tiers: read.tiers });
    onClose();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="top-[5vh] max-h-[90vh] w-[760px] overflow-y-auto">
        <DialogTitle className="wrap-anywhere">{t('prices.tiersOf', { name })}</DialogTitle>
        <DialogDescription>
          {t(by === 'input' ? 'prices.tiersByInput' : 'prices.tiersByMonth')}
        </DialogDescription>
        <div className="mt-3">
          <Segmented
            label={t('prices.tiersBy')}
            value={by}
            options={bases.map((basis) => ({ value: basis, label: t(`prices.tiersBy.${basis}`) }))}
            onChange={setBy}
          />
        </div>
        <ol className="mt-4 grid gap-3">
          {rows.map((row, index) => (
            <TierLine
              // biome-ignore lint/suspicious/noArrayIndexKey: a tier is its place
              key={index}
              row={row}
              number={index + 1}
              isLast={index === rows.length - 1}
              errors={errors[index] ?? {}}
              onChange={(next) => setRows(rows.map((one, at) => (at === index ? next : one)))}
              onRemove={rows.length > 1 ? () => setRows(rows.filter((_, at) => at !== index)) : undefined}
            />
          ))}
        </ol>
        <Button
          variant="ghost"
          className="mt-2 -ml-2"
          disabled={rows.length >= TIERS_MAX}
          onClick={() => setRows([...rows.slice(0, -1), NO_TIER, ...rows.slice(-1)])}
        >
          <Plus aria-hidden="true" />
          {t('prices.tierAdd')}
        </Button>
        <DialogActions>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          <Button variant="primary" onClick={apply}>
            {t('prices.apply')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}

interface TierLineProps {
  row: TierRow;
  /** From 1. */
  number: number;
  isLast: boolean;
  errors: TierErrors;
  onChange: (row: TierRow) => void;
  /** The only tier stays. */
  onRemove: (() => void) | undefined;
}

function TierLine({ row, number, isLast, errors, onChange, onRemove }: TierLineProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <li className="grid grid-cols-[repeat(6,minmax(0,1fr))_2rem] items-end gap-x-2 gap-y-1 max-md:grid-cols-2 max-md:border-b max-md:border-line max-md:pb-3">
      {COLUMNS.map(([field, label]) => {
        const error = errors[field];
        const isRest = field === 'upTo' && isLast;
        return (
          <div key={field} className="min-w-0 self-start">
            <label htmlFor={`${id}-${field}`} className="block truncate text-xs text-muted">
              {t(label)}
            </label>
            <Input
              id={`${id}-${field}`}
              aria-label={t('prices.tierCell', { column: t(label), number })}
              inputMode="decimal"
              autoComplete="off"
              className="text-right tabular-nums"
              value={isRest ? '' : row[field]}
              placeholder={isRest ? t('prices.tierRest') : undefined}
              disabled={isRest}
              aria-invalid={error ? true : undefined}
              aria-describedby={error ? `${id}-${field}-error` : undefined}
              onChange={(event) => onChange({ ...row, [field]: event.target.value })}
            />
            {error && (
              <p id={`${id}-${field}-error`} className="mt-0.5 text-xs text-bad">
                {t(error)}
              </p>
            )}
          </div>
        );
      })}
      <Button
        variant="ghost"
        size="icon"
        className="max-md:col-start-2 max-md:justify-self-end"
        aria-label={t('prices.tierRemove', { number })}
        disabled={!onRemove}
        onClick={onRemove}
      >
        <X aria-hidden="true" />
      </Button>
    </li>
  );
}
