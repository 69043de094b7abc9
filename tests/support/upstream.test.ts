import { afterAll, beforeAll, expect, it } from 'bun:test';
import { startUpstream, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ words: 4 });
});
afterAll(() => upstream.close());

const call = (model: string, stream = false, init: RequestInit = {}) =>
  fetch(`${upstream.base}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model, stream, stream_options: { include_usage: true } }),
    ...init,
  });

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : String(error)),
  );

it('answers plainly and as a stream, with usage', async () => {
  expect(await (await call('m')).json()).toMatchObject({
    choices: [{ message: { content: 'w0 w1 w2 w3' } }],
    usage: { prompt_tokens: 17, completion_tokens: 4 },
  });
  const text = await (await call('m', true)).text();
  expect(text.match(/^data: /gm)).toHaveLength(8);
  expect(text).toContain('"completion_tokens":4');
  expect(text).toEndWith('data: [DONE]\n\n');
});

it('fails before headers, after them, and half-way, each as named', async () => {
  expect((await call('m@503')).status).toBe(503);
  expect((await call('m@429')).headers.get('retry-after')).toBe('7');
  expect(await codeOf(call('m@reset'))).toBe('ECONNRESET');
  for (const behaviour of ['reset-headers', 'cut']) {
    const answer = await call(`m@${behaviour}`, true);
    expect(answer.status).toBe(200);
    expect(await codeOf(answer.text())).toBe('ECONNRESET');
  }
  expect(await codeOf((await call('m@bad-json')).json())).not.toBe('ok');
  expect(await (await call('m@empty', true)).text()).toBe('');
  expect(await (await call('m@error-mid', true)).text()).toContain('"mock failure"');
});

it('compresses, and splits a character over two chunks', async () => {
  expect(await (await call('m@gzip', true)).text()).toContain('w3');
  const body = (await call('m@utf8', true)).body;
  const chunks = body ? await Array.fromAsync(body as AsyncIterable<Uint8Array>) : [];
  expect(Buffer.concat(chunks).toString()).toContain('汉字');
  expect(chunks.some((chunk) => chunk.at(-1) === 0xe6)).toBe(true);
});

it('holds answers until they are released, and takes behaviours in order', async () => {
  const held = [call('m@held'), call('m@held')];
  await upstream.until(() => upstream.heldNow === 2);
  upstream.release();
  expect((await Promise.all(held)).map((answer) => answer.status)).toEqual([200, 200]);
  upstream.next.push('500', 'ok');
  expect((await call('m')).status).toBe(500);
  expect((await call('m')).status).toBe(200);
});

it('notices that the caller left', async () => {
  const leave = new AbortController();
  const answer = await call('m@endless', true, { signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  await upstream.until(() => upstream.chats.at(-1)?.leftEarly === true);
  const sent = upstream.chats.at(-1)?.framesSent ?? 0;
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(1_000);
});
