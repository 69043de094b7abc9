/**
 * What makes the console an application of its own on a phone: its manifest, and a worker that shows a page of ours when
 * the site cannot be reached. The worker keeps that page and nothing else: what an account sees is never in its cache.
 */
import { bg, surface } from '../core/colours.ts';
import type { Locale } from '../core/errors.ts';
import { escapeHtml } from './html.ts';
import { isLocale } from './language.ts';
import { bodyStyle, colours } from './plain-page.ts';

const MANIFEST = '/manifest.webmanifest';
const WORKER = '/sw.js';
const OFFLINE = '/offline.html';

const words = {
  zh: {
    lang: 'zh-CN',
    title: '没有网络连接',
    help: '现在无法连接到 {name}。请检查网络，然后重试。',
    again: '重试',
  },
  en: {
    lang: 'en',
    title: 'No connection',
    help: '{name} cannot be reached right now. Check your network, then try again.',
    again: 'Try again',
  },
} as const;

export interface Installed {
  /** Of the site. */
  name: string;
  locale: Locale;
}

/** The answer to a GET of one of these files, or null for any other. */
export function installableFile(request: Request, { name, locale }: Installed): Response | null {
  const { pathname, searchParams } = new URL(request.url);
  // Browsers fetch these without cookies: who knows the viewer's language writes it into the address.
  const wanted = searchParams.get('lang');
  const language = isLocale(wanted) ? wanted : locale;
  switch (pathname) {
    case MANIFEST:
      return answer('application/manifest+json', JSON.stringify(manifestOf(name, language)));
    case WORKER:
      return answer('text/javascript; charset=utf-8', workerScript(`${OFFLINE}?lang=${language}`), {
        'content-security-policy': "default-src 'none'; connect-src 'self'",
      });
    case OFFLINE:
      return answer('text/html; charset=utf-8', offlinePage(name, language), {
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      });
    default:
      return null;
  }
}

/** They may change with the site's name and with its version: browsers ask each time. */
const answer = (type: string, body: string, headers: Record<string, string> = {}): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'no-cache', ...headers } });

const icon = (file: string, size: number, purpose: 'any' | 'maskable') => ({
  src: `/${file}`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
});

const manifestOf = (name: string, locale: Locale) => ({
  id: '/',
  name,
  short_name: name,
  lang: words[locale].lang,
  start_url: '/',
  scope: '/',
  display: 'standalone',
  // What is shown until the first page has come; a manifest knows one theme.
  background_color: bg.light,
  theme_color: surface.light,
  icons: [
    icon('icon-192.png', 192, 'any'),
    icon('icon-512.png', 512, 'any'),
    icon('icon-maskable-512.png', 512, 'maskable'),
  ],
});

const STYLE = `:root{color-scheme:light dark}${bodyStyle(colours.page)}main{max-width:500px;margin:72px auto;padding:0 16px}h1{font-size:20px;line-height:28px}p{color:${colours.soft}}a{display:inline-block;min-width:44px;padding:11px 16px;border-radius:4px;background:${colours.accent};color:${colours.onAccent};text-align:center;text-decoration:none}`;

/** It stands at the address that could not be reached, so that its link tries that again. */
function offlinePage(name: string, locale: Locale): string {
  const { lang, title, help, again } = words[locale];
  return `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${escapeHtml(name)}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${escapeHtml(help.replace('{name}', name))}</p><a href="">${again}</a></main></body></html>`;
}

/** Pages are fetched while the worker starts, by the browser itself: it slows none down. */
const workerScript = (page: string): string => `const PAGE = '${page}';
addEventListener('install', (event) => {
  const keep = async () => (await caches.open(PAGE)).add(new Request(PAGE, { cache: 'reload', credentials: 'omit' }));
  event.waitUntil(keep().then(() => skipWaiting()));
});
addEventListener('activate', (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== PAGE) await caches.delete(name);
    await registration.navigationPreload?.enable();
  };
  event.waitUntil(clean());
});
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode !== 'navigate' || request.method !== 'GET') return;
  const shown = async () => {
    try {
      return (await event.preloadResponse) ?? (await fetch(request));
    } catch (error) {
      const page = request.destination === 'document' && (await caches.match(PAGE));
      if (!page) throw error;
      return page;
    }
  };
  event.respondWith(shown());
});
`;
