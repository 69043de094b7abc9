/** What can be done with the chosen codes at once. */
import { CopyButton } from '@/components/copy-button.tsx';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Redemption } from './redemption.ts';
import type { RedemptionActions } from './use-redemption-actions.ts';

interface BulkActionsProps {
  codes: readonly Redemption[];
  clear: () => void;
  /** They are more than a page shows. */
  isBeyond: boolean;
  actions: RedemptionActions;
}

export function BulkActions({ codes, clear, isBeyond, actions }: BulkActionsProps) {
  const { t } = useTranslation();
  const setEnabled = async (enabled: boolean) => {
    if (await actions.setEnabled(codes, enabled, isBeyond)) clear();
  };
  return (
    <>
      <CopyButton
        label={t('redemption.copyCodes')}
        text={() => actions.reveal(codes)}
        onError={actions.failed}
      />
      <Button onClick={() => void setEnabled(true)}>{t('redemption.enable')}</Button>
      <Button onClick={() => void setEnabled(false)}>{t('redemption.disable')}</Button>
      <Button variant="danger" onClick={() => void actions.remove(codes).then((isDone) => isDone && clear())}>
        {t('redemption.delete')}
      </Button>
    </>
  );
}
