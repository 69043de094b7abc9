/** Finds the row that a key belongs to. The key is asked for in a dialog, because what stands in an address is kept in histories. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { SearchChange } from '@/components/data-table/search-links.ts';
import { Button } from '@/components/ui/button.tsx';
import { late } from '@/lib/late.tsx';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const KeyFinderDialog = late(() =>
  import('./key-finder-dialog.tsx').then((module) => module.KeyFinderDialog),
);

export interface KeyFinderProps {
  texts: Record<'action' | 'help' | 'field' | 'unknown', TextKey>;
  /** The list's filters that show the row of this key alone; null when there is none. */
  find: (key: string) => Promise<SearchChange | null>;
  /** On a full line of filters its sign stands alone. */
  isTight?: boolean;
}

export function KeyFinder(props: KeyFinderProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        onClick={() => setOpen(true)}
        title={props.isTight ? t(props.texts.action) : undefined}
        className={props.isTight ? 'md:px-2' : undefined}
      >
        <KeyRound aria-hidden="true" />
        <span className={props.isTight ? 'md:sr-only' : undefined}>{t(props.texts.action)}</span>
      </Button>
      {open && <KeyFinderDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
