/** Asking Telegram who the visitor is, by its own script, fetched when a button first needs it. */
import type { Locale } from '@core/errors.ts';
import { scriptLoader } from './load-script.ts';

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22';

/** What Telegram says of somebody, with its signature. */
export type TelegramFields = Record<string, string | number>;

/** The part of the script's interface that we use. The button it could draw itself would need `eval`. */
interface TelegramLogin {
  /** Opens Telegram's window; false when the visitor has closed it. */
  auth(options: { bot_id: string; lang: string }, callback: (fields: TelegramFields | false) => void): void;
}

declare global {
  interface Window {
    Telegram?: { Login?: TelegramLogin };
  }
}

/** Rejects when the script does not come; the next call tries again. */
export const loadTelegram = scriptLoader(SCRIPT, () => window.Telegram?.Login);

/** Null when the visitor has closed Telegram's window. Rejects when Telegram is out of reach. */
export async function askTelegram(botId: string, lang: Locale): Promise<TelegramFields | null> {
  const login = await loadTelegram();
  return new Promise((resolve) => {
    login.auth({ bot_id: botId, lang }, (fields) => resolve(fields || null));
  });
}
