/** What an operator may put behind a link that people click: pages of the web, and apps that take a key by their own scheme. */
import type { Text } from './text.ts';

/** Characters. */
export const LINK_MAX = 2_000;

/**
 * Schemes of chat apps that register themselves for links like `cherrystudio://providers/api-keys?…`. All others are
 * refused: `javascript:` and `data:` would run here, `file:` and the schemes of systems open more than a chat.
 */
const APP_SCHEMES: readonly string[] = [
  'aionui',
  'ama',
  'botgem',
  'ccswitch',
  'chatbox',
  'chatwise',
  'cherrystudio',
  'deepchat',
  'nextchat',
  'opencat',
];

const WEB_SCHEMES: readonly string[] = ['http', 'https'];

/** `{address}` is this site's own, which has a scheme already. */
const OWN_ADDRESS = '{address}';

/** An address of the web or of an app that is known, or empty. */
export function checkLink(text: string): Text | null {
  if (text === '' || text.startsWith(OWN_ADDRESS)) return null;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return {
      zh: '必须是完整的链接，例如 https://app.example.com/?key={key}',
      en: 'must be a whole link such as https://app.example.com/?key={key}',
    };
  }
  const isWeb = WEB_SCHEMES.includes(scheme);
  if (isWeb && /^https?:\/\/[^/\s]/i.test(text)) return null;
  if (APP_SCHEMES.includes(scheme)) return null;
  const known = ['http', 'https', ...APP_SCHEMES].join(', ');
  return {
    zh: `不能使用 ${scheme}: 链接，可用的有：${known}`,
    en: `a link must not begin with ${scheme}:, but with one of: ${known}`,
  };
}

/** What a link is filled in with: this site's address and a relay key. */
export interface LinkFillings {
  /** `https://gateway.example` */
  address: string;
  /** With its `sk-`. */
  key: string;
}

/**
 * The link with `{key}` and `{address}` filled in, each as a part of an address; at the very beginning the site's stands as
 * it is. Null when it may not be opened.
 */
export function fillLink(link: string, { address, key }: LinkFillings): string | null {
  const [head, rest] = link.startsWith(OWN_ADDRESS) ? [address, link.slice(OWN_ADDRESS.length)] : ['', link];
  const filled =
    head +
    rest
      .replaceAll(OWN_ADDRESS, () => encodeURIComponent(address))
      .replaceAll('{key}', () => encodeURIComponent(key));
  return filled !== '' && checkLink(filled) === null && URL.canParse(filled) ? filled : null;
}

/** Whom a filled-in link leads to: the host of a page, the scheme of an app. */
export function linkTarget(filled: string): string {
  const { protocol, host } = new URL(filled);
  return isWebLink(filled) ? host : protocol.slice(0, -1);
}

export const isWebLink = (filled: string): boolean =>
  WEB_SCHEMES.includes(new URL(filled).protocol.slice(0, -1));
