/** What an administrator should know, unless he has said that he does. */
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { isCallbackSilent, keep } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function CallbackNotice() {
  const { t } = useTranslation();
  const { status, preferences } = useBoot();
  const [isSilent, setSilent] = useState(preferences.callbackSilent);
  // Said by what writes into local storage alone.
  useEffect(() => setSilent((known) => known || isCallbackSilent()), []);
  if (status.mj_notify_enabled || isSilent) return null;
  const silence = () => {
    keep.callbackSilence();
    setSilent(true);
  };
  return (
    <Notice
      className="mb-3 items-center"
      end={
        <Button size="sm" onClick={silence}>
          {t('drawing.silence')}
        </Button>
      }
    >
      {t('drawing.noCallback')}
    </Notice>
  );
}
