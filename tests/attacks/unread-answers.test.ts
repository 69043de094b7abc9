/**
 * Answers that are cheap and large: embeddings of a thousand words are fifty megabytes for a hundredth of a cent. Who does
 * not read them fills the memory; who asks for more than can be read pays nothing, and has it asked elsewhere.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { createProbe } from '../../src/relay/attempt/probe.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const MIB = 1024 * 1024;
const BIG = 8 * MIB;

let t: Operations;
let model: string;
beforeAll(async () => {
  t = await openOperations();
  model = await t.model(1, { named: 'many' });
  // Another channel that could be asked.
  await t.model(1, { named: 'many' });
});
beforeEach(async () => {
  await t.relay.setBalance(50_000_000);
  await t.relay.set({ RetryTimes: 2 });
});
afterAll(() => t.close());

const embeddings = (bytes: number): JsonObject => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: 'A'.repeat(bytes) }],
  usage: { prompt_tokens: 50, total_tokens: 50 },
});

/** Asks and takes nothing but the head of the answer. */
function askUnread(key = t.relay.key, ip = '127.0.0.1'): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const body = JSON.stringify({ model, input: 'words' });
  const socket = net.connect(Number(new URL(t.relay.base).port), '127.0.0.1', () => {
    socket.write(
      `POST /v1/embeddings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `X-Forwarded-For: ${ip}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  socket.once('error', reject);
  socket.once('readable', () => resolve(socket));
  return promise;
}

/** Of an answer of which nothing was taken yet. */
const statusOf = (socket: net.Socket): number => Number(String(socket.read()).split(' ')[1]);

const relay = () => t.relay.api.deps.relay;

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !condition(); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('that does not come');
  }
}

describe('an answer that its caller does not read', () => {
  it('keeps his place and his room until he has it or has gone', async () => {
    t.answers(embeddings(BIG));
    const first = await askUnread();
    await t.row();
    const second = await askUnread();
    await t.row();
    expect(relay().calls.open).toBe(2);
    expect(relay().answersHeld.bytes).toBeGreaterThan(2 * BIG);
    for (const socket of [first, second]) socket.destroy();
    await until(() => relay().calls.open === 0);
    expect(relay().answersHeld.bytes).toBe(0);
  });

  it('leaves room for the answers of others, and is charged though there is none', async () => {
    const whole = relay().answersHeld;
    relay().answersHeld = new BodyBudget(26 * MIB);
    const sockets: net.Socket[] = [];
    try {
      const other = await t.relay.api.createUser({ quota: 1_000_000 });
      const key = await t.relay.addToken({}, other);
      t.answers(embeddings(BIG));
      const asked = t.seen.length;
      sockets.push(await askUnread());
      await t.row();
      const second = await t.post('/v1/embeddings', { model, input: 'words' });
      expect([
        second.status,
        second.headers.get('retry-after'),
        second.headers.get('x-should-retry'),
      ]).toEqual([503, null, 'false']);
      expect(await second.text()).toContain('charged');
      const row = await t.row();
      expect(row).toMatchObject({ type: 2, completion_tokens: 0, other: { usage_source: 'held' } });
      expect(row.quota).toBeGreaterThan(0);
      sockets.push(await askUnread(key));
      expect(await t.row()).toMatchObject({ type: 2, prompt_tokens: 50 });
      // Nobody was asked twice.
      expect(t.seen.length - asked).toBe(3);
    } finally {
      for (const socket of sockets) socket.destroy();
      await until(() => relay().calls.open === 0);
      expect(relay().answersHeld.bytes).toBe(0);
      relay().answersHeld = whole;
    }
  });

  it('leaves room for those of other networks, however many accounts one network has', async () => {
    const { answersHeld, answersByNetwork } = relay();
    Object.assign(relay(), {
      answersHeld: new BodyBudget(26 * MIB),
      answersByNetwork: new BodyBudget(26 * MIB),
    });
    const sockets: net.Socket[] = [];
    const statuses: number[] = [];
    try {
      t.answers(embeddings(BIG));
      for (const ip of ['198.51.100.1', '198.51.100.1', '203.0.113.9']) {
        const other = await t.relay.api.createUser({ quota: 1_000_000 });
        const socket = await askUnread(await t.relay.addToken({}, other), ip);
        sockets.push(socket);
        statuses.push(statusOf(socket));
        expect(await t.row()).toMatchObject({
          type: 2,
          prompt_tokens: 50,
          other: { usage_source: 'upstream' },
        });
      }
      expect(statuses).toEqual([200, 503, 200]);
    } finally {
      for (const socket of sockets) socket.destroy();
      await until(() => relay().calls.open === 0);
      expect([relay().answersHeld.bytes, relay().answersByNetwork?.bytes ?? 0]).toEqual([0, 0]);
      Object.assign(relay(), { answersHeld, answersByNetwork });
    }
  });

  it('comes as a whole to who reads slowly', async () => {
    const embedding = 'é😀A'.repeat(BIG / 8);
    const answer = { ...embeddings(0), data: [{ object: 'embedding', index: 0, embedding }] };
    t.answers(answer);
    const response = await t.post('/v1/embeddings', { model, input: 'words' });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      if (pieces.length % 16 === 0) await Bun.sleep(5);
    }
    const bytes = Buffer.concat(pieces);
    expect(JSON.parse(bytes.toString()).data[0].embedding === embedding).toBe(true);
    await t.row();
    await until(() => relay().calls.open === 0);
  });
});

describe('an answer for which others leave no room', () => {
  const said = {
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'A "usage": {"prompt_tokens": 9} '.repeat(BIG / 32),
          tool_calls: [{ usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 } }],
        },
        finish_reason: 'stop',
      },
    ],
  };
  const usage = { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 };
  const chunk = (more: JsonObject) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [], ...more })}\n\n`;
  const delta = { content: 'A'.repeat(MIB) };
  const events =
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }).repeat(8) +
    `${chunk({ usage })}data: [DONE]\n\n`;
  const TOLD = { prompt_tokens: 50, completion_tokens: 7, other: { usage_source: 'upstream' } };
  const answers: [string, () => Response, JsonObject][] = [
    ['what its upstream tells', () => Response.json({ ...said, usage }), TOLD],
    [
      'what its upstream tells in events',
      () => new Response(events, { headers: { 'content-type': 'text/event-stream' } }),
      TOLD,
    ],
    [
      'its prompt where that tells nothing',
      () => Response.json(said),
      { completion_tokens: 0, other: { usage_source: 'estimated', prompt_only: true } },
    ],
  ];

  const padded = { content: 'A', pad: 'x'.repeat(MIB) };
  const tooLarge =
    chunk({ choices: [{ index: 0, delta: padded, finish_reason: null }] }).repeat(66) +
    `${chunk({ usage })}data: [DONE]\n\n`;
  answers.push([
    'what was seen of it where it is too large even to be read',
    () => new Response(tooLarge, { headers: { 'content-type': 'text/event-stream' } }),
    // Of one letter each, 63 pieces, at three bytes a token.
    { completion_tokens: 21, other: { usage_source: 'estimated', error: 'upstream_error' } },
  ]);

  it.each(answers)('costs %s, and no limit', async (_, answer, charged) => {
    const whole = relay().answersHeld;
    relay().answersHeld = new BodyBudget(26 * MIB);
    const others: net.Socket[] = [];
    try {
      t.answers(embeddings(BIG));
      for (let n = 0; n < 2; n++) {
        const other = await t.relay.api.createUser({ quota: 1_000_000 });
        others.push(await askUnread(await t.relay.addToken({}, other)));
        await t.row();
      }
      const asked = t.seen.length;
      const before = relay().answersHeld.bytes;
      t.answers(answer);
      const body = { model, messages: [{ role: 'user', content: 'Go on.' }], max_tokens: 32_000 };
      // Of what is written anew each event is read.
      const isTooLarge = answer === answers.at(-1)?.[1];
      const path = isTooLarge ? '/v1/messages' : '/v1/chat/completions';
      const got = await t.post(path, body);
      expect([got.status, got.headers.get('retry-after'), got.headers.get('x-should-retry')]).toEqual([
        isTooLarge ? 502 : 503,
        null,
        'false',
      ]);
      expect(await got.text()).toContain(isTooLarge ? 'too large' : 'OVERLOADED');
      expect(await t.row()).toMatchObject({ type: 2, ...charged });
      expect(t.seen.length - asked).toBe(1);
      expect(relay().answersHeld.bytes).toBe(before);
    } finally {
      for (const socket of others) socket.destroy();
      await until(() => relay().calls.open === 0);
      relay().answersHeld = whole;
    }
  });
});

describe('a whole answer where a stream was asked for', () => {
  it('takes no room any more when the next channel is asked', async () => {
    const held: number[] = [];
    const content = 'x'.repeat(MIB);
    const whole = {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    };
    t.answers(() => {
      held.push(relay().answersHeld.bytes);
      if (held.length === 1) return Response.json(whole);
      const said = { index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' };
      return eventStream([{ object: 'chat.completion.chunk', choices: [said] }, '[DONE]']);
    });
    const messages = [{ role: 'user', content: 'Go on.' }];
    const got = await t.post('/v1/chat/completions', { model, messages, stream: true });
    await got.text();
    await t.row();
    expect([got.status, held]).toEqual([200, [0, 0]]);
  });
});

describe('a test of a channel', () => {
  const test = () => {
    const channel = relay().channels.tiers('default', model)[0]?.channels[0];
    if (!channel) throw new Error('there is no channel');
    return createProbe(relay()).test(channel, model);
  };

  it('keeps nothing of the answer', async () => {
    t.answers({ choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' } }] });
    expect(await test()).toMatchObject({ success: true });
    expect(relay().answersHeld.bytes).toBe(0);
  });

  it('fails where the answer finds no room', async () => {
    const whole = relay().answersHeld;
    relay().answersHeld = new BodyBudget(8);
    try {
      t.answers({ choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' } }] });
      expect(await test()).toMatchObject({ success: false });
    } finally {
      relay().answersHeld = whole;
    }
  });
});

describe('an answer that is too large to be read', () => {
  const body = { messages: [{ role: 'user', content: 'Go on.' }], n: 128, max_tokens: 400, logprobs: true };
  const TOO_LARGE = 66 * MIB;
  const large: Record<string, () => Response> = {
    'that is announced': () =>
      new Response('x'.repeat(TOO_LARGE), { headers: { 'content-type': 'application/json' } }),
    'that goes on and on': () => {
      const piece = new Uint8Array(MIB).fill(32);
      let left = TOO_LARGE / MIB;
      const stream = new ReadableStream<Uint8Array>({
        pull(to) {
          if (left-- > 0) to.enqueue(piece);
          else to.close();
        },
      });
      return new Response(stream, { headers: { 'content-type': 'application/json' } });
    },
  };

  it.each(Object.entries(large))('%s costs what was held for it, and is asked once', async (_, answer) => {
    const asked = t.seen.length;
    t.answers(answer);
    const got = await t.post('/v1/chat/completions', { model, ...body });
    expect([got.status, (await got.json()).error.code]).toEqual([502, 'upstream_error']);
    expect(t.seen.length - asked).toBe(1);
    const row = await t.row();
    expect(row).toMatchObject({
      type: 2,
      completion_tokens: 128 * 400,
      other: { usage_source: 'held', error: 'upstream_error' },
    });
    expect(row.quota).toBeGreaterThan(2 * 128 * 400);
  });

  it('says nothing of the channel', async () => {
    t.answers(large['that is announced'] ?? (() => new Response()));
    for (let n = 0; n < 6; n++) {
      await (await t.post('/v1/chat/completions', { model, ...body })).text();
      await t.row();
    }
    t.answers(embeddings(10));
    expect((await t.post('/v1/embeddings', { model, input: 'words' })).status).toBe(200);
    expect(relay().breakers.openCount).toBe(0);
    await t.row();
  });
});
