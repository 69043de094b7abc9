/** Figures in a row: what each is of, how large it is, and a word on it. On the phone two stand beside one another. */
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';
import { Sparkline } from './sparkline.tsx';

/** How many stand in a row at a desk. Of an odd number the first has a line of the phone to itself. */
const rows = {
  4: 'grid-cols-4 max-md:divide-x-0',
  5: 'grid-cols-5 max-md:divide-x-0 max-md:*:first:col-span-2',
  // Upwards: what is said of less than a width counts at that width too.
  7: 'grid-cols-4 divide-x-0 [--figure:20px] xl:grid-cols-7 xl:divide-x max-md:*:first:col-span-2',
};

interface FiguresProps {
  count: keyof typeof rows;
  label?: string;
  className?: string;
  children: ReactNode;
}

export const FiguresRow = ({ count, label, className, children }: FiguresProps) => (
  <dl
    aria-label={label}
    className={cn(
      'grid divide-x divide-line rounded-md border border-line bg-surface max-md:grid-cols-2',
      rows[count],
      className,
    )}
  >
    {children}
  </dl>
);

interface FigureProps {
  label: string;
  /** Below the figure, in small. */
  note?: ReactNode;
  /** How it went. */
  points?: readonly number[];
  /** Nothing for what nobody knows: a dash stands there, for a zero would be a number. */
  children: ReactNode;
}

export const Figure = ({ label, note, points, children }: FigureProps) => (
  // Its lines are those of the whole row: where one label or note breaks, figures still stand beside figures.
  <div className="row-span-4 grid min-w-0 grid-rows-subgrid px-4 py-2.5 max-md:py-2">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-[length:var(--figure,24px)] leading-8 font-semibold tabular-nums max-md:text-xl print:text-base">
      {children ?? <span className="text-muted">—</span>}
    </dd>
    {note && <dd className="text-xs text-muted">{note}</dd>}
    {points?.some((value) => value > 0) && (
      <dd aria-hidden="true" className="row-start-4">
        <Sparkline points={points} />
      </dd>
    )}
  </div>
);
