/** The script of the human check's maker, fetched when a form first needs it. */

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
/** Where the maker is out of reach, connections often hang rather than fail. */
const SCRIPT_MS = 10_000;

interface Rendering {
  sitekey: string;
  action: string;
  theme: 'light' | 'dark' | 'auto';
  language: string;
  size: 'flexible' | 'compact';
  callback(token: string): void;
  'expired-callback'(): void;
  'error-callback'(): boolean;
}

/** The part of the maker's interface that we use. */
export interface Turnstile {
  /** Answers the widget's id. */
  render(box: HTMLElement, rendering: Rendering): string;
  reset(id: string): void;
  remove(id: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

let loading: Promise<Turnstile> | undefined;

/** Rejects when the script does not come; the next call tries again. */
export function loadTurnstile(): Promise<Turnstile> {
  loading ??= fetchScript().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function fetchScript(): Promise<Turnstile> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const giveUp = () => {
      script.remove();
      reject(new Error('the script of the human check did not come'));
    };
    const timer = setTimeout(giveUp, SCRIPT_MS);
    script.onload = () => {
      clearTimeout(timer);
      if (window.turnstile) resolve(window.turnstile);
      else giveUp();
    };
    script.onerror = giveUp;
    // The page's policy lets run what carries its nonce.
    script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
    script.src = SCRIPT;
    document.head.append(script);
  });
}
