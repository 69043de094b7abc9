/** Signing in with WeChat: not on a phone, which cannot scan its own screen. */
import { MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { withQuery } from '@/lib/api.ts';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { leadOn, type SignInAnswer } from './lead-on.ts';
import type { WayProps } from './way-props.ts';

const WeChatDialog = late(() =>
  import('./wechat-dialog.tsx').then((module) => module.WeChatDialog<SignInAnswer>),
);

export function WeChatButton({ next, aff, onFailure, whenAgreed }: WayProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const title = t('user.bound.wechat');
  const open = async () => {
    onFailure(null);
    setOpen(true);
  };
  return (
    <>
      <Button
        size="lg"
        aria-label={t('third.with', { provider: title })}
        onClick={() => void whenAgreed(open)}
      >
        <MessagesSquare size={16} strokeWidth={1.5} aria-hidden="true" className="text-muted" />
        {title}
      </Button>
      {isOpen && (
        <WeChatDialog
          title={t('messenger.wechatTitle')}
          src={withQuery('/api/oauth/wechat', { aff })}
          onClose={() => setOpen(false)}
          onDone={(answer) => answer && void leadOn(answer, next)}
        />
      )}
    </>
  );
}
