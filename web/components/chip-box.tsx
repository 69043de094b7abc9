/** Chosen entries as chips in a box, before the field that adds to them. */
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { LinkButton } from './ui/button.tsx';

const CHIPS_MAX = 40;

interface ChipBoxProps {
  value: readonly string[];
  onRemove: (entry: string) => void;
  invalid: boolean;
  children: ReactNode;
}

export function ChipBox({ value, onRemove, invalid, children }: ChipBoxProps) {
  const { t } = useTranslation();
  const [expanded, setExpanded] = useState(false);
  const chips = expanded ? value : value.slice(0, CHIPS_MAX);
  return (
    <div
      className={cn(
        'flex min-h-9 flex-wrap items-center gap-1 rounded-sm border border-line-strong bg-surface p-[5px] focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus max-md:min-h-11',
        invalid && 'border-bad',
      )}
    >
      {chips.map((entry) => (
        <span
          key={entry}
          className="inline-flex h-6 max-w-full items-center gap-1 rounded-sm border border-line-btn pr-0.5 pl-2 text-xs max-md:h-8"
        >
          <span className="truncate">{entry}</span>
          <button
            type="button"
            aria-label={t('picker.remove', { entry })}
            className="hit grid size-5 place-items-center rounded-xs text-muted hover:bg-hover hover:text-text max-md:size-7"
            onClick={() => onRemove(entry)}
          >
            <X className="size-3" aria-hidden="true" />
          </button>
        </span>
      ))}
      {value.length > chips.length && (
        <LinkButton className="px-1 text-xs" onClick={() => setExpanded(true)}>
          +{value.length - chips.length}
        </LinkButton>
      )}
      {children}
    </div>
  );
}

export const chipFieldClass =
  'h-6 min-w-30 flex-1 bg-transparent px-1 text-sm outline-none max-md:h-8 max-md:text-[16px]';
