/** Which columns are shown, in which order and how wide. Loaded and opened with the first press. */
import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { boundedWidth, WIDTH } from '@/lib/table-views.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Input } from '../ui/input.tsx';
import { Popover, PopoverContent, PopoverTrigger } from '../ui/popover.tsx';
import { moved, viewOf } from './table-view.ts';
import { type ColumnPanelProps, ColumnsButton } from './view-buttons.tsx';

export function ColumnPanel({ view, widthOf, defaultOpen }: ColumnPanelProps & { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const [dragged, setDragged] = useState<string | null>(null);
  const [place, setPlace] = useState('');
  const columns = view.columns.filter(({ column }) => !column.headless);
  const move = (id: string, to: number) => {
    view.arrange(moved(viewOf(view.columns), id, to));
    const name = columns.find(({ column }) => column.id === id)?.column.header ?? id;
    const last = columns.length;
    setPlace(t('table.columnPlace', { name, place: Math.min(Math.max(to + 1, 1), last), all: last }));
  };

  return (
    <Popover defaultOpen={defaultOpen}>
      <PopoverTrigger asChild>
        <ColumnsButton />
      </PopoverTrigger>
      <PopoverContent align="end" aria-label={t('table.columns')} className="w-[340px] px-2">
        <ul className="max-h-[min(480px,60vh)] overflow-y-auto">
          {columns.map(({ column: { id, header, fixed }, hidden, width }, at) => (
            <li
              key={id}
              draggable
              onDragStart={() => setDragged(id)}
              onDragEnd={() => setDragged(null)}
              onDragOver={(event) => {
                event.preventDefault();
                if (dragged !== null && dragged !== id) move(dragged, at);
              }}
              className="flex min-h-9 items-center gap-1 rounded-sm px-1 hover:bg-hover"
            >
              <GripVertical className="size-4 shrink-0 cursor-grab text-faint" aria-hidden="true" />
              <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-2">
                <Checkbox
                  checked={!hidden}
                  disabled={fixed}
                  onChange={(event) => view.change(id, { hidden: !event.target.checked })}
                />
                <span className="truncate">{header}</span>
              </label>
              <WidthField
                label={t('table.columnWidth', { name: header })}
                width={width}
                measure={() => widthOf(id) ?? 2 * WIDTH.min}
                onWidth={(next) => view.change(id, { width: next })}
              />
              <Button
                variant="ghost"
                size="icon-sm"
                aria-label={t('table.columnUp', { name: header })}
                onClick={() => move(id, at - 1)}
              >
                <ArrowUp aria-hidden="true" />
              </Button>
              <Button
                variant="ghost"
                size="icon-sm"
                aria-label={t('table.columnDown', { name: header })}
                onClick={() => move(id, at + 1)}
              >
                <ArrowDown aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
        <div className="mt-1 flex items-center justify-between gap-3 border-t border-line px-1 pt-2">
          <span className="text-xs text-muted">{t('table.columnHelp')}</span>
          <Button size="sm" className="shrink-0" disabled={!view.reset} onClick={() => view.reset?.()}>
            {t('table.resetColumns')}
          </Button>
        </div>
        <span role="status" className="sr-only">
          {place}
        </span>
      </PopoverContent>
    </Popover>
  );
}

const STEP = 8;

interface WidthFieldProps {
  label: string;
  width: number | undefined;
  /** How wide it is now. */
  measure: () => number;
  onWidth: (width: number | undefined) => void;
}

/** Pixels: typed, or by the arrow keys; empty for as wide as it needs. */
function WidthField({ label, width, measure, onWidth }: WidthFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  const finish = () => {
    if (typed !== null) onWidth(/^\d+$/.test(typed) ? boundedWidth(Number(typed)) : undefined);
    setTyped(null);
  };
  const step = (event: KeyboardEvent) => {
    if (event.key === 'Enter') finish();
    const by = event.key === 'ArrowUp' ? STEP : event.key === 'ArrowDown' ? -STEP : 0;
    if (by === 0) return;
    event.preventDefault();
    setTyped(null);
    onWidth(boundedWidth((width ?? measure()) + by));
  };
  return (
    <Input
      aria-label={label}
      inputMode="numeric"
      className="h-7 w-14 shrink-0 px-1.5 text-right text-xs tabular-nums"
      placeholder={t('table.columnAuto')}
      value={typed ?? width ?? ''}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={step}
    />
  );
}
