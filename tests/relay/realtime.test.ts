import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { fail } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { chargeOfRecord } from '../../src/core/price-record.ts';
import { relayRoutes } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import { BY_SECRET } from '../support/alike-names.ts';
import { connect, type RealtimeUpstream, startRealtime } from '../support/realtime.ts';
import { BALANCE, openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

let relay: TestRelay;
let upstream: RealtimeUpstream;
let rows = 0;
beforeAll(async () => {
  relay = await openTestRelay();
  upstream = startRealtime();
  await relay.set({
    ModelRatio: {
      ...{ 'gpt-realtime': 1, mapped: 1, dear: 1000, called: 1, locked: 1, 'gpt-4o': 1 },
      ...{ 'whisper-1': 1, scribe: 20, elsewhere: 1 },
      ...{ listener: 20, 'free-chat': 0, tiny: 0.01, noted: 2 },
      'gpt-4o-mini-transcribe': 10,
    },
    CompletionRatio: { 'gpt-realtime': 4, mapped: 4, 'whisper-1': 4 },
    CacheRatio: { 'gpt-realtime': 0.5 },
    AudioRatio: { 'gpt-realtime': 8, mapped: 8 },
    AudioCompletionRatio: { 'gpt-realtime': 2, mapped: 2 },
    ModelPrice: { called: 0.001 },
    RetryTimes: 0,
  });
  const models = 'gpt-realtime,mapped,dear,called,whisper-1,scribe,unpriced';
  await relay.addChannel({ models, base_url: upstream.base, model_mapping: '{"mapped":"theirs"}' });
  await relay.addChannel({ models: 'elsewhere', base_url: upstream.base, group: 'vip' });
  const supplier = await relay.root.post('/api/supplier/admin/', {
    name: 'Own',
    base_url: upstream.base,
    type: 1,
  });
  const own = { supplier_id: supplier.data.id, key: 'sk-own-0123456789', models: ['gpt-realtime'] };
  await (await relay.api.as(relay.user)).post('/api/user/custom-models/conf', own);
  const mapping = '{"noted":"their-noted"}';
  const others = 'listener,free-chat,tiny,noted,gpt-4o-mini-transcribe';
  await relay.addChannel({ models: others, base_url: upstream.base, model_mapping: mapping });
});
beforeEach(async () => {
  await relay.api.deps.db.query('update users set quota = $2 where id = $1', [relay.user.id, BALANCE]);
});
afterAll(async () => {
  await upstream.stop();
  await relay.close();
});

const address = (model = 'gpt-realtime') => `${relay.base}/v1/realtime?model=${model}`;
const authorised = () => ({ authorization: `Bearer ${relay.key}` });

async function open(model?: string, more: Parameters<typeof connect>[1] = {}) {
  const opening = upstream.next();
  const client = await connect(address(model), { headers: authorised(), ...more });
  return { client, session: await opening };
}

const USAGE = {
  total_tokens: 300,
  input_tokens: 200,
  output_tokens: 100,
  input_token_details: {
    text_tokens: 50,
    audio_tokens: 150,
    cached_tokens: 60,
    cached_tokens_details: { text_tokens: 20, audio_tokens: 40 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 70 },
};
/** Fresh text and sound, what came from the cache, and what was said. */
const COST = 30 + 110 * 8 + 60 * 0.5 + 30 * 4 + 70 * 8 * 2;

/** What an answer reads that comes after it: its prompt, of which the cache has what it had, and what it said. */
const CONTEXT = 30 + 30 + (110 + 70) * 8 + 60 * 0.5;
/** The most that this can be: all of it is sound, and nothing in the cache any more. */
const CONTEXT_MOST = 30 + 30 + (110 + 70 + 60) * 8;
/** What an answer can come to beside what it reads. */
const ANSWER = 4096 * 16;

const done = (usage: JsonObject | null = USAGE, output: JsonObject[] = []): JsonObject => ({
  type: 'response.done',
  event_id: 'event_9',
  response: { id: 'resp_1', status: 'completed', output, ...(usage && { usage }) },
});

/** So many events have come to one side. */
const gotAll = ({ got }: { got: readonly unknown[] }, events: number): Promise<void> =>
  until(`${events} events come`, () => got.length >= events);

async function row() {
  const all = await relay.settled(rows + 1);
  rows = all.length;
  const last = all.at(-1);
  if (!last) throw new Error('no row');
  expect((await relay.account()).quota).toBe(BALANCE - last.quota);
  return last;
}

describe('a realtime session', () => {
  it('costs what was written down of what it heard, told in tokens or in seconds', async () => {
    const { client, session } = await open();
    const heard = (item_id: string, usage: JsonObject) => ({
      type: 'conversation.item.input_audio_transcription.completed',
      event_id: 'event_2',
      item_id,
      transcript: 'Say "response.done".',
      usage,
    });
    const details = { text_tokens: 3, audio_tokens: 40 };
    const tokens = { type: 'tokens', input_tokens: 43, input_token_details: details, output_tokens: 9 };
    session.send(heard('item_1', tokens));
    session.send(heard('item_2', { type: 'duration', seconds: 6 }));
    // Once more what is paid for.
    session.send(heard('item_2', { type: 'duration', seconds: 6 }));
    session.send(heard('item_1', tokens));
    session.send({ type: 'rate_limits.updated' });
    await client.until('rate_limits.updated');
    session.close(1011);
    await client.closed;
    const last = await row();
    expect(last.other.stream_end).toBe('upstream_cut');
    expect(last.quota).toBe(3 + 40 * 8 + 9 * 4 + 100);
  });

  it('costs the tokens of what a model hears that sells those, where seconds are told', async () => {
    const { client, session } = await open('gpt-4o-mini-transcribe');
    session.send({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: 'item_1',
      transcript: 'one two three four five',
      usage: { type: 'duration', seconds: 6 },
    });
    session.send({ type: 'rate_limits.updated' });
    await client.until('rate_limits.updated');
    client.socket.close(1000);
    const last = await row();
    expect([last.prompt_tokens, last.completion_tokens]).toEqual([60, 5]);
    expect(last.quota).toBe((60 * 2.4 + 5 * 4) * 10);
  });

  it('passes events both ways as they are, and costs what its answers used', async () => {
    const { client, session } = await open('gpt-realtime', { protocols: ['realtime'] });
    expect(client.socket.protocol).toBe('realtime');
    expect(session.path).toBe('/v1/realtime?model=gpt-realtime');
    expect(session.headers.get('authorization')).toBe('Bearer sk-upstream-secret');
    await client.until('session.created');
    const asked = { type: 'session.update', session: { voice: 'marin', own_field: [1] } };
    client.send(asked);
    client.send({ type: 'response.create' });
    await gotAll(session, 2);
    expect(JSON.parse(String(session.got[0]))).toEqual(asked);
    session.send({ type: 'response.output_audio.delta', delta: 'AAAA' });
    session.send(done());
    expect(await client.until('response.done')).toEqual(done());
    session.send(done());
    await gotAll(client, 4);
    client.socket.close(1000);
    expect(await session.closed).toBe(1000);
    const last = await row();
    expect(last).toMatchObject({
      quota: 2 * COST,
      prompt_tokens: 400,
      completion_tokens: 200,
      is_stream: true,
      other: {
        ws: true,
        audio: true,
        audio_input: 220,
        audio_output: 140,
        text_input: 60,
        text_output: 60,
        cache_tokens: 120,
        audio_ratio: 8,
        audio_completion_ratio: 2,
        stream_end: 'done',
        usage_source: 'upstream',
      },
    });
    expect(chargeOfRecord(last, last.other)?.quota).toBe(last.quota);
  });

  it('takes the key and the version from the subprotocols, as browsers send them', async () => {
    const protocols = ['realtime', `openai-insecure-api-key.${relay.key}`, 'openai-beta.realtime-v1'];
    const { client, session } = await open('mapped', { headers: {}, protocols });
    expect(client.socket.protocol).toBe('realtime');
    expect(session.headers.get('openai-beta')).toBe('realtime=v1');
    expect(session.headers.get('sec-websocket-protocol')).toBeNull();
    expect(session.path).toBe('/v1/realtime?model=theirs');
    client.socket.close();
    expect(await row()).toMatchObject({ quota: 0, other: { is_model_mapped: true } });
  });

  it('ends at a binary frame, which nobody could read', async () => {
    const { client, session } = await open();
    client.socket.send(new Uint8Array([1, 2, 3]));
    expect(await client.until('error')).toMatchObject({ error: { code: 'invalid_request' } });
    expect(await client.closed).toEqual({ code: 1003, reason: 'invalid_request' });
    await session.closed;
    expect(session.got).toEqual([]);
    expect(await row()).toMatchObject({ type: 6, quota: 0 });
  });

  it.each([
    ['no JSON', '{"type":', 'event is not a valid JSON object'],
    ['no object', '[1]', 'event is not a valid JSON object'],
    ['a number beyond what is exact', '{"type":"response.create","x":9007199254740993}', 'number beyond'],
    ['nested without end', `{"x":${'['.repeat(100)}${']'.repeat(100)}}`, 'nested deeper'],
    [
      'names in one place',
      JSON.stringify(Object.fromEntries(BY_SECRET.latin(40).map((name) => [name, 0]))),
      'one hash',
    ],
    [
      'more tools than any has',
      JSON.stringify({ type: 'session.update', session: { tools: Array(5_000).fill({}) } }),
      'tools',
    ],
    [
      'more names than any has',
      JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k.${n}`, 0]))),
      'more than 4096 different keys',
    ],
    ['lists for names', `{"x":[${Array(200).fill('{"999":0}').join()}]}`, 'small integers'],
  ])('goes on after an event that is none: %s', async (_name, text, told) => {
    const { client, session } = await open();
    client.socket.send(text);
    expect(await client.until('error')).toMatchObject({
      error: { code: 'invalid_request', message: expect.stringContaining(told) },
    });
    client.send({ type: 'input_audio_buffer.clear' });
    await gotAll(session, 1);
    expect(session.got).toEqual(['{"type":"input_audio_buffer.clear"}']);
    client.socket.close(1000);
    await row();
  });

  it('passes thousands of small events of one read in turns with everybody else, and reads on', async () => {
    const { client, session } = await open();
    const events = Array.from({ length: 3_200 }, (_, n) => `{"type":"x","n":${n}}`);
    let turns = 0;
    const turn = () => {
      turns++;
      if (session.got.length < events.length) setImmediate(turn);
    };
    for (const event of events) client.socket.send(event);
    turn();
    await gotAll(session, events.length);
    expect(session.got).toEqual(events);
    expect(turns).toBeGreaterThan(50);
    client.send({ type: 'x' });
    await gotAll(session, events.length + 1);
    client.socket.close(1000);
    expect(await row()).toMatchObject({ quota: 0 });
  });

  it('holds room for what it keeps of the conversation, until that is counted', async () => {
    const { answersHeld } = relay.api.deps.relay;
    const { client, session } = await open();
    const said = (chars: number) => ({ instructions: 'x'.repeat(chars) });
    client.send({ type: 'session.update', session: said(100_000) });
    await gotAll(session, 1);
    const held = answersHeld.heldBy(relay.user.id);
    // As a setting, and as what the next answer reads.
    expect(held).toBeGreaterThan(2 * 2 * 100_000);
    client.send({ type: 'session.update', session: said(1_000_000) });
    await gotAll(session, 2);
    expect(answersHeld.heldBy(relay.user.id)).toBeGreaterThan(2 * held);
    expect(answersHeld.heldBy(relay.user.id)).toBeLessThan(4_000_000);
    client.socket.close(1000);
    await row();
    await until('nothing is held', () => answersHeld.heldBy(relay.user.id) === 0);
  });

  it.each([
    ['of the site', 'gpt-realtime'],
    ['of its caller’s own', 'Own/gpt-realtime'],
  ])('keeps nothing of a refused wish where nothing passes any more, by a key %s', async (_, model) => {
    const { answersHeld } = relay.api.deps.relay;
    const { client, session } = await open(model);
    await client.until('session.created');
    const content = [{ type: 'input_text', text: 'x'.repeat(100_000) }];
    const wish = { conversation: 'none', input: [{ content }], max_output_tokens: 1 };
    client.send({ type: 'response.create', response: wish });
    await gotAll(session, 1);
    expect(answersHeld.heldBy(relay.user.id)).toBeGreaterThan(2 * 100_000);
    const now = performance.now.bind(performance);
    const clock = spyOn(performance, 'now').mockImplementation(() => now() + limits.answerBeginsMs);
    await until('nothing is held', () => answersHeld.heldBy(relay.user.id) === 0).finally(() =>
      clock.mockRestore(),
    );
    client.socket.close(1000);
    await row();
  });

  it('shows its caller no binary frames of the upstream, which nobody would count', async () => {
    const { client, session } = await open();
    session.sendBytes(new Uint8Array([1, 2, 3]));
    session.send({ type: 'rate_limits.updated' });
    await client.until('rate_limits.updated');
    expect(client.got.map(({ type }) => type)).toEqual(['session.created', 'rate_limits.updated']);
    client.socket.close(1000);
    await row();
  });

  it('sends what was read of an event, in one spelling, for the model that was priced', async () => {
    const { client, session } = await open('mapped');
    client.socket.send(
      '{"type":"input_audio_buffer.clear","type":"session.update","Session":{"model":"dear"},' +
        '"session":{"model":"dear","Model":"dear","voice":"a","own":1}}',
    );
    await gotAll(session, 1);
    expect(JSON.parse(String(session.got[0]))).toEqual({
      type: 'session.update',
      session: { model: 'theirs', voice: 'a', own: 1 },
    });
    expect(String(session.got[0])).not.toContain('clear');
    client.socket.close(1000);
    await row();
  });

  it('without usage is counted here by what was heard and said', async () => {
    const { client, session } = await open();
    const sound = (seconds: number) => Buffer.alloc(48_000 * seconds).toString('base64');
    client.send({ type: 'input_audio_buffer.append', audio: sound(2) });
    await gotAll(session, 1);
    session.send({ type: 'response.audio.delta', delta: sound(3) });
    session.send(done(null));
    await client.until('response.done');
    session.send(done(null, [{ type: 'message', content: [{ type: 'text', text: 'one two three' }] }]));
    await gotAll(client, 4);
    client.socket.close(1000);
    const { other, quota } = await row();
    expect(other).toMatchObject({ usage_source: 'estimated', text_output: 3 });
    // 20 and 60 tokens, and what the events are wrapped in. The second one has read what the first one said.
    expect(other.audio_input).toBeWithin(80, 84);
    expect(other.audio_output).toBeWithin(60, 62);
    expect(quota).toBe(other.audio_input * 8 + other.audio_output * 16 + 3 * 4);
  });

  it('whose caller goes while an answer is spoken pays what had come', async () => {
    const { client, session } = await open();
    session.send({ type: 'response.output_audio.delta', delta: Buffer.alloc(48_000).toString('base64') });
    await client.until('response.output_audio.delta');
    client.socket.close(1000);
    const { other, quota } = await row();
    expect(other.usage_source).toBe('estimated');
    expect(quota).toBe(other.audio_output * 16);
    expect(other.audio_output).toBeWithin(20, 22);
  });

  const asked = async ({ client, session }: Awaited<ReturnType<typeof open>>) => {
    const words = (type: string, text: string) => ({
      type: 'message',
      role: 'user',
      content: [{ type, text }],
    });
    const before = session.got.length;
    client.send({ type: 'session.update', session: { instructions: 'one two three' } });
    // The type may stand last, where it is not looked for by chance.
    client.send({
      event_id: 'x'.repeat(300),
      item: words('input_text', ' four five'),
      type: 'conversation.item.create',
    });
    client.send({ type: 'response.create', response: { input: [words('input_text', ' six seven')] } });
    await gotAll(session, before + 3);
  };

  it('whose caller goes while an answer is written pays its text, and what was asked', async () => {
    const own = await open();
    await asked(own);
    own.session.send({ type: 'response.created', event_id: 'e' });
    for (let i = 0; i < 500; i++) {
      own.session.send({ type: 'response.output_text.delta', event_id: `e${i}`, delta: ' word' });
    }
    await gotAll(own.client, 502);
    own.client.socket.close(1000);
    const last = await row();
    expect(last).toMatchObject({ prompt_tokens: 7, other: { usage_source: 'estimated' } });
    expect(last.completion_tokens).toBeWithin(500, 520);
    expect(last.quota).toBe(7 + last.completion_tokens * 4);
  });

  it('whose caller goes when an answer has begun pays what was asked', async () => {
    const own = await open();
    await asked(own);
    own.session.send({ type: 'response.created', event_id: 'e' });
    await own.client.until('response.created');
    own.client.socket.close(1000);
    expect(await row()).toMatchObject({ prompt_tokens: 7, completion_tokens: 0, quota: 7 });
  });

  it('whose upstream breaks off before it says anything costs nothing', async () => {
    const own = await open();
    await asked(own);
    own.session.send({ type: 'response.created', event_id: 'e' });
    await own.client.until('response.created');
    own.session.close(1011);
    expect(await row()).toMatchObject({ type: 6, quota: 0 });
  });

  it.each([1003, 1007, 1008, 1009])(
    'whose upstream closes it for what its caller has sent (%d) pays what was asked',
    async (code) => {
      const own = await open();
      await asked(own);
      own.session.send({ type: 'response.created', event_id: 'e' });
      await own.client.until('response.created');
      own.session.close(code);
      expect(await own.client.until('error')).toMatchObject({ error: { code: 'upstream_cut' } });
      expect(await row()).toMatchObject({
        type: 2,
        prompt_tokens: 7,
        quota: 7,
        other: { stream_end: 'client_gone' },
      });
    },
  );

  it('pays what was asked where an event of its caller’s is too much for us', async () => {
    const own = await open();
    await asked(own);
    own.session.send({ type: 'response.created', event_id: 'e' });
    await own.client.until('response.created');
    const { options } = relay.api.deps.relay;
    const get = options.get.bind(options);
    const fault = () => {
      Object.assign(options, { get });
      throw new Error('what nobody has thought of');
    };
    Object.assign(options, { get: fault });
    own.client.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
    await own.client.closed;
    expect(await row()).toMatchObject({ type: 2, quota: 7, other: { stream_end: 'client_gone' } });
  });

  it('pays what is asked after an answer has begun with the next one', async () => {
    const own = await open();
    own.session.send({ type: 'response.created', event_id: 'e' });
    await own.client.until('response.created');
    await asked(own);
    own.session.send(done());
    own.session.send(done(null, [{ type: 'message', content: [{ type: 'text', text: 'one two' }] }]));
    await gotAll(own.client, 4);
    own.client.socket.close(1000);
    // It is to all that was said before, which the first one's usage tells.
    expect(await row()).toMatchObject({ quota: COST + CONTEXT + 7 + 2 * 4 });
  });

  it('whose upstream claims more than can be is counted here', async () => {
    const { client, session } = await open();
    const said = [{ type: 'message', content: [{ type: 'text', text: 'one two three' }] }];
    session.send(done({ input_tokens: 1e300, output_tokens: 4 }, said));
    session.send(done({ input_tokens: 5, output_tokens: 99_999_999 }, said));
    session.send(done({ input_tokens: 2 ** 53, output_tokens: -1 }, said));
    await gotAll(client, 4);
    client.socket.close(1000);
    expect(await row()).toMatchObject({
      // Each has read what those before it said.
      quota: 3 + 6 + 3 * 3 * 4,
      completion_tokens: 9,
      other: { usage_source: 'estimated' },
    });
  });

  it('of a fixed price costs it for each answer', async () => {
    const { client, session } = await open('called');
    for (let i = 1; i <= 3; i++) session.send(done());
    await gotAll(client, 4);
    client.socket.close(1000);
    expect(await row()).toMatchObject({ quota: 3 * 500, other: { calls: 3, model_price: 0.001 } });
  });
});

describe('a realtime session that writes down what it hears', () => {
  const sound = (seconds: number) => Buffer.alloc(48_000 * seconds).toString('base64');
  const transcript = (kind: string, item_id: string, more: JsonObject): JsonObject => ({
    type: `conversation.item.input_audio_transcription.${kind}`,
    event_id: 'event_3',
    item_id,
    ...more,
  });
  const NEWER: JsonObject = {
    type: 'session.update',
    session: { audio: { input: { transcription: { model: 'whisper-1' }, turn_detection: null } } },
  };
  const OLDER: JsonObject = {
    type: 'session.update',
    session: { input_audio_transcription: { model: 'whisper-1' } },
  };
  const by = (model?: string): JsonObject => ({
    type: 'session.update',
    session: { audio: { input: { transcription: { language: 'en', ...(model && { model }) } } } },
  });
  const ONLY: JsonObject = { type: 'session.update', session: { type: 'transcription' } };
  const OLDER_ONLY: JsonObject = { type: 'transcription_session.update', session: {} };

  /** Six seconds, which are a hundred tokens, in an item of this name. */
  async function say(own: Awaited<ReturnType<typeof open>>, item_id: string, settings?: JsonObject) {
    const { client, session } = own;
    const before = session.got.length;
    if (settings) client.send(settings);
    client.send({ type: 'input_audio_buffer.append', audio: sound(6) });
    client.send({ type: 'input_audio_buffer.commit' });
    await gotAll(session, before + (settings ? 3 : 2));
    session.send({ type: 'input_audio_buffer.committed', item_id });
  }
  /** All that was sent has been heard. */
  async function heard({ client, session }: Awaited<ReturnType<typeof open>>) {
    session.send({ type: 'rate_limits.updated' });
    await client.until('rate_limits.updated');
  }

  it.each([NEWER, OLDER, ONLY, OLDER_ONLY])(
    'costs seconds and text where nobody tells: %j',
    async (settings) => {
      const own = await open();
      await say(own, 'item_1', settings);
      own.session.send(transcript('delta', 'item_1', { delta: 'one two' }));
      own.session.send(transcript('completed', 'item_1', { transcript: 'one two three' }));
      own.session.send(transcript('completed', 'item_1', { transcript: 'one two three' }));
      await heard(own);
      own.client.socket.close(1000);
      const last = await row();
      expect(last).toMatchObject({ quota: 100 + 3 * 4, other: { usage_source: 'estimated' } });
    },
  );

  it.each([
    ['its caller leaves', ({ client }: Awaited<ReturnType<typeof open>>) => client.socket.close(1000)],
    ['its upstream closes it', ({ session }: Awaited<ReturnType<typeof open>>) => session.close(1000)],
  ])('costs what is not told when %s, and what is told once', async (_how, end) => {
    const own = await open();
    await say(own, 'item_1', NEWER);
    await say(own, 'item_2');
    await say(own, 'item_3');
    own.session.send(transcript('delta', 'item_2', { delta: 'one two three' }));
    own.session.send(transcript('completed', 'item_1', { usage: { type: 'duration', seconds: 3 } }));
    await heard(own);
    end(own);
    expect((await row()).quota).toBe(50 + (100 + 3 * 4) + 100);
  });

  it('costs what the model costs that writes it down, and its bill says so', async () => {
    const own = await open();
    await say(own, 'item_1', by('scribe'));
    own.session.send(transcript('completed', 'item_1', { usage: { type: 'duration', seconds: 6 } }));
    await say(own, 'item_2', by());
    expect(JSON.parse(String(own.session.got[3]))).toEqual(by('scribe'));
    own.session.send(done());
    await heard(own);
    own.client.socket.close(1000);
    const last = await row();
    expect(last.quota).toBe(COST + 100 * 20 + 100 * 20);
    expect(last.other).toMatchObject({
      transcribed: { model: 'scribe', model_ratio: 20, prompt_tokens: 200 },
    });
    expect(chargeOfRecord(last, last.other)?.quota).toBe(last.quota);
  });

  it.each([
    ['the session’s own model where that is named', 'mapped', 'theirs'],
    ['the usual one where none is', undefined, 'whisper-1'],
  ])('is written down by %s', async (_who, asked, sent) => {
    const own = await open('mapped');
    await say(own, 'item_1', by(asked));
    expect(JSON.parse(String(own.session.got[0]))).toEqual(by(sent));
    await heard(own);
    own.client.socket.close(1000);
    expect((await row()).quota).toBe(100);
  });

  it.each<[string, string, JsonObject]>([
    ['that there is not', 'model_not_found', by('nowhere')],
    ['that no channel of the group has', 'no_available_channel', by('elsewhere')],
    ['without a price', 'price_not_configured', by('unpriced')],
    ['that the token may not call', 'model_not_allowed', by('called')],
    [
      'beside another one',
      'invalid_request',
      {
        type: 'session.update',
        session: {
          audio: { input: { transcription: { model: 'scribe' } } },
          input_audio_transcription: { model: 'whisper-1' },
        },
      },
    ],
    [
      'in settings that are refused',
      'invalid_request',
      {
        type: 'session.update',
        session: {
          tools: [{ type: 'x'.repeat(300) }],
          input_audio_transcription: { model: 'whisper-1' },
        },
      },
    ],
  ])('is not written down by a model %s', async (_which, code, settings) => {
    const key = await relay.addToken({
      model_limits_enabled: true,
      model_limits: 'gpt-realtime,scribe,whisper-1,nowhere,elsewhere,unpriced',
    });
    const own = await open('gpt-realtime', { headers: { authorization: `Bearer ${key}` } });
    own.client.send(settings);
    const { error } = await own.client.until('error');
    expect(error).toMatchObject({ code });
    own.client.send(by('scribe'));
    await gotAll(own.session, 1);
    expect(JSON.parse(String(own.session.got[0]))).toEqual(by('scribe'));
    own.client.send(by('whisper-1'));
    await gotAll(own.client, 3);
    expect(own.session.got).toHaveLength(1);
    own.client.socket.close(1000);
    expect((await row()).quota).toBe(0);
  });

  it('costs what was committed as the caller leaves', async () => {
    const { client, session } = await open();
    client.send(NEWER);
    client.send({ type: 'input_audio_buffer.append', audio: sound(6) });
    client.send({ type: 'input_audio_buffer.commit' });
    await gotAll(session, 3);
    client.socket.close(1000);
    expect((await row()).quota).toBe(100);
  });

  it('costs what a service writes down without being asked', async () => {
    const own = await open();
    own.session.send({ type: 'session.updated', session: { input_audio_transcription: { model: 'own' } } });
    await say(own, 'item_1');
    await heard(own);
    own.client.socket.close(1000);
    expect((await row()).quota).toBe(100);
  });

  it('costs each item a call where calls have a price and nobody answers', async () => {
    const own = await open('called');
    await say(own, 'item_1', ONLY);
    await say(own, 'item_2');
    own.session.send(transcript('completed', 'item_1', { usage: { type: 'duration', seconds: 6 } }));
    await heard(own);
    own.client.socket.close(1000);
    expect(await row()).toMatchObject({ quota: 2 * 500, other: { calls: 2 } });
  });

  it.each<[string, (own: Awaited<ReturnType<typeof open>>) => void | Promise<void>]>([
    ['nothing is written down', (own) => say(own, 'item_1')],
    [
      'it is switched off again',
      async (own) => {
        own.client.send(NEWER);
        own.session.send({ type: 'session.updated', session: NEWER.session ?? null });
        await own.client.until('session.updated');
        const off = { audio: { input: { transcription: null } } };
        own.client.send({ type: 'session.update', session: off });
        await gotAll(own.session, 2);
        own.session.send({ type: 'session.updated', session: off });
        await gotAll(own.client, 3);
        await say(own, 'item_1');
      },
    ],
    [
      'it could not be written down',
      async (own) => {
        await say(own, 'item_1', NEWER);
        own.session.send(transcript('failed', 'item_1', { error: { code: 'audio_unintelligible' } }));
      },
    ],
    [
      'there was too little of it',
      async ({ client, session }) => {
        client.send(NEWER);
        client.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
        client.send({ type: 'input_audio_buffer.commit' });
        await gotAll(session, 3);
        session.send({ type: 'error', error: { code: 'input_audio_buffer_commit_empty', message: 'no' } });
      },
    ],
  ])('costs nothing where %s', async (_what, doing) => {
    const own = await open();
    await doing(own);
    await heard(own);
    own.client.socket.close(1000);
    expect((await row()).quota).toBe(0);
  });

  it('costs nothing where its upstream breaks off before it wrote a word', async () => {
    const own = await open();
    await say(own, 'item_1', NEWER);
    await heard(own);
    own.session.close(1011);
    await own.client.closed;
    expect((await row()).quota).toBe(0);
  });
});

describe('a realtime session whose caller names who writes it down', () => {
  const named = (transcription: JsonObject): JsonObject => ({
    type: 'session.update',
    session: { input_audio_transcription: transcription },
  });
  const told = (model: string | null): JsonObject => ({
    type: 'session.updated',
    session: {
      type: 'transcription',
      audio: { input: { transcription: model === null ? null : { model } } },
    },
  });
  const toldOlder = (model: string): JsonObject => ({
    type: 'transcription_session.updated',
    session: { input_audio_transcription: { model } },
  });
  const refused = (error: JsonObject): JsonObject => ({
    type: 'error',
    error: { type: 'invalid_request_error', ...error },
  });
  const NO_SUCH = refused({ code: 'invalid_value', message: 'no such transcription model' });
  const COMMITTED: JsonObject = { type: 'input_audio_buffer.committed', item_id: 'item_1' };
  const WRITTEN: JsonObject = {
    type: 'conversation.item.input_audio_transcription.completed',
    item_id: 'item_1',
    transcript: 'words',
    usage: { type: 'tokens', input_tokens: 1000, output_tokens: 100 },
  };

  /** What a thousand tokens heard and a hundred written cost, and what they cost by the session's own model. */
  async function cost(asked: JsonObject, events: readonly JsonObject[], model = 'listener') {
    const { client, session } = await open(model);
    client.send(asked);
    await gotAll(session, 1);
    for (const event of events) session.send(event);
    session.send({ type: 'rate_limits.updated' });
    await client.until('rate_limits.updated');
    client.socket.close(1000);
    const last = await row();
    expect(chargeOfRecord(last, last.other)?.quota).toBe(last.quota);
    const transcribed = Object(last.other.transcribed);
    return { quota: last.quota, by: transcribed.model, sent: JSON.parse(String(session.got[0])) };
  }
  const OWN = (1000 + 100) * 20;

  it.each<[string, string, JsonObject[]]>([
    ['nothing is told', 'free-chat', [COMMITTED, WRITTEN]],
    ['another one is told', 'free-chat', [told('listener'), COMMITTED, WRITTEN]],
    ['it is refused', 'free-chat', [NO_SUCH, COMMITTED, WRITTEN]],
    ['it is refused and another one told', 'tiny', [NO_SUCH, told('listener'), COMMITTED, WRITTEN]],
    ['another one is told after it', 'tiny', [told('tiny'), told('listener'), COMMITTED, WRITTEN]],
    ['it is refused after it was told', 'tiny', [told('tiny'), NO_SUCH, COMMITTED, WRITTEN]],
    ['it is told once the item was there', 'tiny', [COMMITTED, told('tiny'), WRITTEN]],
    ['it is told that nobody does', 'tiny', [told('tiny'), told(null), COMMITTED, WRITTEN]],
  ])('costs the session’s own model where that is dearer and %s', async (_what, model, events) => {
    expect(await cost(named({ model }), events)).toMatchObject({ quota: OWN, by: undefined });
  });

  it.each<[string, string, number, JsonObject[]]>([
    ['it is told', 'tiny', 11, [told('tiny'), COMMITTED, WRITTEN]],
    ['it is told in the words of the beta', 'tiny', 11, [toldOlder('tiny'), COMMITTED, WRITTEN]],
    // The least charge of a session that is not for nothing.
    ['it is free, and told', 'free-chat', 1, [told('free-chat'), COMMITTED, WRITTEN]],
    ['its upstream’s name is told', 'noted', 2200, [told('their-noted'), COMMITTED, WRITTEN]],
    [
      'it is told, and something else refused',
      'tiny',
      11,
      [told('tiny'), refused({ code: 'response_cancel_not_active', message: 'none' }), COMMITTED, WRITTEN],
    ],
  ])('costs the named model alone where %s', async (_what, model, quota, events) => {
    expect(await cost(named({ model }), events)).toMatchObject({ quota, by: model });
  });

  it('costs the named model where that is dearer, whatever is told', async () => {
    const asked = named({ model: 'scribe' });
    const written = await cost(asked, [told('gpt-realtime'), COMMITTED, WRITTEN], 'gpt-realtime');
    expect(written).toMatchObject({ quota: 1100 * 20, by: 'scribe' });
  });

  it('counts its calls and those of its answers apart where calls have a price', async () => {
    const asked = named({ model: 'scribe' });
    const written = await cost(asked, [COMMITTED, WRITTEN, done()], 'called');
    // The answer's call would pay for what is written down beside it.
    expect(written).toMatchObject({ quota: 500 + 1100 * 20, by: 'scribe' });
  });

  it('names the model to its upstream as the channel maps it', async () => {
    const { sent } = await cost(named({ model: 'noted', language: 'zh' }), []);
    expect(sent).toEqual(named({ model: 'their-noted', language: 'zh' }));
  });

  it.each<[string, JsonObject]>([
    ['no model', { language: 'zh' }],
    ['no name for it', { language: 'zh', model: 7 }],
  ])(
    'is written down by its own model where it names %s and its channel has no usual one',
    async (_w, asked) => {
      const written = await cost(named(asked), [COMMITTED, WRITTEN]);
      expect(written).toEqual({ quota: OWN, by: undefined, sent: named({ language: 'zh' }) });
    },
  );

  it('is not written down by a model that only another channel has', async () => {
    const { client, session } = await open('listener');
    client.send(named({ model: 'scribe' }));
    expect(await client.until('error')).toMatchObject({ error: { code: 'no_available_channel' } });
    expect(session.got).toEqual([]);
    client.socket.close(1000);
    expect((await row()).quota).toBe(0);
  });
});

describe('a realtime session with a fault of ours in it', () => {
  it('ends alone, and is settled', async () => {
    const { billing, sockets } = relay.api.deps.relay;
    const { client, session } = await open();
    const broken = spyOn(billing, 'extend').mockImplementation(() => {
      throw new Error('a fault of ours');
    });
    session.send(done());
    expect(await client.until('error')).toMatchObject({ error: { code: 'internal' } });
    broken.mockRestore();
    expect((await client.closed).code).toBe(1011);
    await session.closed;
    expect(await row()).toMatchObject({ quota: COST, other: { stream_end: 'upstream_cut' } });
    expect(sockets.open).toBe(0);
  });
});

describe("a realtime session's quota", () => {
  it('is held ahead of each answer, and given back at the end', async () => {
    const { client, session } = await open();
    const { reserved } = await relay.account();
    expect(reserved).toBeGreaterThan(ANSWER);
    session.send(done());
    await client.until('response.done');
    await until('more is held', async () => (await relay.account()).reserved > reserved);
    expect((await relay.account()).reserved).toBe(COST + CONTEXT_MOST + ANSWER);
    client.socket.close(1000);
    expect((await row()).quota).toBe(COST);
    expect((await relay.account()).reserved).toBe(0);
  });

  it('that is used up ends the session, after what was said is charged', async () => {
    const quota = ANSWER + COST;
    await relay.api.deps.db.query('update users set quota = $2 where id = $1', [relay.user.id, quota]);
    const { client, session } = await open();
    session.send(done());
    await client.until('response.done');
    const error = await client.until('error');
    expect(error).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    expect((await client.closed).code).toBe(1008);
    await session.closed;
    const last = (await relay.settled(++rows)).at(-1);
    expect(last).toMatchObject({ quota: COST, other: { stream_end: 'exhausted' } });
    expect(await relay.account()).toMatchObject({ quota: ANSWER, reserved: 0 });
  });

  it('that is lacking from the start is told on the socket, and nobody is asked', async () => {
    await relay.api.deps.db.query('update users set quota = 3 where id = $1', [relay.user.id]);
    const before = upstream.sessions.length;
    const client = await connect(address(), { headers: authorised(), protocols: ['realtime'] });
    expect(await client.until('error')).toMatchObject({
      type: 'error',
      event_id: expect.stringMatching(/^evt_/),
      error: { code: 'insufficient_user_quota', type: 'permission_error' },
    });
    expect((await client.closed).code).toBe(1008);
    expect(upstream.sessions.length).toBe(before);
  });
});

describe('a realtime session that cannot be', () => {
  const told = async (model: string) => {
    const client = await connect(address(model), { headers: authorised() });
    return (await client.until('error')).error;
  };

  it('tells why on the socket', async () => {
    expect(await told('nope')).toMatchObject({ code: 'model_not_found' });
    expect(await told('')).toMatchObject({ code: 'invalid_request', param: 'model' });
    await relay.addChannel({ models: 'gpt-4o', type: 43 });
    // A channel that refused its key may be left alone for a while, hence one of its own.
    await relay.addChannel({ models: 'locked', base_url: upstream.base });
    upstream.refuseBy = 401;
    expect(await told('locked')).toMatchObject({ code: 'upstream_auth' });
    expect(await row()).toMatchObject({ quota: 0, type: 6 });
    upstream.refuseBy = null;
  });

  it('is no websocket, or has no key', async () => {
    const plain = await fetch(address(), { headers: authorised() });
    expect([plain.status, (await plain.json()).error.code]).toEqual([400, 'invalid_request']);
    const stranger = await fetch(address(), { headers: { upgrade: 'websocket' } });
    expect(stranger.status).toBe(401);
    expect((await fetch(address(), { method: 'POST', headers: authorised() })).status).toBe(405);
  });

  it('is asked of another channel where the first cannot be reached', async () => {
    await relay.set({ RetryTimes: 1 });
    await relay.addChannel({ models: 'gpt-realtime', base_url: 'http://127.0.0.1:1', priority: 5 });
    const { client, session } = await open();
    session.send(done());
    await client.until('response.done');
    client.socket.close(1000);
    const last = await row();
    expect(last.quota).toBe(COST);
    expect(last.other.admin_info.use_channel).toHaveLength(2);
  });
});

describe('a realtime session that breaks', () => {
  it('at the upstream tells its caller, and what was used is charged', async () => {
    const { client, session } = await open();
    session.send(done());
    await client.until('response.done');
    session.close(1011);
    expect(await client.until('error')).toMatchObject({ error: { code: 'upstream_cut' } });
    expect((await client.closed).code).toBe(1011);
    expect(await row()).toMatchObject({ quota: COST, other: { stream_end: 'upstream_cut' } });
  });

  it('before any answer costs nothing', async () => {
    const { client, session } = await open();
    await client.until('session.created');
    session.close(1011);
    await client.closed;
    expect(await row()).toMatchObject({ type: 6, quota: 0, other: { error: 'upstream_cut' } });
  });

  it('at the caller closes the upstream', async () => {
    const { client, session } = await open();
    Reflect.apply(Reflect.get(client.socket, 'terminate'), client.socket, []);
    await session.closed;
    expect((await row()).other.stream_end).toBe('client_gone');
  });

  it.each(['terminate', 'close'])('at the caller while its events wait is settled, by %s', async (how) => {
    const { client, session } = await open();
    session.send(done());
    await client.until('response.done');
    for (let n = 0; n < 3_200; n++) client.socket.send(`{"type":"x","n":${n}}`);
    await gotAll(session, 1);
    Reflect.apply(Reflect.get(client.socket, how), client.socket, []);
    await session.closed;
    expect((await row()).quota).toBe(COST);
    expect(relay.api.deps.relay.sockets.open).toBe(0);
  });

  it('that is ended by the upstream ends well', async () => {
    const { client, session } = await open();
    session.send(done());
    session.close(1000);
    expect((await client.closed).code).toBe(1000);
    expect(await row()).toMatchObject({ quota: COST, other: { stream_end: 'done' } });
    expect(relay.api.deps.relay.sockets.open).toBe(0);
  });
});

describe('a realtime session whose settlement is lost', () => {
  it('is told so, and closed', async () => {
    const { billing, sockets } = relay.api.deps.relay;
    const { settle } = billing;
    const { client, session } = await open();
    session.send(done());
    await client.until('response.done');
    const lost = spyOn(billing, 'settle').mockImplementation(async (settlement) => {
      await settle(settlement);
      throw fail('unavailable');
    });
    session.close(1000);
    expect(await client.until('error')).toMatchObject({ error: { code: 'unavailable' } });
    expect(await client.closed).toMatchObject({ code: 1011 });
    lost.mockRestore();
    await row();
    expect(sockets.open).toBe(0);
  });
});

describe('a realtime session whose caller has gone before it began', () => {
  it('leaves nothing behind', async () => {
    const { deps } = relay.api;
    let cuts = 0;
    const onCut = (cut: () => void) => {
      cuts++;
      const uncut = deps.relay.cut.onCut(cut);
      return () => {
        cuts--;
        uncut();
      };
    };
    const routes = relayRoutes({ ...deps.relay, cut: { onCut } }, handle);
    const opening = upstream.next();
    const headers = { ...authorised(), upgrade: 'websocket' };
    // Without a server nothing can be upgraded, as when the connection is gone.
    const answer = await routes.fetch(new Request(address(), { headers }));
    expect(answer.status).toBe(499);
    await (await opening).closed;
    expect([cuts, deps.relay.sockets.open]).toEqual([0, 0]);
    expect(await row()).toMatchObject({ quota: 0, other: { error: 'client_gone' } });
  });
});

describe('a realtime session of a server that stops', () => {
  it('is told so when its grace is over, and settled', async () => {
    const own = await openTestRelay();
    await own.addChannel({ models: 'gpt-realtime,gpt-realtime-2', base_url: upstream.base });
    await own.set({ ModelRatio: { 'gpt-realtime': 1, 'gpt-realtime-2': 1 } });
    const headers = { authorization: `Bearer ${own.key}` };
    const dial = async (model: string) => {
      const opening = upstream.next();
      const client = await connect(`${own.base}/v1/realtime?model=${model}`, { headers });
      return { client, session: await opening };
    };
    // One that is read on when its caller has left.
    const left = await dial('gpt-realtime-2');
    left.session.send({ type: 'response.created', response: { id: 'resp_1' } });
    await left.client.until('response.created');
    left.client.socket.close(1000);
    await gotAll(left.session, 1);
    const { client, session } = await dial('gpt-realtime');
    session.send(done({ input_tokens: 5, output_tokens: 0 }));
    await client.until('response.done');
    const stopping = own.api.deps.stopping.begin(20);
    expect(await client.until('error')).toMatchObject({ error: { code: 'stopping' } });
    expect((await client.closed).code).toBe(1011);
    expect(await stopping).toBe(0);
    const rows = await own.settled(2);
    expect(rows.map(({ quota, other }) => [quota, other.stream_end, other.usage_source]).sort()).toEqual([
      [0, 'done', 'estimated'],
      [5, 'timeout', 'upstream'],
    ]);
    const late = await fetch(`${own.base}/v1/realtime?model=gpt-realtime`, { headers });
    expect([late.status, late.headers.get('connection')]).toEqual([503, 'close']);
    await own.close();
  });
});
