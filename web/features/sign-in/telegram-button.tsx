/** Signing in with Telegram. */
import { Send } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { leadOn } from './lead-on.ts';
import { useTelegram } from './use-telegram.ts';
import type { WayProps } from './way-props.ts';

export function TelegramButton({ next = '/', aff, onFailure, whenAgreed }: WayProps) {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const api = useApi();
  const telegram = useTelegram();
  const title = t('user.bound.telegram');
  const go = useAction(async () => {
    onFailure(null);
    try {
      const fields = await telegram.ask();
      if (!fields) return;
      const query = { ...fields, lang: locale, aff };
      await leadOn(await api.get('/api/oauth/telegram/login', { query }), next);
    } catch (error) {
      onFailure(error);
    }
  });
  return (
    <Button
      size="lg"
      busy={go.pending}
      aria-label={t('third.with', { provider: title })}
      {...telegram.prepare}
      onClick={() => void whenAgreed(() => go.run())}
    >
      {!go.pending && <Send size={16} strokeWidth={1.5} aria-hidden="true" className="text-muted" />}
      {title}
    </Button>
  );
}
