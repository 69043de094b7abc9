import { cn } from '@/lib/cn.ts';

const LOW = 0.1;

/** A share from 0 to 1 as a thin bar; amber when little is left. */
export function Meter({ share, label, className }: { share: number; label: string; className?: string }) {
  return (
    <span
      role="img"
      aria-label={label}
      className={cn('block h-1 overflow-hidden rounded-full bg-track', className)}
    >
      <span
        className={cn('block h-full', share < LOW ? 'bg-warn' : 'bg-accent')}
        style={{ width: `${Math.min(Math.max(share, 0), 1) * 100}%` }}
      />
    </span>
  );
}
