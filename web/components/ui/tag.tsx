import type { ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';

const tones = {
  plain: 'border-line bg-surface text-muted',
  hot: 'border-transparent bg-accent-soft text-accent-text',
  ok: 'border-transparent bg-ok-soft text-ok',
  warn: 'border-transparent bg-warn-soft text-warn',
  bad: 'border-transparent bg-bad-soft text-bad',
};

export function Tag({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={cn(
        'inline-flex h-5 items-center rounded-xs border px-1.5 text-xs whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
