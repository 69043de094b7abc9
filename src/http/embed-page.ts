/**
 * The page that stands in for one that is opened with `oToken`, `oUser` or `layout`, and for one that a frame opens where
 * nobody is signed in. It takes those out of the address and the history before anything else, turns the token into a
 * session, and loads the page itself: by the session's cookie, or where the browser keeps none, or is signed in besides,
 * by a bearer in session storage, with which the page's HTML is fetched and written in this one's place.
 */
import type { Locale } from '../core/errors.ts';

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

// The console's own colours, written out: this page asks for nothing of it.
const STYLE =
  'body{margin:0;font:14px/22px ui-sans-serif,system-ui,sans-serif;background:light-dark(#f9fafb,#0d1013);color:light-dark(#1b1f25,#e9ecef)}p{max-width:500px;margin:72px auto;padding:0 16px;text-align:center}';

/** Whose names the console knows too: `web/lib/storage.ts` and `web/lib/theme.ts`. */
const SCRIPT = `const nonce=document.currentScript.nonce,words=document.documentElement.dataset,url=new URL(location.href),query=url.searchParams;
const [token,user,layout]=['oToken','oUser','layout'].map((name)=>{const value=query.get(name);query.delete(name);return value});
history.replaceState(null,'',url);
const store=(key,value)=>{try{if(value===null)sessionStorage.removeItem(key);else sessionStorage.setItem(key,value)}catch{}};
const stored=(key)=>{try{return sessionStorage.getItem(key)}catch{return null}};
const say=(text)=>{const line=document.querySelector('p');line.setAttribute('role','alert');line.textContent=text};
const ask=(path,init)=>fetch(path,{...init,cache:'no-store'});
const write=async(bearer)=>{const headers={'x-page-nonce':nonce};if(bearer)headers.authorization='Bearer '+bearer;
const answer=await ask(url.href,{headers});
if(answer.redirected){const to=new URL(answer.url);if(/^\\/(login|setup)$/.test(to.pathname)){store('embed',null);say(words.ended);return}
history.replaceState(null,'',to)}
const html=await answer.text();document.open();document.write(html);document.close()};
const begin=async()=>{if(layout!==null)store('layout',layout==='false'?layout:null);
if(words.framed!=='true'){location.reload();return}
if(token===null)return write(stored('embed'));
store('embed',null);
const init={method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify({token,user})};
const begun=await(await ask('/api/oauth/embed_session',init)).json();
if(!begun.success){say(begun.message);return}
const self=await(await ask('/api/user/self')).json();
if(!begun.data.own_session&&self.success&&self.data.id===begun.data.user){location.reload();return}
store('embed',begun.data.bearer);
return write(begun.data.bearer)};
begin().catch(()=>say(words.offline));`;

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
