import { cn } from '@/lib/cn.ts';

interface SegmentedProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
  small?: boolean;
  className?: string;
}

/** A choice of two or three, all in sight. */
export function Segmented<V extends string>({
  label,
  value,
  options,
  onChange,
  small,
  className,
}: SegmentedProps<V>) {
  return (
    <fieldset
      aria-label={label}
      className={cn('inline-flex min-w-0 rounded-sm border border-line-btn bg-surface', className)}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          className={cn(
            'flex-1 whitespace-nowrap text-muted not-first:border-l not-first:border-line hover:text-text aria-pressed:bg-accent-soft aria-pressed:font-semibold aria-pressed:text-accent-text',
            small ? 'hit h-[26px] px-2.5 text-xs max-md:h-[34px]' : 'h-[34px] px-3 text-sm max-md:h-[42px]',
          )}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

/** Ready answers beside a field: pressing one fills it. */
export function Picks<V extends string | number>({
  label,
  value,
  options,
  onChange,
}: Omit<SegmentedProps<string>, 'value' | 'options' | 'onChange' | 'small' | 'className'> & {
  value: V | null;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}) {
  return (
    <fieldset
      aria-label={label}
      className={cn(
        'flex min-w-0 flex-wrap gap-2 max-md:grid max-md:w-full',
        // None stands alone below the others.
        options.length === 4 ? 'max-md:grid-cols-4' : 'max-md:grid-cols-3',
      )}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          className="h-[30px] rounded-sm border border-line-btn bg-surface px-3 text-sm tabular-nums hover:border-line-strong hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-semibold aria-pressed:text-accent-text aria-pressed:inset-ring aria-pressed:inset-ring-accent max-md:h-11 max-md:px-1"
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
