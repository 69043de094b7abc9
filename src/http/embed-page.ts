/**
 * The page that stands in for one that is opened with `oToken`, `oUser` or `layout`, and for one that a frame opens where
 * nobody is signed in. It takes those out of the address and the history before anything else, turns the token into a
 * session, and loads the page itself: by the session's cookie, or where the browser keeps none, or is signed in besides,
 * by a bearer in session storage, with which the page's HTML is fetched and written in this one's place.
 */
import type { Locale } from '../core/errors.ts';
import { openEmbedded } from './embed-script.ts';
import { bodyStyle, colours } from './plain-page.ts';

const words = {
  zh: {
    lang: 'zh-CN',
    waiting: '正在打开…',
    ended: '登录已结束，请从应用重新打开',
    offline: '无法连接到服务器，请稍后再试',
  },
  en: {
    lang: 'en',
    waiting: 'Opening…',
    ended: 'The sign-in has ended; open it again from the application',
    offline: 'The server cannot be reached, please try again later',
  },
} as const;

const STYLE = `${bodyStyle(colours.page)}p{max-width:500px;margin:72px auto;padding:0 16px;text-align:center}`;

const SCRIPT = `(${openEmbedded})()`;

export interface EmbedPage {
  locale: Locale;
  theme: 'light' | 'dark' | null;
  nonce: string;
  /** The page's own policy: what is written in this one's place runs under it. */
  policy: string;
  /** A frame opens it; outside of frames no token is looked at. */
  isFramed: boolean;
}

export function embedPage({ locale, theme, nonce, policy, isFramed }: EmbedPage): Response {
  const text = words[locale];
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy,
    // The address has a token in it until the script has run.
    'referrer-policy': 'no-referrer',
  };
  const html = `<!doctype html>
<html lang="${text.lang}" data-framed="${isFramed}" data-ended="${text.ended}" data-offline="${text.offline}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text.waiting}</title><style>:root{color-scheme:${theme ?? 'light dark'}}${STYLE}</style></head>
<body><p role="status">${text.waiting}</p><script nonce="${nonce}">${SCRIPT}</script></body></html>`;
  return new Response(html, { headers });
}
