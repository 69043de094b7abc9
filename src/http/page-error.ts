/** The page that needs nothing: for when the console itself cannot be rendered, or must not cost anything. */
import type { AppError, Locale } from '../core/errors.ts';
import { escapeHtml } from './html.ts';
import { bodyStyle, colours } from './plain-page.ts';

const words = {
  zh: { lang: 'zh-CN', title: '页面打不开', id: '请求编号', again: '重新加载' },
  en: { lang: 'en', title: 'The page could not be loaded', id: 'Request id', again: 'Reload' },
} as const;

const STYLE = `:root{color-scheme:light dark}${bodyStyle(colours.page)}main{max-width:500px;margin:72px auto;padding:0 16px}h1{font-size:20px;line-height:28px}.id{color:${colours.soft};font-size:12px}a{color:${colours.link}}`;

/** The refusal as a page of its own, with its status and the request's id. */
export function errorDocument(error: AppError, locale: Locale, requestId: string): Response {
  const { lang, title, id, again } = words[locale];
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'x-request-id': requestId,
  });
  const retryAfter = error.retryAfter(error.apiStatus);
  if (retryAfter !== null) headers.set('retry-after', retryAfter);
  const html = `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${escapeHtml(error.text(locale))}</p><p class="id">${id} <code>${escapeHtml(requestId)}</code></p>
<p><a href="">${again}</a></p></main></body></html>`;
  return new Response(html, { status: error.apiStatus, headers });
}
