import { CircleCheck, CircleX, Info, TriangleAlert } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';

const tones = {
  plain: { icon: Info, box: 'border-line bg-sunken', mark: 'text-muted' },
  /** Something to bear in mind, without the ground of an alarm. */
  mind: { icon: TriangleAlert, box: 'border-line bg-sunken', mark: 'text-warn' },
  ok: { icon: CircleCheck, box: 'border-transparent bg-ok-soft', mark: 'text-ok' },
  warn: { icon: TriangleAlert, box: 'border-transparent bg-warn-soft', mark: 'text-warn' },
  bad: { icon: CircleX, box: 'border-transparent bg-bad-soft', mark: 'text-bad' },
};

interface NoticeProps extends ComponentProps<'div'> {
  tone?: keyof typeof tones;
  /** At the right end: one link or button. */
  end?: ReactNode;
}

export function Notice({ tone = 'plain', end, className, children, ...props }: NoticeProps) {
  const { icon: Icon, box, mark } = tones[tone];
  return (
    <div
      className={cn(
        'flex items-start gap-2.5 rounded-md border px-3 py-[9px] text-sm text-text',
        box,
        className,
      )}
      {...props}
    >
      <Icon className={cn('mt-0.5', mark)} aria-hidden="true" />
      <div className="min-w-0">{children}</div>
      {end && <span className="ml-auto whitespace-nowrap">{end}</span>}
    </div>
  );
}
