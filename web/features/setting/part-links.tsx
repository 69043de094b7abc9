/** The parts of a long panel, on top of it. */
import { showWhole } from '@/lib/show-whole.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** Fewer are found by looking. */
const LEAST = 4;

interface PartLinksProps {
  /** Ids of the parts, with their headings. */
  parts: readonly { id: string; title: string }[];
}

export function PartLinks({ parts }: PartLinksProps) {
  const { t } = useTranslation();
  if (parts.length < LEAST) return null;
  return (
    <nav
      aria-label={t('setting.parts')}
      onFocus={showWhole}
      className="flex flex-wrap gap-x-4 text-sm max-md:-mx-4 max-md:flex-nowrap max-md:overflow-x-auto max-md:px-4 max-md:[scrollbar-width:none]"
    >
      {parts.map(({ id, title }) => (
        <a
          key={id}
          href={`#${id}`}
          className="inline-flex min-h-7 shrink-0 items-center whitespace-nowrap text-accent-text no-underline hover:underline"
          onClick={(event) => {
            // The page stays where it is in the history, and keeps what has been typed into it.
            event.preventDefault();
            const part = document.getElementById(id);
            part?.scrollIntoView();
            part?.querySelector('h2')?.focus({ preventScroll: true });
          }}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
