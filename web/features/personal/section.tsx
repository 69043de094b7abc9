/** A section of the personal settings: a panel, on the phone one that opens and closes. */
import { ChevronDown, CircleX } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { cn } from '@/lib/cn.ts';

interface SectionPanelProps {
  id: string;
  title: string;
  /** The one that stands open on the phone at first. */
  isFirst: boolean;
  children: ReactNode;
}

export function SectionPanel({ id, title, isFirst, children }: SectionPanelProps) {
  const [open, setOpen] = useState(isFirst);
  useEffect(() => {
    // A link to the section opens it.
    const follow = () => window.location.hash === `#${id}` && setOpen(true);
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [id]);
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="rounded-md border border-line bg-surface">
      <h2 id={`${id}-title`} className="text-base font-semibold">
        <span className="block border-b border-line px-4 py-3 max-md:hidden">{title}</span>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${id}-body`}
          className={cn(
            'flex min-h-12 w-full items-center justify-between gap-2 px-4 text-left md:hidden',
            open && 'border-b border-line',
          )}
          onClick={() => setOpen(!open)}
        >
          {title}
          <ChevronDown className={cn('text-muted', open && 'rotate-180')} aria-hidden="true" />
        </button>
      </h2>
      {/* Without JavaScript nobody could open it. */}
      <div
        id={`${id}-body`}
        className={cn('rounded-b-md', !open && 'max-md:[@media(scripting:enabled)]:hidden')}
      >
        {children}
      </div>
    </section>
  );
}

interface RowProps {
  label: ReactNode;
  /** Of the control at the right, when there is one that it names. */
  htmlFor?: string;
  help?: ReactNode;
  /** Gives the help an id, for the control that it describes. */
  helpId?: string;
  /** A short value and nothing to press: it stands beside its label on the phone, too. */
  fact?: boolean;
  children?: ReactNode;
}

/** What it is about at the left, the control at the right. */
export function Row({ label, htmlFor, help, helpId, fact = false, children }: RowProps) {
  return (
    <div
      className={cn(
        'grid gap-x-8 gap-y-2 px-4 py-3 not-last:border-b not-last:border-line md:grid-cols-[minmax(0,1fr)_300px] md:items-center',
        fact && 'max-md:grid-cols-[minmax(0,1fr)_auto] max-md:items-center',
      )}
    >
      <div className="min-w-0">
        {htmlFor ? (
          <label htmlFor={htmlFor} className="text-sm font-medium">
            {label}
          </label>
        ) : (
          <p className="text-sm font-medium">{label}</p>
        )}
        {help && (
          <p id={helpId} className="text-xs text-muted">
            {help}
          </p>
        )}
      </div>
      <div className="grid min-w-0 content-start gap-1.5">{children}</div>
    </div>
  );
}

/** What is wrong with the control of a row; `id` is the control's. */
export function RowError({ id, error }: { id: string; error: string | undefined }) {
  if (!error) return null;
  return (
    <p id={`${id}-error`} className="flex gap-1.5 text-xs text-bad">
      <CircleX className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
      {error}
    </p>
  );
}

/** What a section is for, in a sentence or two. */
export const SectionNote = ({ children }: { children: ReactNode }) => (
  <p className="border-b border-line px-4 py-3 text-sm text-muted">{children}</p>
);

/** A value at the right of its row, with what can be done about it. */
export function ValueLine({ value, children }: { value: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-2 text-sm max-md:min-h-0">
      <span className="min-w-0 flex-1 break-words">{value}</span>
      {children}
    </div>
  );
}
