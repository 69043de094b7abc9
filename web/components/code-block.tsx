import type { ReactNode } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { CopyButton } from './copy-button.tsx';

const PARTS = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|((?:#|\/\/) .*)/g;

/** Strings and comments stand out a little; anything more is noise in a sample of ten lines. */
function highlighted(code: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of code.matchAll(PARTS)) {
    parts.push(code.slice(end, match.index));
    const [text, quoted] = match;
    parts.push(
      <span key={match.index} className={quoted ? 'text-accent-text' : 'text-faint'}>
        {text}
      </span>,
    );
    end = match.index + text.length;
  }
  parts.push(code.slice(end));
  return parts;
}

interface CodeBlockProps {
  code: string;
  label: string;
  /** At the left of the head: what kind of code this is. */
  head?: ReactNode;
  /** Keeps it off paper, for code that holds a secret. */
  secret?: boolean;
}

export function CodeBlock({ code, label, head, secret }: CodeBlockProps) {
  const { t } = useTranslation();
  return (
    <div
      data-print={secret ? 'no' : undefined}
      className="overflow-hidden rounded-md border border-line bg-sunken"
    >
      <div className="flex min-h-9 items-center gap-2 border-b border-line p-1 pl-3 text-xs text-muted">
        {head}
        <CopyButton text={code} label={t('app.copy')} variant="ghost" size="sm" className="ml-auto" />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto p-3"
      >
        <pre className="font-mono text-xs leading-5 [tab-size:2]">
          <code>{highlighted(code)}</code>
        </pre>
      </section>
    </div>
  );
}
