import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { BALANCE, CALL_COST, openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
});
afterAll(() => relay.close());

const send = (body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${relay.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${relay.key}`, ...headers },
    body,
  });

function lastSeen() {
  const seen = relay.upstream.chats.at(-1);
  if (!seen) throw new Error('nothing went upstream');
  return seen;
}

const MESSAGES = [{ role: 'user', content: 'hi' }];
const chat = (fields: object) => JSON.stringify({ model: 'gpt-4o', messages: MESSAGES, ...fields });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('bad input', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', '{"model":'],
    ['a list', '[]'],
    ['a text', '"hi"'],
    ['null', 'null'],
    ['50,000-fold nesting', `{"model":"gpt-4o","messages":${nested(50_000)}}`],
    ['65-fold nesting', `{"model":"gpt-4o","x":${nested(64)}}`],
    [
      'an integer beyond 2^53',
      `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"seed":9007199254740993}`,
    ],
    ['no model', JSON.stringify({ messages: MESSAGES })],
    ['an empty model', chat({ model: '' })],
    ['a model that is a number', chat({ model: 7 })],
    ['a NUL in the model', chat({ model: 'gpt-4o\0' })],
    ['a model name of a megabyte', chat({ model: 'm'.repeat(1_000_000) })],
    ['no messages', JSON.stringify({ model: 'gpt-4o' })],
    ['messages that are a text', chat({ messages: 'hi' })],
    ['an empty list of messages', chat({ messages: [] })],
    ['4,097 messages', chat({ messages: Array(4097).fill(MESSAGES[0]) })],
    ['a message that is a text', chat({ messages: ['hi'] })],
    ['a message without a role', chat({ messages: [{ content: 'hi' }] })],
    ['content that is a number', chat({ messages: [{ role: 'user', content: 7 }] })],
    ['a part that is a number', chat({ messages: [{ role: 'user', content: [7] }] })],
    ['a text part without text', chat({ messages: [{ role: 'user', content: [{ type: 'text' }] }] })],
    ['stream as a text', chat({ stream: 'yes' })],
    ['stream_options as a text', chat({ stream: true, stream_options: 'usage' })],
    ['tools as an object', chat({ tools: {} })],
    ['a negative max_tokens', chat({ max_tokens: -1 })],
    ['a max_tokens of 0', chat({ max_tokens: 0 })],
    ['an absurd max_tokens', chat({ max_tokens: 10_000_001 })],
    ['a fraction of max_tokens', chat({ max_tokens: 1.5 })],
    ['a max_tokens of 1e308', chat({ max_tokens: 1e308 })],
    ['a max_tokens that is a text', chat({ max_tokens: '100' })],
    ['a negative max_completion_tokens', chat({ max_completion_tokens: -5 })],
    ['n of 0', chat({ n: 0 })],
    ['n of 129', chat({ n: 129 })],
    ['n that is a text', chat({ n: '1' })],
  ])('such as %s is refused with 400', async (_name, body) => {
    const answer = await send(body);
    const { error } = await answer.json();
    expect([answer.status, error.code, error.type]).toEqual([
      400,
      'invalid_request',
      'invalid_request_error',
    ]);
    expect(error.message.length).toBeLessThan(400);
  });

  it('names the field that is wrong', async () => {
    const { error } = await (await send(chat({ max_tokens: -1 }))).json();
    expect(error.param).toBe('max_tokens');
    expect(error.message).toContain('between 1 and 10000000');
  });

  it.each([
    ['max_tokens', 1],
    ['max_tokens', 1000],
    ['n', 2],
    ['max_tokens', null],
    ['stream', null],
    ['tools', null],
  ])('does not include a %s of %p', async (field, value) => {
    expect((await send(chat({ [field]: value }))).status).toBe(200);
  });

  it('beyond the bound of bodies is refused with 413, announced or not', async () => {
    const large = new Uint8Array(33 * 1024 * 1024).fill(32);
    expect((await send(large)).status).toBe(413);
    const pieces = new ReadableStream({
      start(controller) {
        controller.enqueue(large);
        controller.close();
      },
    });
    const answer = await send(pieces).catch(() => null);
    // The refusal may reach the caller while it is still sending, which breaks its connection.
    if (answer) expect(answer.status).toBe(413);
  });

  it('that is compressed is refused with 415', async () => {
    const answer = await send(Bun.gzipSync(Buffer.from(chat({}))), { 'content-encoding': 'gzip' });
    expect([answer.status, (await answer.json()).error.code]).toEqual([415, 'body_encoding']);
  });

  it('without an end does not keep its place in memory when the caller goes', async () => {
    const { port } = new URL(relay.base);
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${relay.key}\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const { bodies } = relay.api.deps.relay;
    while (bodies.bytes === 0) await Bun.sleep(5);
    socket.destroy();
    while (bodies.bytes > 0) await Bun.sleep(5);
    expect(bodies.bytes).toBe(0);
  });

  it('leaves nothing behind', async () => {
    await relay.settled(5);
    const account = await relay.account();
    const rows = await relay.logs();
    expect(rows.every((row) => row.type === 2 && row.quota === CALL_COST)).toBe(true);
    expect(account.quota).toBe(BALANCE - rows.length * CALL_COST);
    expect(account.reserved).toBe(0);
    expect(relay.api.deps.relay.bodies.bytes).toBe(0);
  });
});

describe('a body', () => {
  it('reaches the upstream with every field, known or not, and the last of twice given keys', async () => {
    await send(
      '{"model":"other","model":"gpt-4o","messages":[{"role":"user","content":"hi","x":{"y":[1],"__proto__":{"a":1}}}],"top_k":5,"temperature":0.1}',
    );
    const { raw, body } = lastSeen();
    expect(body.model).toBe('gpt-4o');
    expect(raw.toString()).not.toContain('other');
    expect(raw.toString()).toContain('"__proto__":{"a":1}');
    expect(body).toMatchObject({ top_k: 5, temperature: 0.1, messages: [{ x: { y: [1] } }] });
  });

  it('of 10 MB with images passes', async () => {
    const url = `data:image/png;base64,${'A'.repeat(2_500_000)}`;
    const image = { type: 'image_url', image_url: { url } };
    const answer = await send(
      chat({
        messages: [{ role: 'user', content: [{ type: 'text', text: 'what' }, image, image, image, image] }],
      }),
    );
    expect(answer.status).toBe(200);
    expect(relay.upstream.chats.at(-1)?.raw.length).toBeGreaterThan(10_000_000);
  });

  it("asks for usage in a stream beside the caller's own options, and carries none of the caller's headers", async () => {
    const answer = await send(chat({ stream: true, stream_options: { include_obfuscation: false } }), {
      cookie: 'session=secret',
      'x-forwarded-for': '10.0.0.1',
      'openai-organization': 'org-of-the-caller',
    });
    await answer.text();
    const { body, headers } = lastSeen();
    expect(body.stream_options).toEqual({ include_obfuscation: false, include_usage: true });
    expect(headers.authorization).toBe('Bearer sk-upstream-secret');
    for (const name of ['cookie', 'x-forwarded-for', 'openai-organization', 'x-api-key']) {
      expect(headers[name]).toBeUndefined();
    }
  });
});
