/** The overlay with a slide captcha: solving it lets what was asked for go on. */
import { RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Captcha } from './captcha.ts';
import { CaptchaSlider } from './captcha-slider.tsx';

interface CaptchaDialogProps {
  onPassed: () => void;
  onClose: () => void;
}

/** Loaded when it is first needed. */
export function CaptchaDialog({ onPassed, onClose }: CaptchaDialogProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [captcha, setCaptcha] = useState<Captcha | null>(null);
  const [x, setX] = useState(0);
  const slider = useRef<HTMLDivElement>(null);

  const fetching = useAction(async () => {
    setCaptcha(null);
    const next = await api.get('/api/captcha');
    setCaptcha(next);
    setX(next.tile_x);
  });
  const { run: fetchNext } = fetching;
  useEffect(() => void fetchNext(), [fetchNext]);

  const checking = useAction(async (key: string, position: { x: number; y: number }) => {
    await api.send('POST', '/api/captcha/check', { body: { captcha_key: key, position } });
  });
  const check = async (place: number) => {
    if (!captcha) return;
    const { captcha_key: key, tile_y: y } = captcha;
    if (await checking.run(key, { x: place, y })) onPassed();
    else await fetchNext();
  };
  const refresh = useCallback(() => {
    void fetchNext();
    slider.current?.querySelector<HTMLElement>('[role=slider]')?.focus();
  }, [fetchNext]);

  const failure = checking.error ?? refusalOf(fetching.error);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        aria-describedby={undefined}
        className="top-[12vh] w-[350px]"
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          slider.current?.querySelector<HTMLElement>('[role=slider]')?.focus();
        }}
      >
        <DialogTitle className="mb-3">{t('captcha.title')}</DialogTitle>
        <div ref={slider} className="grid justify-items-center gap-3">
          <div role="alert" className="w-full max-w-[300px] empty:hidden">
            {failure !== null && <Notice tone={errorTone(failure)}>{errorText(failure, t)}</Notice>}
          </div>
          <CaptchaSlider captcha={captcha} x={x} onMove={setX} onDone={(place) => void check(place)} />
        </div>
        <DialogActions>
          <Button variant="ghost" className="mr-auto -ml-2" busy={fetching.pending} onClick={refresh}>
            {!fetching.pending && <RefreshCw aria-hidden="true" />}
            {t('captcha.refresh')}
          </Button>
          <Button onClick={onClose}>{t('app.close')}</Button>
          <Button
            variant="primary"
            busy={checking.pending}
            disabled={captcha === null && !checking.pending}
            onClick={() => void check(x)}
          >
            {t('captcha.confirm')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}

/** What the server said of a fetch. Of one that did not reach it nothing is said: the frame stays empty. */
const refusalOf = (error: unknown): unknown =>
  error instanceof ApiError && error.status !== 0 ? error : null;
