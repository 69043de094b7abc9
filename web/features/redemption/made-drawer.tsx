/** The new codes, whole: the moment to hand them on. Leaving without keeping them asks first. */
import { useRouter } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { saveText } from '@/lib/download.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface MadeDrawerProps {
  name: string;
  codes: readonly string[];
  onClose: () => void;
}

export function MadeDrawer({ name, codes, onClose }: MadeDrawerProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const [kept, setKept] = useState(false);
  // The rows behind appear as soon as the codes exist, not when the drawer closes.
  useEffect(() => void router.invalidate(), [router]);
  const text = `${codes.join('\n')}\n`;
  useLeaveGuard(!kept, {
    question: {
      title: t('redemption.leaveTitle'),
      body: t('redemption.leaveBody'),
      action: t('redemption.leave'),
      keep: t('redemption.stay'),
    },
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined} onInteractOutside={(event) => event.preventDefault()}>
        <DrawerHead title={t('redemption.madeTitle', { count: codes.length })} sub={name} />
        <DrawerBody aria-label={t('redemption.madeTitle', { count: codes.length })}>
          <Notice tone="ok" className="mb-4">
            {t('redemption.madeBody')}
          </Notice>
          <ol className="font-mono text-xs">
            {codes.map((code) => (
              <li key={code} className="border-b border-line py-1.5 break-all">
                {code}
              </li>
            ))}
          </ol>
        </DrawerBody>
        <DrawerFoot>
          {/* On the phone the cross is enough: the three do not fit beside each other. */}
          <Button size="lg" className="max-md:hidden" onClick={onClose}>
            {t('app.close')}
          </Button>
          <span className="ml-auto flex flex-wrap gap-2 max-md:flex-1 max-md:*:flex-1">
            <CopyButton
              size="lg"
              label={t('redemption.copyAll')}
              text={() => {
                setKept(true);
                return Promise.resolve(text);
              }}
            />
            <Button
              size="lg"
              variant="primary"
              onClick={() => {
                saveText(`${name}.txt`, text);
                setKept(true);
              }}
            >
              <Download aria-hidden="true" />
              {t('redemption.download')}
            </Button>
          </span>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}
