import { expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { openAssets } from './assets.ts';
import { isLarge } from './large-answers.ts';

const MOST = limits.answerAtOnceChars;
const letters = (count: number): string => 'x'.repeat(count);

it.each<[string, Response, boolean]>([
  ['a long text', new Response(letters(MOST + 2_048)), true],
  ['one that takes two bytes a letter', new Response('模'.repeat(MOST / 2 + 2_048)), true],
  ['long JSON', Response.json({ data: letters(MOST + 2_048) }), true],
  ['many bytes', new Response(new Uint8Array(MOST + 2_048)), true],
  ['a text that sockets take at once', new Response(letters(MOST)), false],
  ['no body', new Response(null, { status: 204 }), false],
  [
    'a stream, however much it has',
    new Response(
      new ReadableStream({
        start(to) {
          to.enqueue(new Uint8Array(2 * MOST));
          to.close();
        },
      }),
    ),
    false,
  ],
])('knows how much would be kept of an answer: %s', (_what, answer, large) => {
  expect(isLarge(answer)).toBe(large);
});

it('built files are one copy for all who ask for them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-assets-'));
  try {
    const code = { entry: 'a.js', shared: [], pages: {} };
    const manifest = { css: [], code: { zh: code, en: code }, files: ['a.js'], icons: [] };
    await Bun.write(join(folder, 'manifest.json'), JSON.stringify(manifest));
    for (const ending of ['', '.gz', '.br'])
      await Bun.write(join(folder, `a.js${ending}`), letters(4 * MOST));
    const file = (await openAssets(folder)).find(new Request('http://localhost/_a/a.js'));
    const answer = file && new Response(file.body, file);
    expect(answer && isLarge(answer)).toBe(false);
    expect(answer?.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await answer?.text())?.length).toBe(4 * MOST);
  } finally {
    await rm(folder, { recursive: true });
  }
});
