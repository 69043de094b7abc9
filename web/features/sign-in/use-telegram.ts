import { useCallback } from 'react';
import { ApiError } from '@/lib/api-error.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { askTelegram, loadTelegram, type TelegramFields } from './telegram.ts';

interface TelegramQuestion {
  /** Null when the visitor changed his mind. Throws ApiError with words for him. */
  ask: () => Promise<TelegramFields | null>;
  /** For a button that is about to be pressed: browsers open windows only right after the press. */
  prepare: { onPointerEnter: () => void; onFocus: () => void };
}

export function useTelegram(): TelegramQuestion {
  const { t } = useTranslation();
  const { status, locale } = useBoot();
  const ask = useCallback(async () => {
    try {
      return await askTelegram(status.telegram_bot_id, locale);
    } catch {
      const message = t('messenger.telegramAway');
      throw new ApiError({ code: 'TRANSPORT', message, status: 0, requestId: '' });
    }
  }, [status.telegram_bot_id, locale, t]);
  // What fails now is said when the button is pressed.
  const begin = () => void loadTelegram().catch(() => undefined);
  return { ask, prepare: { onPointerEnter: begin, onFocus: begin } };
}
