/** Finds the row that a key belongs to. The key is asked for in a dialog, because what stands in an address is kept in histories. */
import { KeyRound } from 'lucide-react';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { DialogButton } from './dialog-button.tsx';
import type { KeyFinderProps } from './key-finder-props.ts';

const KeyFinderDialog = late(() =>
  import('./key-finder-dialog.tsx').then((module) => module.KeyFinderDialog),
);

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
