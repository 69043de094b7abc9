/** Asking Telegram who the visitor is, by its own script, fetched when a button first needs it. */
import type { Locale } from '@core/errors.ts';

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22';
/** Where Telegram is out of reach, connections often hang rather than fail. */
const SCRIPT_MS = 10_000;

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

let loading: Promise<TelegramLogin> | undefined;

/** Rejects when the script does not come; the next call tries again. */
export function loadTelegram(): Promise<TelegramLogin> {
  loading ??= fetchScript().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Null when the visitor has closed Telegram's window. Rejects when Telegram is out of reach. */
export async function askTelegram(botId: string, lang: Locale): Promise<TelegramFields | null> {
  const login = await loadTelegram();
  return new Promise((resolve) => {
    login.auth({ bot_id: botId, lang }, (fields) => resolve(fields || null));
  });
}

function fetchScript(): Promise<TelegramLogin> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const giveUp = () => {
      script.remove();
      reject(new Error('the script of Telegram did not come'));
    };
    const timer = setTimeout(giveUp, SCRIPT_MS);
    script.onload = () => {
      clearTimeout(timer);
      const login = window.Telegram?.Login;
      if (login) resolve(login);
      else giveUp();
    };
    script.onerror = giveUp;
    // The page's policy lets run what carries its nonce.
    script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
    script.src = SCRIPT;
    document.head.append(script);
  });
}
