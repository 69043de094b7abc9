import { MARK_PATH } from '@core/mark.ts';
import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';

/** A barrier across a road: the product's own mark. */
function BrandMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 22 22" aria-hidden="true" className={cn('size-[22px] text-accent', className)}>
      <rect width="22" height="22" rx="4" fill="currentColor" />
      <path d={MARK_PATH} fill="var(--on-accent)" />
    </svg>
  );
}

/** The site's name with its mark, or the operator's own logo; leads home. */
export function Brand({ className }: { className?: string }) {
  const { status } = useBoot();
  return (
    <a
      href="/"
      className={cn(
        'flex items-center gap-2.5 self-stretch text-[15px] font-semibold text-text no-underline',
        className,
      )}
    >
      {status.logo ? <img src={status.logo} alt="" className="size-[22px]" /> : <BrandMark />}
      <span className="truncate">{status.system_name}</span>
    </a>
  );
}
