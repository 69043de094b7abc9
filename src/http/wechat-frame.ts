/**
 * The page in the frame of signing in with WeChat: the QR code of the public account, and a box for the code that one is
 * given there. It needs nothing of the console. What came of it is told to the page around it, of the same origin:
 * `{ type: 'wechat', success, message, code, data }`, the fields of the call's answer; that page may answer `again` to
 * have the code sent once more.
 */
import type { Locale } from '../core/errors.ts';
import { policyOrigin } from '../core/web-address.ts';
import { SECRET } from './compress.ts';
import { escapeHtml } from './html.ts';
import { bodyStyle, colours } from './plain-page.ts';

const words = {
  zh: {
    lang: 'zh-CN',
    title: '微信登录',
    how: '使用微信扫码关注公众号，输入「验证码」获取验证码',
    howPlain: '关注公众号，输入「验证码」获取验证码',
    picture: '公众号二维码',
    code: '验证码',
    missing: '请输入验证码',
    submit: '确定',
    done: '操作成功',
    offline: '无法连接到服务器，请稍后再试',
  },
  en: {
    lang: 'en',
    title: 'WeChat',
    how: 'Scan with WeChat, follow the account and send it 验证码 to get a code',
    howPlain: 'Follow the public account in WeChat and send it 验证码 to get a code',
    picture: 'QR code of the public account',
    code: 'Code',
    missing: 'Please enter the verification code',
    submit: 'OK',
    done: 'Done',
    offline: 'The server cannot be reached, please try again later',
  },
} as const;

export interface WeChatFrame {
  locale: Locale;
  /** Empty when the operator has none. */
  picture: string;
  /** Sent along with the code. */
  hidden: Readonly<Record<string, string>>;
  /** Null: as the system prefers. */
  theme: 'light' | 'dark' | null;
  /** Origins beside our own that may frame the console, and with it this. */
  embedOrigins: readonly string[];
  cookie?: string;
}

const STYLE = `*{box-sizing:border-box}${bodyStyle(colours.raised)}
main{max-width:380px;margin:0 auto;padding:8px 16px 16px;display:grid;gap:12px}h1{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
img{display:block;margin:0 auto;width:184px;height:184px;border-radius:4px;background:#fff;object-fit:contain}p{margin:0}.how{text-align:center;word-break:keep-all;text-wrap:balance;color:${colours.soft}}
form{display:grid;gap:6px}label{font-weight:500}input,button{font:inherit;height:44px;border-radius:4px;padding:0 12px;width:100%}
input{border:1px solid ${colours.edge};background:${colours.field};color:inherit}button{margin-top:6px;border:0;background:${colours.accent};color:${colours.onAccent};font-weight:500;cursor:pointer}
button:disabled{opacity:.6;cursor:default}:focus-visible{outline:2px solid ${colours.accent};outline-offset:2px}.say{min-height:22px}.say.bad{color:${colours.bad}}`;

const SCRIPT = `const form=document.forms[0],say=document.querySelector('.say'),button=form.querySelector('button'),words=form.dataset;
const tell=(what)=>{if(parent!==window)parent.postMessage({type:'wechat',...what},location.origin)};
const show=(text,bad)=>{say.textContent=text;say.className=bad?'say bad':'say'};
form.addEventListener('submit',async(event)=>{event.preventDefault();
if(form.elements.code.value.trim()===''){show(words.missing,true);form.elements.code.focus();return}
button.disabled=true;show('');
try{const answer=await(await fetch(location.pathname+'?'+new URLSearchParams(new FormData(form)),{headers:{accept:'application/json'},cache:'no-store'})).json();
show(answer.success?words.done:answer.message,!answer.success);tell(answer);
if(answer.success&&parent===window)location.assign('/')}
catch{show(words.offline,true)}finally{button.disabled=false}});
addEventListener('message',(event)=>{if(event.source===parent&&event.origin===location.origin&&event.data==='again')form.requestSubmit()});`;

export function wechatFrame(frame: WeChatFrame): Response {
  const { locale, hidden, theme, embedOrigins, cookie } = frame;
  const text = words[locale];
  // What no policy can name is not shown.
  const pictureOrigin = policyOrigin(frame.picture);
  const picture = pictureOrigin === '' ? '' : frame.picture;
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    ...(picture === '' ? [] : [`img-src ${pictureOrigin}`]),
    `frame-ancestors ${["'self'", ...embedOrigins].join(' ')}`,
    "form-action 'none'",
    "base-uri 'none'",
  ];
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': SECRET,
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
  });
  if (cookie) headers.append('set-cookie', cookie);
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const image =
    picture === '' ? '' : `<img src="${escapeHtml(picture)}" alt="${text.picture}" width="184" height="184">`;
  const html = `<!doctype html>
<html lang="${text.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text.title}</title><style nonce="${nonce}">:root{color-scheme:${theme ?? 'light dark'}}${STYLE}</style></head>
<body><main><h1>${text.title}</h1>${image}<p class="how">${picture === '' ? text.howPlain : text.how}</p>
<form novalidate data-missing="${text.missing}" data-done="${text.done}" data-offline="${text.offline}">${fields.join('')}
<label for="code">${text.code}</label><input id="code" name="code" maxlength="100" required autocomplete="one-time-code" autocapitalize="none" spellcheck="false">
<button>${text.submit}</button></form><p class="say" role="alert"></p></main>
<script nonce="${nonce}">${SCRIPT}</script></body></html>`;
  return new Response(html, { headers });
}
