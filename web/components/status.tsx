import type { ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';

const dots = {
  on: 'rounded-full bg-ok',
  off: 'rounded-full border-[1.5px] border-muted',
  /** Half full: switched off by the system, not by a person. */
  auto: 'rounded-full border-[1.5px] border-warn bg-[linear-gradient(90deg,var(--warn)_50%,transparent_50%)]',
  bad: 'rounded-[2px] bg-bad',
  gone: 'rounded-full border border-dashed border-muted',
};

export type StatusTone = keyof typeof dots;

/** A state: a shape and a word before it is a colour. */
export function Status({ tone, children }: { tone: StatusTone; children: ReactNode }) {
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 whitespace-nowrap',
        (tone === 'off' || tone === 'gone') && 'text-muted',
      )}
    >
      <span aria-hidden="true" className={cn('size-2 shrink-0', dots[tone])} />
      {children}
    </span>
  );
}
