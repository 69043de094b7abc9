import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ApiError } from '@/lib/api-error.ts';
import { translatorFor } from '@/lib/translator-for.ts';
import { exportLog } from './export.ts';

const t = translatorFor('en');
const CSV = { 'content-type': 'text/csv; charset=utf-8' };

const answers: Record<string, () => Response> = {
  whole: () => new Response('time,cost\r\n1,2\r\n3,4\r\n', { headers: { ...CSV, 'x-total-rows': '2' } }),
  empty: () => new Response('', { headers: CSV }),
  refused: () => Response.json({ success: false, code: 'LOG_TIMEOUT', message: 'too slow' }, { status: 503 }),
  other: () => Response.json({ success: true, data: null }),
  broken: () => {
    let begun = false;
    const body = new ReadableStream({
      pull(controller) {
        if (begun) return controller.error(new Error('gone'));
        begun = true;
        controller.enqueue(new TextEncoder().encode('time,cost\r\n'));
      },
    });
    return new Response(body, { headers: CSV });
  },
};

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => answers[new URL(url).searchParams.get('way') ?? '']?.() ?? new Response('?'),
  error: () => new Response('?', { status: 500 }),
});
const ofRuntime = globalThis.fetch;
// A page's addresses have no host of their own; those of a test need one.
beforeAll(() => {
  const inPage = (path: string, init?: RequestInit) => ofRuntime(new URL(path, server.url), init);
  globalThis.fetch = Object.assign(inPage, ofRuntime);
});
afterAll(async () => {
  globalThis.fetch = ofRuntime;
  await server.stop(true);
});

const failureOf = (way: string): Promise<unknown> =>
  exportLog({ query: { way }, name: 'usage', userId: 1 }, t)(() => {}, new AbortController().signal).then(
    (text) => ({ text }),
    (error: unknown) => error,
  );

test('a refusal of the sheet keeps its code and its words', async () => {
  expect(await failureOf('refused')).toMatchObject({ code: 'LOG_TIMEOUT', status: 503, message: 'too slow' });
});

test('a connection that breaks is told as one, and an answer without a line as no sheet', async () => {
  expect(await failureOf('broken')).toMatchObject({ code: 'TRANSPORT', status: 0, message: '' });
  for (const way of ['empty', 'other']) {
    expect(await failureOf(way)).toMatchObject({ code: 'TRANSPORT', message: t('log.exportFailed') });
  }
});

test('a fault of the page itself is not laid upon the fetching', async () => {
  // Nothing here can save a file.
  const error = await failureOf('whole');
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(ApiError);
});
