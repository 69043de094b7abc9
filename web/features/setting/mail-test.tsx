/** Tries the mail settings that are saved: one letter to an address, and what the server said. */
import { Send } from 'lucide-react';
import { DialogButton } from '@/components/dialog-button.tsx';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const MailTestDialog = late(() => import('./mail-test-dialog.tsx').then((module) => module.MailTestDialog));

export function MailTest() {
  const { t } = useTranslation();
  return (
    <DialogButton icon={Send} dialog={(close) => <MailTestDialog onClose={close} />}>
      {t('setting.mailTest')}
    </DialogButton>
  );
}
