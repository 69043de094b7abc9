/** Backup codes, shown this once. */

import { CopyButton } from '@/components/copy-button.tsx';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { saveText } from '@/lib/download.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface BackupCodesDialogProps {
  codes: readonly string[];
  onClose: () => void;
}

export function BackupCodesDialog({ codes, onClose }: BackupCodesDialogProps) {
  const { t } = useTranslation();
  const { status } = useBoot();
  const text = codes.join('\n');
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent onInteractOutside={(event) => event.preventDefault()}>
        <DialogTitle className="mb-1.5">{t('second.backupCodes')}</DialogTitle>
        <DialogDescription className="mb-4">{t('second.keepCodes')}</DialogDescription>
        <ul className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunken px-4 py-3 font-mono text-sm">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="mt-3 flex flex-wrap gap-2">
          <CopyButton text={text} label={t('app.copy')} />
          <Button
            onClick={() => saveText(`${status.system_name} ${t('second.backupCodes')}.txt`, `${text}\n`)}
          >
            {t('second.download')}
          </Button>
        </div>
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            {t('second.kept')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
