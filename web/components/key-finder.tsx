/** Finds the row that a key belongs to. The key is asked for in a dialog, because what stands in an address is kept in histories. */
import { KeyRound } from 'lucide-react';
import type { SearchChange } from '@/components/data-table/search-links.ts';
import { late } from '@/lib/late.tsx';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { DialogButton } from './dialog-button.tsx';

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
  const { texts, isTight } = props;
  return (
    <DialogButton
      icon={KeyRound}
      title={isTight ? t(texts.action) : undefined}
      className={isTight ? 'md:px-2' : undefined}
      dialog={(close) => <KeyFinderDialog {...props} onClose={close} />}
    >
      <span className={isTight ? 'md:sr-only' : undefined}>{t(texts.action)}</span>
    </DialogButton>
  );
}
