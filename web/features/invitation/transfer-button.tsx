/** Opens the dialog that moves rewards to the balance; nothing where none wait. */
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { late } from '@/lib/late.tsx';
import { useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const TransferDialog = late(() => import('./transfer-dialog.tsx').then((module) => module.TransferDialog));

/** `waiting`: all that can be moved, quota units. */
export function TransferButton({ waiting }: { waiting: number }) {
  const { t } = useTranslation();
  const acts = useMay('act');
  const [open, setOpen] = useState(false);
  return (
    <>
      {acts && waiting > 0 && <Button onClick={() => setOpen(true)}>{t('invitation.move')}</Button>}
      {open && <TransferDialog waiting={waiting} onClose={() => setOpen(false)} />}
    </>
  );
}
