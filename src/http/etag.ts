/** Answers that clients ask for again and again: who holds the present one is told so, and is sent nothing. */
import { createHash } from 'node:crypto';
import { Elysia } from 'elysia';

interface Answered {
  request: Request;
  responseValue: unknown;
  set: { headers: Record<string, string | number | undefined> };
}

const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`;

/** A list of tags, of which proxies may have weakened some, or `*`. */
const holds = (header: string | null, tag: string): boolean =>
  (header ?? '').split(',').some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, '')));

interface Rendered {
  text: string;
  tag: string;
}

/** Of answers that are kept to be given again, and of all others until they are given. */
const known = new WeakMap<object, Rendered>();

function render(answer: unknown): Rendered {
  const isObject = typeof answer === 'object' && answer !== null;
  const before = isObject ? known.get(answer) : undefined;
  if (before) return before;
  const text = JSON.stringify(answer);
  const rendered = { text, tag: tagOf(text) };
  if (isObject) known.set(answer, rendered);
  return rendered;
}

/**
 * `{ etag: true }` on a GET puts a tag on its answer, and answers 304 to who names that tag. It may be kept, by its reader
 * alone, if he asks each time whether it still holds.
 */
export const etag = new Elysia({ name: 'etag' }).macro({
  etag: (_: true) => ({
    mapResponse: ({ request, responseValue, set }: Answered): Response | undefined => {
      // A refusal is a response already.
      if (responseValue instanceof Response) return undefined;
      const { text, tag } = render(responseValue);
      const headers = new Headers({ etag: tag, 'cache-control': 'private, no-cache' });
      for (const [name, value] of Object.entries(set.headers)) {
        if (value !== undefined && !headers.has(name)) headers.set(name, String(value));
      }
      if (holds(request.headers.get('if-none-match'), tag))
        return new Response(null, { status: 304, headers });
      headers.set('content-type', 'application/json');
      return new Response(text, { headers });
    },
  }),
});
