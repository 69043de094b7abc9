/**
 * Pages that are alike for all who are not signed in, rendered once in a few seconds however many ask. Each answer has a
 * nonce and a request id of its own, put in the place of those that the page was made with.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../core/limits.ts';

interface Kept {
  html: string;
  headers: Headers;
  nonce: string;
  requestId: string;
  until: number;
}

export interface KeptPages {
  /** The page of `key`, from memory or made now; of many who ask at once one makes it. */
  answer(key: string, requestId: string, make: () => Promise<Response>): Promise<Response>;
}

export const newNonce = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');

const NONCE = /'nonce-([\w-]+)'/;

export function createKeptPages(clock: () => number = Date.now): KeptPages {
  const pages = new LRUCache<string, Kept>({ max: limits.pagesKept });
  const making = new Map<string, Promise<Kept | null>>();

  /** Keeps what may be shown to others; null for what is no whole page of everybody's. */
  const keep = async (key: string, answer: Response): Promise<Kept | null> => {
    const nonce = NONCE.exec(answer.headers.get('content-security-policy') ?? '')?.[1];
    const requestId = answer.headers.get('x-request-id');
    if (answer.status !== 200 || !nonce || !requestId || answer.headers.has('set-cookie')) return null;
    const html = await answer.clone().text();
    const kept = { html, headers: answer.headers, nonce, requestId, until: clock() + limits.pageKeptMs };
    pages.set(key, kept);
    return kept;
  };

  return {
    async answer(key, requestId, make) {
      const held = pages.peek(key);
      if (held && held.until > clock()) return again(held, requestId);
      const underWay = making.get(key);
      const shared = underWay && (await underWay);
      if (shared) return again(shared, requestId);
      let own: Response | undefined;
      const fresh = (async () => {
        own = await make();
        return keep(key, own);
      })();
      // Whoever waits for a page that comes to nothing makes one himself.
      making.set(
        key,
        fresh.catch(() => null),
      );
      try {
        const kept = await fresh;
        return kept ? again(kept, requestId) : (own ?? (await make()));
      } finally {
        making.delete(key);
      }
    },
  };
}

function again({ html, headers: from, nonce, requestId: madeFor }: Kept, requestId: string): Response {
  const fresh = newNonce();
  const headers = new Headers(from);
  const policy = headers.get('content-security-policy') ?? '';
  headers.set('content-security-policy', policy.replaceAll(nonce, fresh));
  headers.set('x-request-id', requestId);
  return new Response(html.replaceAll(nonce, fresh).replaceAll(madeFor, requestId), { headers });
}
