/**
 * The question whether an application may sign in here and do what it asks for. It needs nothing of the console, works
 * without JavaScript, and nobody may frame it: what is agreed to was read.
 */
import type { AppError, Locale } from '../core/errors.ts';
import { scopeTexts } from '../core/oauth.ts';
import { policyOrigin } from '../core/web-address.ts';
import { SECRET } from './compress.ts';
import { escapeHtml } from './html.ts';
import { newNonce } from './kept-pages.ts';
import { bodyStyle, colours } from './plain-page.ts';

const words = {
  zh: {
    lang: 'zh-CN',
    title: '授权登录',
    asks: '请求使用您的 {site} 账户登录',
    may: '同意后，该应用可以：',
    account: '当前账户',
    to: '之后将前往',
    app: '本机上的应用',
    approve: '同意',
    reject: '拒绝',
    homepage: '应用主页',
    care: '如果不是您自己发起的，请拒绝。',
    prove: '请输入登录密码，确认是您本人',
    again: '重新登录后继续',
    noPassword: '同意前请重新登录，确认是您本人。登录后会再次显示此页。',
  },
  en: {
    lang: 'en',
    title: 'Allow this application?',
    asks: 'asks to sign you in with your {site} account',
    may: 'If you agree, it may:',
    account: 'Signed in as',
    to: 'You will be sent to',
    app: 'an application on this device',
    approve: 'Allow',
    reject: 'Refuse',
    homepage: 'Its homepage',
    care: 'If you did not start this yourself, refuse.',
    prove: 'Enter your password to show that it is you',
    again: 'Sign in again',
    noPassword: 'Before you allow this, sign in again to show that it is you. You are asked anew then.',
  },
} as const;

export interface ConsentPage {
  locale: Locale;
  theme: 'light' | 'dark' | null;
  siteName: string;
  appName: string;
  homepage: string;
  username: string;
  scopes: readonly string[];
  redirectUri: string;
  ticket: string;
  /** How he has to prove that it is he: by his password, or, who has none, by signing in again. */
  proof: 'password' | 'sign-in' | null;
  /** Why his last answer was not taken. */
  refusal?: AppError;
}

const STYLE = `*{box-sizing:border-box}${bodyStyle(colours.page)}
main{max-width:500px;margin:72px auto;padding:24px;background:${colours.raised};border:1px solid ${colours.line};border-radius:6px;display:grid;gap:16px}
h1{margin:0;font-size:20px;line-height:28px;overflow-wrap:anywhere}p,ul,dl,dd{margin:0}.soft,dt{color:${colours.soft}}ul{padding:0 0 0 20px;display:grid;gap:4px}
dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:4px 16px}dd{overflow-wrap:anywhere}form{display:grid;grid-template-columns:1fr 1fr;gap:12px}
form>p,label{grid-column:1/-1}label{display:grid;gap:6px;font-weight:500}input{font:inherit;height:44px;width:100%;padding:0 12px;border-radius:4px;border:1px solid ${colours.edge};background:${colours.field};color:inherit}.wrong{color:${colours.bad}}
button{font:inherit;font-weight:500;height:44px;border-radius:4px;border:1px solid ${colours.edge};background:${colours.field};color:inherit;cursor:pointer}
button.yes{border-color:transparent;background:${colours.accent};color:${colours.onAccent}}a{color:${colours.link}}
:focus-visible{outline:2px solid ${colours.accent};outline-offset:2px}@media(max-width:540px){main{margin:16px;padding:16px}}`;

/**
 * Where the form's answer leads. Browsers hold the redirect that follows a form against the policy as well; a host in
 * brackets, or with what means something there, has no place there, so that such a one is named by its scheme.
 */
function formTarget(redirectUri: string): string {
  const { protocol, hostname } = new URL(redirectUri);
  const origin = policyOrigin(redirectUri);
  return origin === '' || hostname.startsWith('[') ? protocol : origin;
}

/** Whom the user is sent to, as he knows it: the host; of an address on his own machine that it is there. */
function placeOf(redirectUri: string, locale: Locale): string {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:'
    ? hostname
    : `${words[locale].app} (${protocol === 'http:' ? hostname : protocol})`;
}

export function consentPage(page: ConsentPage): Response {
  const { locale, theme, siteName, appName, homepage, username, redirectUri, ticket, proof, refusal } = page;
  const text = words[locale];
  const nonce = newNonce();
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `form-action 'self' ${formTarget(redirectUri)}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': SECRET,
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
  };
  const items = scopeTexts(page.scopes).map((line) => `<li>${escapeHtml(line[locale])}</li>`);
  const may = items.length > 0 ? `<p>${text.may}</p><ul>${items.join('')}</ul>` : '';
  const link =
    homepage === ''
      ? ''
      : `<dt>${text.homepage}</dt><dd><a href="${escapeHtml(homepage)}" rel="noreferrer">${escapeHtml(homepage)}</a></dd>`;
  const wrong = refusal ? `<p role="alert" class="wrong">${escapeHtml(refusal.text(locale))}</p>` : '';
  // The first button of a form is what Enter presses: here the one that refuses.
  const field = `<button hidden name="decision" value="approve"></button><label>${text.prove}<input type="password" name="password" autocomplete="current-password" required></label>`;
  const proving = { password: field, 'sign-in': `<p>${text.noPassword}</p>` };
  const yes =
    proof === 'sign-in'
      ? { decision: 'again', word: text.again }
      : { decision: 'approve', word: text.approve };
  const html = `<!doctype html>
<html lang="${text.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text.title} - ${escapeHtml(siteName)}</title><style nonce="${nonce}">:root{color-scheme:${theme ?? 'light dark'}}${STYLE}</style></head>
<body><main><h1>${text.title}</h1><p><strong>${escapeHtml(appName)}</strong> ${escapeHtml(text.asks.replace('{site}', () => siteName))}</p>${may}
<dl><dt>${text.account}</dt><dd>${escapeHtml(username)}</dd><dt>${text.to}</dt><dd>${escapeHtml(placeOf(redirectUri, locale))}</dd>${link}</dl>
<p class="soft">${text.care}</p>
<form method="post" action="/api/oauth/authorize"><input type="hidden" name="ticket" value="${escapeHtml(ticket)}">${wrong}${proof ? proving[proof] : ''}
<button name="decision" value="reject" formnovalidate>${text.reject}</button><button class="yes" name="decision" value="${yes.decision}">${yes.word}</button></form></main></body></html>`;
  return new Response(html, { headers, status: refusal?.apiStatus ?? 200 });
}
