/** What is charged of answers that were not waited for, and of counts that cannot be. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'Hello?' }];

it('a prompt that the upstream has read is charged though its caller left before any content', async () => {
  await t.relay.set({ DrainSeconds: 1 });
  const model = await t.model(14);
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const start = {
    type: 'message_start',
    message: {
      id: 'm',
      role: 'assistant',
      content: [],
      model,
      usage: { input_tokens: 20_000, output_tokens: 1 },
    },
  };
  t.answers(() => {
    resolve();
    const body = new ReadableStream({
      start: (to) =>
        to.enqueue(new TextEncoder().encode(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`)),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const left = new AbortController();
  const asking = fetch(`${t.relay.base}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': t.relay.key },
    body: JSON.stringify({ model, max_tokens: 50, stream: true, messages: MESSAGES }),
    signal: left.signal,
  }).catch(() => null);
  await asked;
  left.abort();
  await asking;
  const row = await t.row();
  expect(row).toMatchObject({
    type: 2,
    quota: 20_000,
    prompt_tokens: 20_000,
    completion_tokens: 0,
    other: { stream_end: 'client_gone', usage_source: 'upstream' },
  });
});

it('a count far beyond the limit is not believed, and the row says so', async () => {
  const model = await t.model(14);
  t.answers({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 400_000 },
  });
  const asked = { model, max_tokens: 50, messages: MESSAGES };
  expect((await t.post('/v1/messages', asked)).status).toBe(200);
  const row = await t.row();
  expect(row.other).toMatchObject({ usage_source: 'estimated', usage_suspect: true });
  expect(row.completion_tokens).toBeLessThan(10);
});
