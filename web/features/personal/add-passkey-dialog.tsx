import { useApi } from '@/lib/page-context.ts';
import { addPasskey } from '@/lib/passkey.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { PasskeyDialog } from './passkey-dialog.tsx';

interface AddPasskeyDialogProps {
  /** Whether a code of the second factor is asked for as well. */
  asksCode: boolean;
  onAdded: () => Promise<void>;
  onClose: () => void;
}

/** Asks how a passkey is to be called, and has the device make it. */
export function AddPasskeyDialog({ asksCode, onAdded, onClose }: AddPasskeyDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  return (
    <PasskeyDialog
      title={t('passkey.add')}
      description={t('passkey.addHelp')}
      name=""
      action={t('passkey.add')}
      asksCode={asksCode}
      onSubmit={async (given) => {
        await addPasskey(api, given, t);
        await onAdded();
      }}
      onClose={onClose}
    />
  );
}
