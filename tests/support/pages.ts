/** Pages as the server sends them, read without a browser: their status, their words, where they lead. */
import type { Client, TestApi, TestUser } from './api.ts';
import type { Language, Site } from './browser.ts';

export interface SentPage {
  status: number;
  /** Where a redirect leads; null for a page. */
  location: string | null;
  html: string;
  /** What a reader sees: no scripts, no marks, white space as one. */
  words: string;
  /** Addresses that the page's links lead to. */
  links: string[];
}

export interface Reader {
  /** Null for a guest. */
  client: Client | null;
  locale?: Language;
}

const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

const wordsOf = (html: string): string =>
  unescaped(
    html
      .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
      .replace(/<!--.*?-->/g, '')
      .replace(/<[^>]+>/g, ' '),
  ).replace(/\s+/g, ' ');

/** The page of an address as this reader gets it. */
export async function sentPage(
  site: Site,
  path: string,
  reader: Reader = { client: null },
): Promise<SentPage> {
  const cookies = [...(reader.client?.cookies ?? []), ['lang', reader.locale ?? 'en'] as const];
  const answer = await site.handle(
    new Request(site.base + path, {
      headers: { cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; ') },
    }),
  );
  const html = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    html,
    words: wordsOf(html),
    links: [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => unescaped(href)),
  };
}

/** Someone signed in who reads pages. */
export const readerOf = async (api: TestApi, user: TestUser, locale?: Language): Promise<Reader> => ({
  client: await api.as(user),
  ...(locale && { locale }),
});
