/** Binding an account of Telegram or WeChat: both stay on this page. */
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTelegram } from '@/features/sign-in/use-telegram.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { late } from '@/lib/late.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useSaved } from './use-told.ts';

const WeChatDialog = late(() =>
  import('@/features/sign-in/wechat-dialog.tsx').then((module) => module.WeChatDialog<undefined>),
);

interface BindProps {
  /** The provider's name. */
  title: string;
}

export function TelegramBind({ title }: BindProps) {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const api = useApi();
  const saved = useSaved(() => {});
  const telegram = useTelegram();
  const bind = useAction(async () => {
    try {
      const fields = await telegram.ask();
      if (!fields) return;
      await api.get('/api/oauth/telegram/bind', { query: { ...fields, lang: locale } });
      await saved(t('third.bound', { provider: title }));
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  return (
    <Button
      busy={bind.pending}
      aria-label={`${t('personal.bind')}: ${title}`}
      {...telegram.prepare}
      onClick={() => void bind.run()}
    >
      {t('personal.bind')}
    </Button>
  );
}

/** Not offered on a phone, which cannot scan its own screen. */
export function WeChatBind({ title }: BindProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const saved = useSaved(() => setOpen(false));
  return (
    <>
      <Button
        className="max-md:hidden"
        aria-label={`${t('personal.bind')}: ${title}`}
        onClick={() => setOpen(true)}
      >
        {t('personal.bind')}
      </Button>
      {isOpen && (
        <WeChatDialog
          title={t('messenger.wechatBind')}
          src="/api/oauth/wechat/bind"
          onClose={() => setOpen(false)}
          onDone={() => void saved(t('third.bound', { provider: title }))}
        />
      )}
    </>
  );
}
