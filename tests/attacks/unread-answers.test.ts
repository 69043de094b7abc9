/**
 * Answers that are cheap and large: embeddings of a thousand words are fifty megabytes for a hundredth of a cent. Who does
 * not read them fills the memory; who asks for more than can be read pays nothing, and has it asked elsewhere.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { LackedRoom } from '../../src/relay/answer/lacked-room.ts';
import { createProbe } from '../../src/relay/attempt/probe.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';

const MIB = 1024 * 1024;
/** Of which sockets do not take half at once. */
const BIG = 16 * MIB;

const model = 'many';
let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  // Each with another channel that could be asked.
  for (const [type, named] of [
    [1, 'many'],
    [1, 'o3'],
    [14, 'claude-sonnet-4-5'],
    [24, 'gemini-3-pro-image'],
  ] as const) {
    for (let n = 0; n < 2; n++) await t.model(type, { named });
  }
});
beforeEach(async () => {
  await t.relay.setBalance(50_000_000);
  await t.relay.set({ RetryTimes: 2 });
  relay().lackedRoom = new LackedRoom();
});
afterAll(() => t.close());

const embeddings = (bytes: number): JsonObject => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: 'A'.repeat(bytes) }],
  usage: { prompt_tokens: 50, total_tokens: 50 },
});

/** Asks and takes nothing but the head of the answer. */
function askUnread(
  key = t.relay.key,
  ip = '127.0.0.1',
  path = '/v1/embeddings',
  asked: JsonObject = { model, input: 'words' },
): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const body = JSON.stringify(asked);
  const socket = net.connect(Number(new URL(t.relay.base).port), '127.0.0.1', () => {
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
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
  for (const end = performance.now() + patience(10_000); !condition(); await Bun.sleep(5)) {
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
    relay().answersHeld = new BodyBudget(52 * MIB);
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
      t.answers(embeddings(MIB));
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
      answersHeld: new BodyBudget(52 * MIB),
      answersByNetwork: new BodyBudget(52 * MIB),
    });
    const sockets: net.Socket[] = [];
    const statuses: number[] = [];
    try {
      const keys: string[] = [];
      for (let n = 0; n < 3; n++) {
        keys.push(await t.relay.addToken({}, await t.relay.api.createUser({ quota: 1_000_000 })));
      }
      const before = (await t.relay.settled(0)).length;
      // At once: who has stood still for a second gives way to who needs his room.
      for (const [n, [ip, bytes]] of (
        [
          ['198.51.100.1', BIG],
          ['198.51.100.1', BIG],
          ['203.0.113.9', MIB],
        ] as const
      ).entries()) {
        t.answers(embeddings(bytes));
        const socket = await askUnread(keys[n], ip);
        sockets.push(socket);
        statuses.push(statusOf(socket));
      }
      const rows = (await t.relay.settled(before + 3)).slice(before);
      const charged = { type: 2, prompt_tokens: 50, other: { usage_source: 'upstream' } };
      const refused = { type: 6, quota: 0, other: { status: 503 } };
      // Those that were refused are written apart from those that were charged.
      expect(rows.toSorted((one, other) => one.type - other.type)).toMatchObject([charged, charged, refused]);
      await t.row();
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

/** Leaves nothing of a room but what is held in it now. */
const fillUp = (room: BodyBudget) => Object.assign(room, { most: Math.max(room.bytes, 6 * MIB) });

describe('an answer for which others leave no room', () => {
  const said = (content: string) => ({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 },
  });
  const chunk = (delta: JsonObject) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  const events = `${chunk({ content: 'A'.repeat(MIB) }).repeat(16)}data: [DONE]\n\n`;
  const answers: [string, () => Response][] = [
    ['whole', () => Response.json(said('A'.repeat(BIG)))],
    ['in events', () => new Response(events, { headers: { 'content-type': 'text/event-stream' } })],
  ];

  it.each(answers)('costs nothing, and is asked for once, %s', async (_, answer) => {
    const whole = relay().answersHeld;
    relay().answersHeld = new BodyBudget(52 * MIB);
    try {
      relay()
        .answersHeld.hold('somebody')
        .grow(24 * MIB);
      const asked = t.seen.length;
      t.answers(answer);
      const body = { model, messages: [{ role: 'user', content: 'Go on.' }], max_tokens: 32_000 };
      const got = await t.post('/v1/chat/completions', body);
      expect([got.status, got.headers.get('retry-after'), got.headers.get('x-should-retry')]).toEqual([
        503,
        '2',
        null,
      ]);
      expect(await got.text()).toContain('OVERLOADED');
      expect(await t.row()).toMatchObject({ type: 6, quota: 0, other: { status: 503 } });
      expect([t.seen.length - asked, relay().answersHeld.bytes]).toEqual([1, 24 * MIB]);
      expect(relay().breakers.isEmpty).toBe(true);
    } finally {
      relay().answersHeld = whole;
    }
  });

  it('is asked for no more as long as there is no such room, however often one asks', async () => {
    const whole = relay().answersHeld;
    relay().answersHeld = new BodyBudget(52 * MIB);
    try {
      // The other account of one person, which is about to read.
      const first = relay().answersHeld.hold('somebody');
      first.grow(24 * MIB);
      const asked = t.seen.length;
      const body = { model, messages: [{ role: 'user', content: 'Go on.' }], max_tokens: 32_000 };
      t.answers(() => Response.json(said('A'.repeat(4 * MIB))));
      for (let n = 0; n < 5; n++) {
        expect((await t.post('/v1/chat/completions', body)).status).toBe(503);
      }
      expect(t.seen.length - asked).toBe(1);
      await t.row();
      // What is held ahead nobody takes in the middle: it is shown, and paid.
      first.release();
      const second = relay().answersHeld.hold('somebody else');
      t.answers(() => {
        expect(() => second.grow(24 * MIB)).toThrow();
        return Response.json(said('A'.repeat(4 * MIB)));
      });
      const got = await t.post('/v1/chat/completions', body);
      expect([got.status, (await got.text()).length > 4 * MIB]).toEqual([200, true]);
      expect(await t.row()).toMatchObject({ type: 2, prompt_tokens: 50 });
      await until(() => relay().calls.open === 0);
      expect([relay().answersHeld.bytes, t.seen.length - asked]).toEqual([0, 2]);
    } finally {
      relay().answersHeld = whole;
    }
  });

  it('is held ahead for all calls together of who lacked it, of one user or of one network', async () => {
    const { answersHeld, lackedRoom } = relay();
    const going = Promise.withResolvers<void>();
    const asked = t.seen.length;
    t.answers(async () => {
      await going.promise;
      return Response.json(said('Yes.'));
    });
    const body = { model, messages: [{ role: 'user', content: 'Go on.' }] };
    const calls: Promise<number>[] = [];
    let refused = 0;
    const ask = async (authorization: string, ip: string) => {
      const got = await t.post('/v1/chat/completions', body, { authorization, 'x-forwarded-for': ip });
      if (got.status === 503) refused++;
      return got.status;
    };
    try {
      for (let n = 1; n <= 3; n++) {
        const user = await t.relay.api.createUser({ quota: 1_000_000 });
        lackedRoom.noted(user.id, 64 * MIB);
        const authorization = `Bearer ${await t.relay.addToken({}, user)}`;
        for (let call = 0; call < 4; call++) calls.push(ask(authorization, '198.51.100.1'));
        // Of the first two one call each, of the third none: his network has no more.
        await until(() => t.seen.length - asked + refused === 4 * n);
        expect([t.seen.length - asked, answersHeld.bytes / MIB]).toEqual(n === 1 ? [1, 64] : [2, 128]);
      }
      // Others go on as they do.
      const other = `Bearer ${await t.relay.addToken({}, await t.relay.api.createUser({ quota: 1_000_000 }))}`;
      calls.push(ask(other, '198.51.100.1'));
      await until(() => t.seen.length - asked === 3);
    } finally {
      going.resolve();
    }
    expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(3);
    await t.row();
    await until(() => relay().calls.open === 0);
    expect(answersHeld.bytes).toBe(0);
  });

  it('has the room of the largest who takes nothing of his', async () => {
    const whole = relay().answersHeld;
    relay().answersHeld = new BodyBudget(36 * MIB);
    try {
      t.answers(embeddings(BIG));
      const greedy = await askUnread();
      const closed = new Promise((resolve) => greedy.once('close', resolve));
      await t.row();
      const key = await t.relay.addToken({}, await t.relay.api.createUser({ quota: 1_000_000 }));
      t.answers(said('A'.repeat(MIB)));
      const body = { model, messages: [{ role: 'user', content: 'Go on.' }] };
      const ask = () => {
        fillUp(relay().answersHeld);
        return t.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` });
      };
      // Until he has stood still for long enough.
      let got = await ask();
      expect(got.status).toBe(503);
      await t.row();
      // From now on he is refused before anybody is asked.
      for (
        const end = performance.now() + patience(10_000);
        got.status === 503 && performance.now() < end;
      ) {
        await got.text();
        await Bun.sleep(100);
        got = await ask();
      }
      expect(got.status).toBe(200);
      expect((await got.json()).choices[0].message.content.length).toBe(MIB);
      await t.row();
      greedy.resume();
      await closed;
      await until(() => relay().calls.open === 0);
    } finally {
      relay().answersHeld = whole;
    }
  });
});

const event = (said: JsonObject) => `event: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`;
const streamed = (...frames: string[]) =>
  new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } });

/** A stream whose caller decides how large one of its frames is, and what else he asks for. */
interface Streamed {
  path: string;
  body: JsonObject;
  answer(bytes: number): Response;
  /** What it costs by the usage that it tells, and the least by what is held for it. */
  told: number;
  held: number;
}

const LIMIT = 20_000;
/** A picture of Gemini's, which comes in one frame. */
function drawn(bytes: number): Response {
  const parts = [{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(bytes) } }];
  const candidates = [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }];
  const usageMetadata = { promptTokenCount: 50, candidatesTokenCount: 2_000, totalTokenCount: 2_050 };
  return streamed(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`);
}

const STREAMS = {
  'a page that Claude has read': {
    path: '/v1/messages',
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: LIMIT,
      stream: true,
      thinking: { type: 'enabled', budget_tokens: 16_000 },
      messages: [{ role: 'user', content: 'Answer, then read https://a.example/x.pdf' }],
    },
    answer(bytes) {
      const usage = { input_tokens: 50, output_tokens: 1 };
      const found = { type: 'web_fetch_tool_result', tool_use_id: 's', content: { data: 'A'.repeat(bytes) } };
      return streamed(
        event({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage } }),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'So.' } }),
        event({ type: 'content_block_stop', index: 0 }),
        event({ type: 'content_block_start', index: 1, content_block: found }),
        event({ type: 'content_block_stop', index: 1 }),
        event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9_000 } }),
        event({ type: 'message_stop' }),
      );
    },
    told: 50 + 2 * 9_000,
    held: 2 * LIMIT,
  },
  'the end of a Responses stream, which repeats its pictures': {
    path: '/v1/responses',
    body: { model: 'o3', input: 'Answer, then draw.', max_output_tokens: LIMIT, stream: true },
    answer(bytes) {
      const item = {
        type: 'image_generation_call',
        id: 'ig',
        status: 'completed',
        result: 'A'.repeat(bytes),
      };
      const usage = { input_tokens: 50, output_tokens: 9_000, total_tokens: 9_050 };
      return streamed(
        event({ type: 'response.created', response: { id: 'resp', status: 'in_progress', output: [] } }),
        event({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: 'So.' }),
        event({
          type: 'response.completed',
          response: { id: 'resp', status: 'completed', output: [item], usage },
        }),
      );
    },
    told: 50 + 2 * 9_000,
    held: 2 * LIMIT,
  },
  'the first content, a picture': {
    path: '/v1beta/models/gemini-3-pro-image:streamGenerateContent?alt=sse',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Draw.' }] }],
      generationConfig: { maxOutputTokens: LIMIT },
    },
    answer: drawn,
    told: 50 + 2 * 2_000,
    held: 2 * LIMIT,
  },
  'a picture that is written for Responses, whose end repeats it': {
    path: '/v1/responses',
    body: { model: 'gemini-3-pro-image', input: 'Draw.', max_output_tokens: LIMIT, stream: true },
    answer: drawn,
    told: 50 + 2 * 2_000,
    held: 2 * LIMIT,
  },
} satisfies Record<string, Streamed>;

describe.each(Object.entries<Streamed>(STREAMS))('a frame of a stream, %s,', (_, stream) => {
  const { path, body, answer, told, held } = stream;
  /** What came of it: what its caller got, its row and how often it was asked for. */
  async function ask(bytes: number) {
    const asked = t.seen.length;
    t.answers(() => answer(bytes));
    const got = await t.post(path, body);
    const text = await got.text();
    const row = await t.row();
    expect([t.seen.length - asked, relay().breakers.isEmpty]).toEqual([1, true]);
    await until(() => relay().calls.open === 0);
    return { text, row, isShown: text.includes('So.') };
  }
  const inRoom = async (room: BodyBudget, work: () => Promise<void>) => {
    const whole = relay().answersHeld;
    relay().answersHeld = room;
    try {
      const before = room.bytes;
      await work();
      expect(room.bytes).toBe(before);
    } finally {
      relay().answersHeld = whole;
    }
  };

  it('may be as large as a whole answer, and costs what is told', async () => {
    const { text, row } = await ask(17 * MIB);
    expect(text.length).toBeGreaterThan(17 * MIB);
    expect(row).toMatchObject({
      type: 2,
      quota: told,
      other: { usage_source: 'upstream', stream_end: 'done' },
    });
  });

  it('costs what was held for it where it is beyond what its caller may hold', () =>
    inRoom(new BodyBudget(2 * MIB), async () => {
      const { text, row, isShown } = await ask(1.5 * MIB);
      expect(text).toContain('charged');
      const end = isShown ? { stream_end: 'no_room' } : { error: 'OVERLOADED', status: 503 };
      expect(row).toMatchObject({ type: 2, other: { usage_source: 'held', ...end } });
      expect(row.quota).toBeGreaterThanOrEqual(held);
    }));

  it('costs nothing beside what was shown where others leave no room for it', () => {
    const room = new BodyBudget(2 * MIB);
    room.hold('somebody').grow(MIB);
    return inRoom(room, async () => {
      const { text, row, isShown } = await ask(0.75 * MIB);
      expect(text).toContain('OVERLOADED');
      expect(text).not.toContain('charged');
      expect(row.type).toBe(isShown ? 2 : 6);
      expect(row.quota).toBeLessThan(200);
    });
  });

  it('keeps room as long as nobody reads it, and breaks off within where others need that', async () => {
    const { writeSlowMs } = limits;
    const { most } = relay().answersHeld;
    t.answers(() => answer(BIG));
    Object.assign(limits, { writeSlowMs: 1 });
    try {
      const socket = await askUnread(t.relay.key, '127.0.0.1', path, body);
      await until(() => relay().answersHeld.bytes > BIG);
      // Whoever does not wait for him is done in far fewer turns.
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      expect([relay().answersHeld.bytes > BIG, relay().calls.open]).toEqual([true, 1]);
      const other = relay().answersHeld.hold('somebody');
      await until(() => {
        fillUp(relay().answersHeld);
        try {
          other.grow(1);
          return true;
        } catch {
          return false;
        }
      });
      const pieces: Buffer[] = [];
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined).on('data', (piece: Buffer) => pieces.push(piece));
      await closed;
      // Chunks without the last one are no whole body.
      expect(Buffer.concat(pieces).subarray(-5).toString()).not.toBe('0\r\n\r\n');
      other.release();
      await t.row();
      await until(() => relay().calls.open === 0);
      expect(relay().answersHeld.bytes).toBe(0);
    } finally {
      Object.assign(limits, { writeSlowMs });
      Object.assign(relay().answersHeld, { most });
    }
  });
});

it('a stream with more calls of tools than an answer has costs what was held for it', async () => {
  const calls = Array.from({ length: 1_100 }, (_, index) => ({
    index,
    id: `c${index}`,
    function: { name: 'f', arguments: '{}' },
  }));
  const said = [{ content: 'So.' }, { tool_calls: calls }].map((delta) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null }],
  }));
  t.answers(() => eventStream([...said, '[DONE]']));
  const messages = [{ role: 'user', content: 'Go on.' }];
  const got = await t.post('/v1/messages', { model, messages, max_tokens: LIMIT, stream: true });
  expect(await got.text()).toContain('charged');
  const row = await t.row();
  expect(row).toMatchObject({ type: 2, other: { usage_source: 'held', stream_end: 'no_room' } });
  expect(row.quota).toBeGreaterThanOrEqual(2 * LIMIT);
  expect(relay().breakers.isEmpty).toBe(true);
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
      other: { usage_source: 'held', error: 'upstream_error', status: 502 },
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
