/** Figures in a row, as the dashboard has them. */
import type { ReactNode } from 'react';
import { Sparkline } from '@/components/sparkline.tsx';

export const FiguresRow = ({ label, children }: { label: string; children: ReactNode }) => (
  <dl
    aria-label={label}
    className="grid grid-cols-4 divide-x divide-line rounded-md border border-line bg-surface max-md:grid-cols-2 max-md:divide-x-0"
  >
    {children}
  </dl>
);

interface FigureProps {
  label: string;
  /** Below the figure, in small. */
  note?: ReactNode;
  points?: readonly number[];
  children: ReactNode;
}

export const Figure = ({ label, note, points, children }: FigureProps) => (
  <div className="min-w-0 px-4 py-2.5 max-md:py-2">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-2xl leading-8 font-semibold tabular-nums max-md:text-xl">{children}</dd>
    {note && <dd className="text-xs text-muted">{note}</dd>}
    {points?.some((value) => value > 0) && (
      <dd aria-hidden="true">
        <Sparkline points={points} />
      </dd>
    )}
  </div>
);
