/**
 * Realtime sessions on credit: many answers at once beside the conversation, answers that go on and on, contexts that are
 * read again and again, and leaving before anybody tells what it has cost. What is not held when an answer is asked for
 * is given away.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { LIST_TOKENS } from '../../src/core/tool-reading.ts';
import type { HeldBytes } from '../../src/platform/body-budget.ts';
import { patience } from '../support/patience.ts';
import { connect, type RealtimeClient, type RealtimeUpstream, startRealtime } from '../support/realtime.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

/** Units a token of text in and out, and of sound in and out. */
const PRICE = { input: 1, output: 4, heard: 8, spoken: 16 };
/** The most of one answer; prompts are a little beside it. */
const ANSWER = 4096 * PRICE.spoken;
const LITTLE = 1_000;
/** A model that thinks unseen, another one whose channel has little time for a call, and the most of one answer. */
const THINKER = 'gpt-realtime-2';
const HASTY = 'gpt-realtime-2.1';
const THOUGHT = 32_768;

const ofAll = (ratio: number) => ({ 'gpt-realtime': ratio, [THINKER]: ratio, [HASTY]: ratio });

let relay: TestRelay;
let upstream: RealtimeUpstream;
let rows = 0;
let offBefore = 0;
let clients: RealtimeClient[] = [];
beforeAll(async () => {
  relay = await openTestRelay();
  upstream = startRealtime();
  await relay.set({
    ModelRatio: ofAll(PRICE.input),
    CompletionRatio: ofAll(PRICE.output),
    AudioRatio: ofAll(PRICE.heard),
    AudioCompletionRatio: ofAll(PRICE.spoken / PRICE.heard),
    RetryTimes: 0,
    SensitiveWords: 'unspeakable',
    CheckSensitiveEnabled: true,
    CheckSensitiveOnPromptEnabled: true,
    CheckSensitiveOnCompletionEnabled: true,
    StopOnSensitiveEnabled: true,
  });
  await relay.addChannel({ models: `gpt-realtime,${THINKER}`, base_url: upstream.base });
  const setting = { total_timeout: 0.5 };
  await relay.addChannel({ models: HASTY, base_url: upstream.base, setting });
});
beforeEach(async () => {
  rows = (await relay.logs()).length;
  offBefore = await relay.writtenOff();
});
// One that failed is not in the way of the next.
afterEach(async () => {
  for (const { socket } of clients) socket.close(1000);
  await Promise.all(clients.map(({ closed }) => closed));
  clients = [];
  while ((await relay.reservations()).length > 0) await Bun.sleep(10);
});
afterAll(async () => {
  await upstream.stop();
  await relay.close();
});

async function dial(model = 'gpt-realtime'): Promise<RealtimeClient> {
  const headers = { authorization: `Bearer ${relay.key}` };
  const client = await connect(`${relay.base}/v1/realtime?model=${model}`, { headers });
  clients.push(client);
  return client;
}

async function open(turnDetection: JsonObject | null = null, model?: string) {
  const opening = upstream.next();
  const client = await dial(model);
  const session = await opening;
  // Nobody answers unasked, unless a test wants it.
  session.send({ type: 'session.updated', session: { turn_detection: turnDetection } });
  await client.until('session.updated');
  return { client, session };
}
type Opened = Awaited<ReturnType<typeof open>>;

async function settled() {
  const all = await relay.settled(rows + 1);
  rows = all.length;
  const last = all.at(-1);
  if (!last) throw new Error('no row');
  return last;
}

const beside = (more: JsonObject = {}): JsonObject => ({
  type: 'response.create',
  response: { conversation: 'none', ...more },
});
const created = (id: string, isApart = true): JsonObject => ({
  type: 'response.created',
  response: { id, conversation_id: isApart ? null : 'conv_1' },
});
const done = (id: string, input: number, output: number, isApart = true): JsonObject => ({
  type: 'response.done',
  response: {
    id,
    status: 'completed',
    conversation_id: isApart ? null : 'conv_1',
    usage: { input_tokens: input, output_tokens: output },
  },
});
const said = (text: string, role = 'user'): JsonObject => ({
  type: 'conversation.item.create',
  item: { type: 'message', role, content: [{ type: 'input_text', text }] },
});

/** Waits until each of so many wishes is with the upstream or refused; how many are with it. */
async function asked({ client, session }: Opened, wishes: number): Promise<number> {
  const isWish = (event: string | Buffer) => String(event).includes('"response.create"');
  for (;;) {
    const atUpstream = session.got.filter(isWish).length;
    const refused = client.got.filter(({ type }) => type === 'error').length;
    if (atUpstream + refused >= wishes) return atUpstream;
    await Bun.sleep(2);
  }
}

describe('a realtime session on a small balance', () => {
  it.each<[what: string, settings: JsonObject[]]>([
    ['instructions and then tools', [{ instructions: '0123456789'.repeat(4_000) }, { tools: [] }]],
    [
      'tools and then instructions',
      [
        { tools: [{ type: 'function', name: 'f', description: '0123456789'.repeat(4_000) }] },
        { instructions: 'Be brief.' },
      ],
    ],
    ['a field that nobody knows', [{ x: { city: '0123456789'.repeat(4_000) } }, { x: {}, y: 'z' }]],
  ])('holds for what every answer is told: %s', async (_what, settings) => {
    await relay.setBalance(ANSWER + 15_000);
    const opened = await open();
    const { client, session } = opened;
    for (const each of settings) client.send({ type: 'session.update', session: each });
    while (session.got.length < settings.length) await Bun.sleep(2);
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
    client.send(beside({ input: [item] }));
    expect(await asked(opened, 1)).toBe(0);
    client.socket.close(1000);
    await settled();
  });

  it('runs as many answers at once as are held, and refuses the others', async () => {
    await relay.setBalance(4 * (ANSWER + LITTLE));
    const opened = await open();
    const { client, session } = opened;
    for (let n = 0; n < 20; n++) client.send({ ...beside(), event_id: `mine_${n}` });
    const ran = await asked(opened, 20);
    expect(ran).toBeWithin(3, 5);
    const error = await client.until('error');
    expect(error).toMatchObject({ error: { code: 'insufficient_user_quota', type: 'permission_error' } });
    for (let n = 0; n < ran; n++) session.send(created(`resp_${n}`));
    for (let n = 0; n < ran; n++) session.send(done(`resp_${n}`, 10, 4_096));
    while (client.got.filter(({ type }) => type === 'response.done').length < ran) await Bun.sleep(2);
    // It goes on: what the others left is there for the next.
    client.send(beside());
    expect(await asked(opened, 21)).toBe(ran + 1);
    session.send(done('resp_last', 10, 1));
    await client.until('response.done');
    client.socket.close(1000);
    const row = await settled();
    expect(row.quota).toBe(ran * (10 + 4_096 * PRICE.output) + 10 + PRICE.output);
    expect(await relay.writtenOff()).toBe(offBefore);
  });

  it('runs few answers at once whatever it can pay, and says so as clearly', async () => {
    await relay.setBalance(2_000 * ANSWER);
    const opened = await open();
    const { client, session } = opened;
    for (let n = 0; n < 300; n++) client.send(beside());
    const most = limits.sessionAnswersAtOnce;
    expect(await asked(opened, 300)).toBe(most);
    const refused = client.got.filter(({ type }) => type === 'error');
    expect(refused).toHaveLength(300 - most);
    expect(refused[0]).toMatchObject({ error: { code: 'session_answers_full' } });
    // It goes on.
    session.send(created('resp_0'));
    session.send(done('resp_0', 10, 1));
    await client.until('response.done');
    client.send(beside());
    expect(await asked(opened, 301)).toBe(most + 1);
    // Where the upstream breaks off, what has not begun costs nothing.
    session.close(1011);
    await client.closed;
    expect((await settled()).quota).toBe(10 + PRICE.output);
  });

  it('holds less for answers with a limit of their own', async () => {
    await relay.setBalance(ANSWER + 20 * (200 * PRICE.spoken + LITTLE));
    const opened = await open();
    const { client, session } = opened;
    for (let n = 0; n < 20; n++) client.send(beside({ max_output_tokens: 200 }));
    expect(await asked(opened, 20)).toBe(20);
    for (let n = 0; n < 20; n++) session.send(done(`resp_${n}`, 10, 200));
    while (client.got.filter(({ type }) => type === 'response.done').length < 20) await Bun.sleep(2);
    client.socket.close(1000);
    expect((await settled()).quota).toBe(20 * (10 + 200 * PRICE.output));
    expect(await relay.writtenOff()).toBe(offBefore);
  });

  it('is not opened where it does not carry one answer', async () => {
    for (const quota of [600, ANSWER / 2]) {
      await relay.setBalance(quota);
      const before = upstream.sessions.length;
      const client = await dial();
      expect(await client.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
      await client.closed;
      expect(upstream.sessions.length).toBe(before);
      expect(await relay.account()).toMatchObject({ quota, reserved: 0 });
    }
  });

  it('holds for the context that an answer reads before it is asked for', async () => {
    await relay.setBalance(ANSWER + 20_000);
    const { client, session } = await open();
    // Two bytes a token are the most; these are read by nobody who cannot pay for them.
    for (let n = 0; n < 4; n++) client.send(said('word '.repeat(4_000)));
    client.send({ type: 'response.create' });
    expect(await client.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    while (session.got.length < 4) await Bun.sleep(2);
    expect(session.got).toHaveLength(4);
    client.socket.close(1000);
    expect((await settled()).quota).toBe(0);
  });

  it.each([
    ['text', 'response.output_text.delta', 'word '.repeat(60)],
    ['sound', 'response.output_audio.delta', Buffer.alloc(48_000 * 5).toString('base64')],
  ])(
    'ends an answer of %s that goes on beyond what can be held',
    async (_, type, delta) => {
      await relay.setBalance(ANSWER + LITTLE);
      const opened = await open();
      const { client, session } = opened;
      client.send({ type: 'response.create' });
      await asked(opened, 1);
      session.send(created('resp_1', false));
      let isClosed = false;
      void session.closed.then(() => {
        isClosed = true;
      });
      for (let n = 0; n < 1_000 && !isClosed; n++) {
        session.send({ type, response_id: 'resp_1', delta });
        await Bun.sleep(5);
      }
      expect(await client.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
      expect((await settled()).other.stream_end).toBe('exhausted');
      expect(await relay.writtenOff()).toBe(offBefore);
    },
    patience(15_000),
  );

  it.each<[what: string, words: number, truncation: JsonObject | null, read: number, references: number]>([
    [
      'was left out of it',
      28_000,
      { type: 'retention_ratio', token_limits: { post_instructions: 500 } },
      500,
      1,
    ],
    ['is named ten times', 2_000, null, 2_010, 10],
  ])('holds for what of the conversation %s', async (_what, words, truncation, read, references) => {
    await relay.setBalance(10_000_000);
    const opened = await open();
    const { client, session } = opened;
    const isUp = (type: string) => session.got.filter((event) => String(event).includes(type)).length;
    const isDone = () => client.got.filter(({ type }) => type === 'response.done').length;
    if (truncation) client.send({ type: 'session.update', session: { truncation } });
    const content = [{ type: 'input_text', text: 'word '.repeat(words) }];
    const item = { id: 'item_big', type: 'message', role: 'user', content };
    client.send({ type: 'conversation.item.create', item });
    for (const id of ['resp_1', 'resp_2']) {
      client.send({ type: 'response.create', response: { max_output_tokens: 16 } });
      await until('it goes up', () => isUp('"response.create"') > isDone());
      session.send(created(id, false));
      session.send(done(id, read, 1, false));
      await until('it has ended', () => isDone() > 0 && isDone() === isUp('"response.create"'));
    }
    await relay.setBalance(60_000);
    const input = Array(references).fill({ type: 'item_reference', id: 'item_big' });
    for (let n = 0; n < 30; n++) client.send(beside({ input, max_output_tokens: 16 }));
    const up = (await asked(opened, 32)) - 2;
    for (let n = 0; n < up; n++) session.send(created(`resp_beside_${n}`));
    for (let n = 0; n < up; n++) session.send(done(`resp_beside_${n}`, words * references, 1));
    await until('all have ended', () => isDone() === up + 2);
    client.socket.close(1000);
    await settled();
    expect(await relay.writtenOff()).toBe(offBefore);
  });

  it('holds more while an answer is given that goes on, where it is there', async () => {
    await relay.setBalance(10 * ANSWER);
    const opened = await open();
    const { client, session } = opened;
    client.send({ type: 'response.create' });
    await asked(opened, 1);
    const { reserved } = await relay.account();
    session.send(created('resp_1', false));
    const delta = 'word '.repeat(2_000);
    session.send({ type: 'response.output_text.delta', response_id: 'resp_1', delta });
    while ((await relay.account()).reserved < reserved + ANSWER / 2) await Bun.sleep(5);
    session.send(done('resp_1', 10, 8_000, false));
    await client.until('response.done');
    client.socket.close(1000);
    expect((await settled()).quota).toBe(10 + 8_000 * PRICE.output);
  });

  it('ends with the last answer that is paid for where it answers unasked', async () => {
    await relay.setBalance(ANSWER + LITTLE);
    const { client, session } = await open({ type: 'server_vad' });
    session.send(created('resp_1', false));
    await client.until('response.created');
    session.send(done('resp_1', 10, 4_096, false));
    expect(await client.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    expect((await settled()).quota).toBe(10 + 4_096 * PRICE.output);
    expect(await relay.writtenOff()).toBe(offBefore);
  });

  it('charges the context to each answer that is left before its end', async () => {
    await relay.setBalance(100 * ANSWER);
    const opened = await open();
    const { client, session } = opened;
    client.send({ type: 'response.create' });
    await asked(opened, 1);
    session.send(created('resp_0', false));
    session.send(done('resp_0', 20_000, 500, false));
    await client.until('response.done');
    for (let n = 1; n <= 3; n++) client.send(beside());
    await asked(opened, 4);
    for (let n = 1; n <= 3; n++) session.send(created(`resp_${n}`));
    session.send({ type: 'response.output_text.delta', response_id: 'resp_2', delta: 'one two three' });
    await client.until('response.output_text.delta');
    client.socket.close(1000);
    const row = await settled();
    const whole = 20_000 + 500 * PRICE.output;
    // What the answer said is a prompt to the next.
    expect(row.quota).toBe(whole + 3 * 20_500 + 3 * PRICE.output);
    expect(row.other.usage_source).toBe('estimated');
  });

  /** Others take all the room that answers have in memory. */
  function fillRoom(): () => void {
    const { answersHeld } = relay.api.deps.relay;
    const held: HeldBytes[] = [];
    for (let n = 0; answersHeld.bytes < answersHeld.most; n++) {
      const other = answersHeld.hold(`other ${n}`);
      other.grow(Math.min(limits.firstBytes, answersHeld.most - answersHeld.bytes));
      held.push(other);
    }
    return () => {
      for (const each of held) each.release();
    };
  }

  it.each<[string, (opened: Opened) => void, answers: number]>([
    ['hangs up', ({ client }) => client.socket.close(1000), 2],
    ['sends bytes, which no session takes', ({ client }) => client.socket.send(new Uint8Array([1])), 2],
    ['has sent what its upstream closes it for', ({ session }) => session.close(1008), 2],
    [
      'says what the operator does not want said',
      ({ session }) =>
        session.send({
          type: 'conversation.item.input_audio_transcription.completed',
          item_id: 'item_1',
          transcript: 'unspeakable',
          usage: { type: 'tokens', input_tokens: 0, output_tokens: 0 },
        }),
      2,
    ],
    // Only where that is not his doing.
    ['is left by its upstream', ({ session }) => session.close(1000), 0],
    [
      'is answered what the operator does not want said',
      ({ session }) =>
        session.send({ type: 'response.content_part.added', part: { type: 'text', text: 'unspeakable' } }),
      0,
    ],
    [
      'finds no room because of others',
      ({ client }) => {
        const empty = fillRoom();
        void client.closed.then(empty);
        // The second waits until the first is held.
        client.send(beside());
        client.send(beside());
      },
      0,
    ],
  ])('charges the contexts of what was asked for when its caller %s', async (_, end, answers) => {
    await relay.setBalance(100 * ANSWER);
    const opened = await open();
    const { client, session } = opened;
    session.send(done('resp_0', 20_000, 0, false));
    await client.until('response.done');
    client.send(beside());
    client.send(beside());
    await asked(opened, 2);
    end(opened);
    await client.closed;
    // And a word that was heard, whatever is told of it.
    const { quota } = await settled();
    expect(quota - (quota % 100)).toBe(20_000 + answers * 20_000);
  });

  it('charges them when the balance ends it', async () => {
    await relay.setBalance(2 * ANSWER + 45_000);
    const opened = await open();
    const { client, session } = opened;
    session.send(done('resp_0', 20_000, 0, false));
    await client.until('response.done');
    client.send(beside({ max_output_tokens: 10 }));
    await asked(opened, 1);
    client.send(said('word '.repeat(100_000)));
    await client.closed;
    const row = await settled();
    expect([row.quota, row.other.stream_end]).toEqual([20_000 + 20_000, 'exhausted']);
  });

  it('charges an answer that is not in the conversation what it brought along, and none twice', async () => {
    await relay.setBalance(100 * ANSWER);
    const opened = await open();
    const { client, session } = opened;
    session.send(done('resp_0', 20_000, 0, false));
    await client.until('response.done');
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one two three' }] },
    ];
    client.send(beside({ input }));
    client.send(beside({ input }));
    await asked(opened, 2);
    session.send(created('resp_1'));
    session.send(created('resp_2'));
    // The second is broken off, and told.
    client.send({ type: 'response.cancel', response_id: 'resp_2' });
    session.send(done('resp_2', 3, 2));
    while (client.got.filter(({ type }) => type === 'response.done').length < 2) await Bun.sleep(2);
    client.socket.close(1000);
    const row = await settled();
    expect(row.quota).toBe(20_000 + 3 + 2 * PRICE.output + 3);
  });

  it('pays nothing for an answer that failed without a word', async () => {
    await relay.setBalance(10 * ANSWER);
    const opened = await open();
    const { client, session } = opened;
    client.send(said('one two three'));
    client.send({ type: 'response.create' });
    await asked(opened, 1);
    session.send(created('resp_1', false));
    session.send({ type: 'response.done', response: { id: 'resp_1', status: 'failed', usage: null } });
    await client.until('response.done');
    client.socket.close(1000);
    expect((await settled()).quota).toBe(0);
  });

  it('keeps the order of what is sent while it waits for the balance', async () => {
    await relay.setBalance(100 * ANSWER);
    const { client, session } = await open();
    for (let n = 0; n < 30; n++) client.send(n % 3 === 0 ? beside({ metadata: { n } }) : said(`text ${n}`));
    while (session.got.length < 30) await Bun.sleep(2);
    const order = session.got.map((event) => {
      const { response, item } = JSON.parse(String(event));
      return response ? response.metadata.n : Number(item.content[0].text.slice(5));
    });
    expect(order).toEqual(Array.from({ length: 30 }, (_, n) => n));
    client.socket.close(1000);
    await settled();
  });

  describe('with a server that reads for it', () => {
    const tools = [{ type: 'mcp', server_label: 'a', server_url: 'https://mcp.example' }];
    /** What one use of it is held for where it tells nothing, and what it lists, which is read before and after that. */
    const READ = 6_000 + 2 * LIST_TOKENS;
    const used = (n: number, output: string): JsonObject => ({
      type: 'response.output_item.done',
      response_id: 'resp_0',
      item: { id: `mcp_${n}`, type: 'mcp_call', name: 'read', output },
    });

    it.each([
      [ANSWER + LITTLE, 0],
      [ANSWER + READ + LITTLE, 1],
    ])('answers where what it may read is paid for: %d', async (quota, ran) => {
      await relay.setBalance(quota);
      const opened = await open();
      const { client } = opened;
      client.send({ type: 'response.create', response: { tools } });
      expect(await asked(opened, 1)).toBe(ran);
      client.socket.close(1000);
      await settled();
      expect(await relay.writtenOff()).toBe(offBefore);
    });

    it('holds for what it reads as that comes, and ends with the balance', async () => {
      await relay.setBalance(ANSWER + READ + 14_000 + LITTLE);
      const opened = await open();
      const { client, session } = opened;
      client.send({ type: 'session.update', session: { tools } });
      client.send({ type: 'response.create' });
      while (session.got.length < 2) await Bun.sleep(2);
      session.send(created('resp_0', false));
      session.send(used(0, '0123456789'.repeat(4_000)));
      expect(await client.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
      expect((await settled()).other.stream_end).toBe('exhausted');
      expect(await relay.writtenOff()).toBe(offBefore);
    });

    it('holds for what the next answer reads of it', async () => {
      await relay.setBalance(2 * ANSWER + 120_000 + 3 * LIST_TOKENS);
      const opened = await open();
      const { client, session } = opened;
      client.send({ type: 'session.update', session: { tools } });
      client.send({ type: 'response.create' });
      while (session.got.length < 2) await Bun.sleep(2);
      session.send(created('resp_0', false));
      session.send(used(0, '0123456789'.repeat(2_000)));
      session.send(done('resp_0', 10, 5, false));
      await client.until('response.done');
      const { reserved } = await relay.account();
      client.send({ type: 'response.create' });
      while (session.got.length < 3) await Bun.sleep(2);
      expect((await relay.account()).reserved).toBeGreaterThanOrEqual(Math.max(reserved, ANSWER + 20_000));
      session.send(done('resp_1', 20_010, 5, false));
      await client.until('response.done');
      client.socket.close(1000);
      expect((await settled()).quota).toBe(10 + 20_010 + 10 * PRICE.output);
      expect(await relay.writtenOff()).toBe(offBefore);
    });
  });
});

describe('a realtime session of a model that thinks unseen', () => {
  /** What an answer thinks before it says anything, by the word of its upstream. */
  const TOLD = 12_000;
  const cancelled = (id: string, usage: JsonObject | null): JsonObject => ({
    type: 'response.done',
    response: { id, status: 'cancelled', conversation_id: 'conv_1', usage },
  });
  const told = cancelled('resp_1', { input_tokens: 10, output_tokens: TOLD });
  const saying: JsonObject = { type: 'response.output_text.delta', response_id: 'resp_1', delta: 'So.' };

  /** An answer has been asked for, or has begun by itself, and its caller has read what he wanted. */
  async function thinking(wish: JsonObject | null = { type: 'response.create' }, model = THINKER) {
    await relay.setBalance(100 * THOUGHT * PRICE.spoken);
    const opened = await open(wish === null ? { type: 'server_vad' } : null, model);
    const { client, session } = opened;
    if (wish) {
      client.send(wish);
      await asked(opened, 1);
    }
    session.send(created('resp_1', false));
    session.send(saying);
    await client.until('response.output_text.delta');
    return opened;
  }
  const CANCEL = { type: 'response.cancel', response_id: 'resp_1' };
  const untilCancelled = ({ session }: Opened) =>
    until('its answer is cancelled', () =>
      session.got.some((event) => String(event) === JSON.stringify(CANCEL)),
    );

  const ENDS: Record<string, (opened: Opened) => void> = {
    'hangs up': ({ client }) => client.socket.close(1000),
    'sends bytes, which no session takes': ({ client }) => client.socket.send(new Uint8Array([1])),
    'is answered what the operator does not want said': ({ session }) =>
      session.send({ type: 'response.content_part.added', part: { type: 'text', text: 'unspeakable' } }),
  };

  it.each([
    ...Object.keys(ENDS).map((how) => [how, { type: 'response.create' }] as const),
    ['hangs up', null] as const,
  ])('costs what its upstream tells of the answer when its caller %s: %j', async (how, wish) => {
    await relay.set({ DrainSeconds: 1 });
    const opened = await thinking(wish);
    ENDS[how]?.(opened);
    await untilCancelled(opened);
    expect(await relay.reservations()).toHaveLength(1);
    opened.session.send(told);
    const row = await settled();
    expect([row.quota, row.other.usage_source]).toEqual([10 + TOLD * PRICE.output, 'upstream']);
    expect(await opened.session.closed).toBe(1000);
  });

  it.each([
    ...Object.keys(ENDS).map((how) => [how, {}, THOUGHT] as const),
    ['hangs up', { max_output_tokens: 300 }, 300] as const,
  ])('costs what was held where nobody reads on when its caller %s: %j', async (how, limit, most) => {
    await relay.set({ DrainSeconds: 0 });
    const opened = await thinking({ type: 'response.create', response: limit });
    ENDS[how]?.(opened);
    const row = await settled();
    expect([row.quota, row.other.usage_source]).toEqual([most * PRICE.output, 'held']);
    expect(await relay.writtenOff()).toBe(offBefore);
  });

  it('costs what was said alone where its upstream breaks off', async () => {
    const { session } = await thinking();
    session.close(1011);
    expect((await settled()).quota).toBe(2 * PRICE.output);
  });

  it.each<[string, (opened: Opened) => void, quota: number, source: string]>([
    ['its upstream breaks off', ({ session }) => session.close(1011), 2 * PRICE.output, 'estimated'],
    [
      'its upstream closes for what it was sent',
      ({ session }) => session.close(1008),
      THOUGHT * PRICE.output,
      'held',
    ],
    ['nothing is told in time', () => undefined, THOUGHT * PRICE.output, 'held'],
  ])('costs what is known or held where it is read on and %s', async (_what, end, quota, source) => {
    await relay.set({ DrainSeconds: 1 });
    const opened = await thinking({ type: 'response.create' }, HASTY);
    opened.client.socket.close(1000);
    await untilCancelled(opened);
    end(opened);
    const row = await settled();
    expect([row.quota, row.other.usage_source]).toEqual([quota, source]);
  });

  it('costs what its upstream tells of an answer that begins when its caller has left', async () => {
    await relay.set({ DrainSeconds: 1 });
    await relay.setBalance(100 * THOUGHT * PRICE.spoken);
    const opened = await open(null, THINKER);
    opened.client.send({ type: 'response.create' });
    await asked(opened, 1);
    opened.client.socket.close(1000);
    await opened.client.closed;
    opened.session.send(created('resp_1', false));
    await untilCancelled(opened);
    opened.session.send(told);
    expect((await settled()).quota).toBe(10 + TOLD * PRICE.output);
  });

  it.each<[string, JsonObject | null, number, string]>([
    ['with what it took', { input_tokens: 10, output_tokens: TOLD }, 10 + TOLD * PRICE.output, 'upstream'],
    ['without a word of that', null, THOUGHT * PRICE.output, 'held'],
  ])('costs an answer that its caller cancels, told %s', async (_how, usage, quota, source) => {
    const { client, session } = await thinking();
    client.send(CANCEL);
    session.send(cancelled('resp_1', usage));
    await client.until('response.done');
    client.socket.close(1000);
    const row = await settled();
    expect([row.quota, row.other.usage_source]).toEqual([quota, source]);
  });

  it('is opened, and answers, where its longest answer is paid for', async () => {
    const one = THOUGHT * PRICE.spoken;
    await relay.setBalance(one - LITTLE);
    const poor = await dial(THINKER);
    expect(await poor.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    await relay.setBalance(one + 2_000 * PRICE.spoken + 2 * LITTLE);
    const opened = await open(null, THINKER);
    for (const response of [{}, {}, { max_output_tokens: 2_000 }]) opened.client.send(beside(response));
    expect(await asked(opened, 3)).toBe(2);
    opened.session.close(1011);
    await settled();
  });

  it('is one whose caller asks for thoughts, or whose upstream tells of them, whatever its name is', async () => {
    await relay.set({ DrainSeconds: 0 });
    await relay.setBalance(ANSWER + LITTLE);
    for (const response of [{ reasoning: { effort: 'xhigh' } }, { reasoning: { effort: 'none' } }]) {
      const opened = await open();
      opened.client.send(beside(response));
      expect(await asked(opened, 1)).toBe(response.reasoning.effort === 'none' ? 1 : 0);
      opened.session.close(1011);
      await settled();
    }
    const opened = await open();
    const session = { turn_detection: null, model: THINKER };
    opened.session.send({ type: 'session.updated', session });
    opened.session.send({ type: 'rate_limits.updated' });
    await opened.client.until('rate_limits.updated');
    opened.client.send(beside());
    expect(await asked(opened, 1)).toBe(0);
    opened.session.close(1011);
    await settled();
  });
});
