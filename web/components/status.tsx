import type { ReactNode } from 'react';
import { cn } from '@/lib/cn.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';

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

/** How a state of a thing is drawn and called: each is declared once, in the table of its enum. */
export interface StateLook {
  tone: StatusTone;
  label: TextKey;
}

/** What a person switches on and off. */
export const switchLooks = {
  on: { tone: 'on', label: 'state.on' },
  off: { tone: 'off', label: 'state.off' },
} as const satisfies Record<string, StateLook>;

export const UNKNOWN_STATE: StateLook = { tone: 'gone', label: 'app.unknown' };

/** A state as its table has it; one that the table does not know is unknown. */
export function State({ look = UNKNOWN_STATE }: { look: StateLook | undefined }) {
  const { t } = useTranslation();
  return <Status tone={look.tone}>{t(look.label)}</Status>;
}
