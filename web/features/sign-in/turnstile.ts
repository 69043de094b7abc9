/** The script of the human check's maker, fetched when a form first needs it. */
import { scriptLoader } from './load-script.ts';

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

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

/** Rejects when the script does not come; the next call tries again. */
export const loadTurnstile = scriptLoader(SCRIPT, () => window.turnstile);
