/** The server's page with WeChat's QR code and the box for its code, in a frame, and what it says when it has done. */
import { useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { reauthenticate } from '@/lib/re-authentication.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** The answer of the call that the frame has made. */
export interface WeChatAnswer<T> {
  type: 'wechat';
  success: boolean;
  code?: string;
  data?: T;
}

interface WeChatDialogProps<T> {
  title: string;
  /** Of the frame, on this site. */
  src: string;
  onClose: () => void;
  onDone: (data: T | undefined) => void;
}

const isAnswer = <T,>(data: unknown): data is WeChatAnswer<T> =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'wechat' && 'success' in data;

export function WeChatDialog<T = undefined>({ title, src, onClose, onDone }: WeChatDialogProps<T>) {
  const { t } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const listen = async ({ origin, source, data }: MessageEvent<unknown>) => {
      const inside = frame.current?.contentWindow;
      if (!inside || source !== inside || origin !== window.location.origin || !isAnswer<T>(data)) return;
      if (data.success) done.current(data.data);
      // The frame shows every refusal by itself; this one it cannot help.
      else if (data.code === 'REAUTH_REQUIRED' && (await reauthenticate()))
        inside.postMessage('again', origin);
    };
    window.addEventListener('message', listen);
    return () => window.removeEventListener('message', listen);
  }, []);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="top-[12vh]">
        <DialogTitle>{title}</DialogTitle>
        <DialogDescription className="sr-only">{t('messenger.wechatHelp')}</DialogDescription>
        <iframe ref={frame} src={src} title={title} className="mt-3 h-[420px] w-full rounded-sm" />
        <DialogActions>
          <DialogClose asChild>
            <Button>{t('app.cancel')}</Button>
          </DialogClose>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
