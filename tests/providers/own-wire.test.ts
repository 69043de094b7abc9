/** Every provider with a wire of its own answers a chat, keeps its key to itself, and says what went wrong. */
import { afterAll, afterEach, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { listenToOutput, type Printed } from '../support/printed.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { startVendor, type Vendor, type VendorCall } from '../support/vendor.ts';
import { AT, type OwnWireCase, ownWireCases, ownWireRequest, type Sent } from './cases/own-wire.ts';

let relay: TestRelay;
let vendor: Vendor;
let calls = 0;
/** Everything that the process logged or printed meanwhile. */
let printed: Printed;

beforeAll(async () => {
  relay = await openTestRelay();
  vendor = startVendor();
  const ratios = Object.fromEntries(ownWireCases.map(({ model }) => [model, 1]));
  await relay.set({ ModelRatio: ratios, CompletionRatio: ratios });
  printed = listenToOutput();
  for (const given of ownWireCases) await open(given);
});
afterAll(async () => {
  printed.stop();
  await relay.close();
  await vendor.close();
});
afterEach(() => {
  setSystemTime();
  vendor.seen.length = 0;
});

const here = (text: string) => text.replace('{vendor}', vendor.base);

async function open({ type, key, model, channel, socket }: OwnWireCase): Promise<void> {
  await relay.addChannel({
    type,
    key,
    models: model,
    ...channel,
    base_url: here(String(channel.base_url)),
    // The vendor's own name stays in the address: the mock stands in the way as a proxy.
    ...(socket ? {} : { setting: JSON.stringify({ proxy: vendor.base }) }),
  });
}

type Step = 'exchange' | 'call';
const stepOf = ({ exchange }: OwnWireCase, { url }: VendorCall): Step =>
  exchange && url.pathname === exchange.path ? 'exchange' : 'call';

/** What the vendor answers to the call itself; tokens are always given. */
function answering(given: OwnWireCase, answer: () => Response, frames: readonly string[] = []): void {
  vendor.answer = (call) =>
    stepOf(given, call) === 'exchange' ? Response.json(given.exchange?.answer) : answer();
  vendor.talk = () => [...frames];
  vendor.socketStatus = 101;
}

async function call(given: OwnWireCase, more: JsonObject = {}) {
  setSystemTime(AT);
  const answer = await relay.chat({ model: given.model, ...ownWireRequest, ...more });
  const text = await answer.text();
  setSystemTime();
  const row = (await relay.settled(++calls)).at(-1);
  if (!row) throw new Error('no row');
  return { status: answer.status, text, row };
}

/** What the mock's and the runtime's own clients add. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'proxy-connection',
  'user-agent',
  'accept-encoding',
  'content-length',
  'accept',
  'upgrade',
]);

function expectSent(given: OwnWireCase, sent: Sent): void {
  const seen = vendor.seen.filter((each) => stepOf(given, each) === 'call').at(-1);
  if (!seen) throw new Error('nothing came');
  expect([seen.method, seen.url.href.replace(/\?authorization=.*$/, '')]).toEqual([
    sent.method ?? 'POST',
    here(sent.url),
  ]);
  expect(seen.body).toEqual(sent.body);
  for (const [name, value] of Object.entries(sent.headers)) {
    const came = seen.headers[name] ?? '';
    if (typeof value === 'string') expect([name, came]).toEqual([name, value]);
    else expect([name, value(came, seen)]).toEqual([name, true]);
  }
  const unexpected = Object.keys(seen.headers).filter(
    (name) => !OWN_HEADERS.has(name) && !(name in sent.headers) && !name.startsWith('sec-websocket'),
  );
  expect(unexpected).toEqual([]);
}

const framesOf = ({ stream }: OwnWireCase): string[] => stream.frames.map(String);
const bodyOf = ({ stream }: OwnWireCase): Blob =>
  new Blob(stream.frames.map((frame) => (typeof frame === 'string' ? frame : Uint8Array.from(frame))));

const named = ownWireCases.map((given) => [`${given.type} ${given.label}`, given] as const);

describe.each(named)('type %s', (_name, given) => {
  const expectCharged = (row: Awaited<ReturnType<typeof call>>['row']) => {
    if (given.usage === null) return expect(row.other.usage_source).toBe('estimated');
    const [input, output] = given.usage;
    expect(row).toMatchObject({ prompt_tokens: input, completion_tokens: output, quota: input + output });
    expect(row.other.usage_source).toBe('upstream');
  };

  it('answers a chat', async () => {
    const { answer } = given.plain;
    answering(
      given,
      () =>
        typeof answer === 'string'
          ? new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
          : Response.json(answer),
      framesOf(given),
    );
    const { status, text, row } = await call(given);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    const reply = JSON.parse(text);
    expect(reply.choices).toMatchObject([
      { index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' },
    ]);
    if (given.usage) {
      const [prompt_tokens, completion_tokens] = given.usage;
      expect(reply.usage).toMatchObject({ prompt_tokens, completion_tokens });
    }
    expectSent(given, given.plain);
    expectCharged(row);
  });

  it('streams a chat', async () => {
    const type = given.stream.type ?? 'text/event-stream';
    answering(
      given,
      () => new Response(bodyOf(given), { headers: { 'content-type': type } }),
      framesOf(given),
    );
    const { status, text, row } = await call(given, { stream: true });
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const chunks = text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice('data: '.length)));
    const said = chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('');
    const stops = chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? []);
    expect([said, stops]).toEqual(['ok', ['stop']]);
    expectSent(given, given.stream);
    expectCharged(row);
    expect(row.other.stream_end).toBe('done');
  });

  it.each([
    [401, 502, 'upstream_auth'],
    [429, 429, 'upstream_busy'],
    [500, 502, 'upstream_error'],
  ] as const)(
    'tells its %i as %i %s, whole or streamed, and keeps its key to itself',
    async (which, status, code) => {
      const { status: sent, body } = given.errors[which];
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      answering(
        given,
        () => new Response(text, { status: sent, headers: { 'content-type': 'application/json' } }),
        [text],
      );
      for (const stream of [false, true]) {
        const answer = await call(given, { stream });
        expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([status, code]);
        expect(answer.row.quota).toBe(0);
        const shown = answer.text + JSON.stringify(answer.row) + printed.text;
        for (const secret of given.secrets) expect(shown).not.toContain(secret);
      }
    },
  );

  if (given.socket) {
    it('is refused where the socket is', async () => {
      answering(given, () => new Response());
      vendor.socketStatus = 401;
      const { status, text } = await call(given);
      expect([status, JSON.parse(text).error.code]).toEqual([502, 'upstream_auth']);
    });
  }

  const { exchange } = given;
  if (exchange) {
    it('exchanges its key once, and again when the token is taken back', async () => {
      let refusals = 1;
      const { status: sent, body } = given.errors[401];
      answering(given, () =>
        refusals-- > 0 ? Response.json(body, { status: sent }) : Response.json(given.plain.answer),
      );
      const { status } = await call(given);
      expect(status).toBe(200);
      expect(vendor.seen.map((seen) => stepOf(given, seen)).slice(-3)).toEqual(['call', 'exchange', 'call']);
      const exchanged = vendor.seen.filter((seen) => stepOf(given, seen) === 'exchange').at(-1);
      expect(exchanged && exchange.sent(exchanged)).toBe(true);
      await call(given);
      expect(vendor.seen.filter((seen) => stepOf(given, seen) === 'call')).toHaveLength(3);
      expect(vendor.seen.filter((seen) => stepOf(given, seen) === 'exchange').length).toBeLessThan(3);
    });

    it('says that its key is no good when the exchange says so', async () => {
      vendor.answer = () =>
        Response.json(
          { error: 'invalid_client', error_description: `unknown ${given.secrets[0]}` },
          { status: 401 },
        );
      // The token that is held is forgotten first.
      await call(given);
      const { status, text, row } = await call(given);
      expect([status, JSON.parse(text).error.code]).toEqual([502, 'upstream_auth']);
      const shown = text + JSON.stringify(row) + printed.text;
      for (const secret of given.secrets) expect(shown).not.toContain(secret);
    });
  }

  const { models } = given;
  if (models) {
    it('says which models there are', async () => {
      answering(given, () => Response.json(models.answer));
      const [row] = await relay.api.deps.db.query<{ id: number }>('select id from channels where type = $1', [
        given.type,
      ]);
      const answer = await relay.root.get(`/api/channel/fetch_models/${row?.id}`);
      expect(answer.data).toEqual(models.names);
      expect(vendor.seen.at(-1)?.url.href).toBe(models.url);
    });
  }

  it('passes its test with a short call', async () => {
    const { answer } = given.plain;
    answering(
      given,
      () =>
        typeof answer === 'string'
          ? new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
          : Response.json(answer),
      framesOf(given),
    );
    const [row] = await relay.api.deps.db.query<{ id: number }>('select id from channels where type = $1', [
      given.type,
    ]);
    const told = await relay.root.get(`/api/channel/test/${row?.id}`);
    expect([told.success, told.message]).toEqual([true, '']);
  });
});

describe('signing vectors', () => {
  /** The signature of the last call. */
  const signature = () =>
    /Signature=([0-9a-f]{64})/.exec(vendor.seen.at(-1)?.headers.authorization ?? '')?.[1];
  const openFor = (type: number, key: string, model: string, base_url: string) =>
    relay.addChannel({
      type,
      key,
      models: model,
      base_url,
      setting: JSON.stringify({ proxy: vendor.base }),
      group: 'default',
    });

  it("Tencent's comes out of a chat", async () => {
    await relay.set({ ModelRatio: { 'tc-vector': 1 } });
    const id = await openFor(
      23,
      'app|testSecretId|testSecretKey',
      'tc-vector',
      'http://hunyuan.tencentcloudapi.com',
    );
    await relay.root.put('/api/channel/', { id, model_mapping: '{"tc-vector":"hunyuan-lite"}' });
    vendor.answer = () => Response.json({ Response: { Choices: [{ Message: { Content: 'ok' } }] } });
    setSystemTime(AT);
    await (await relay.chat({ model: 'tc-vector' })).text();
    setSystemTime();
    await relay.settled(++calls);
    expect(vendor.seen.at(-1)?.text).toBe(
      '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"hi"}],"Stream":false}',
    );
    expect(signature()).toBe('23125af767748bfb9bd5d37305ac9d059d51f8842a8923abacf3cbcbe0a39838');
  });

  it("Bedrock's comes out of a message", async () => {
    await relay.set({ ModelRatio: { 'aws-vector': 1 } });
    const id = await openFor(
      33,
      'AKID|testSecretAccessKey|us-east-1',
      'aws-vector',
      'http://bedrock-runtime.us-east-1.amazonaws.com',
    );
    await relay.root.put('/api/channel/', {
      id,
      model_mapping: '{"aws-vector":"anthropic.claude-3-haiku-20240307-v1:0"}',
    });
    vendor.answer = () => Response.json(ownWireCases.find(({ type }) => type === 33)?.plain.answer);
    setSystemTime(AT);
    const answer = await fetch(`${relay.base}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': relay.key },
      body: '{"model":"aws-vector","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}',
    });
    setSystemTime();
    expect(answer.status).toBe(200);
    await relay.settled(++calls);
    expect(vendor.seen.at(-1)?.text).toBe(
      '{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}',
    );
    expect(vendor.seen.at(-1)?.url.pathname).toBe('/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke');
    expect(signature()).toBe('9b3084b1d2d17568ab88b9558317d31b7035633405a224e46c68ff88932a5e50');
  });

  it("Spark's stands in the address of its socket", async () => {
    const given = ownWireCases.find(({ type }) => type === 18);
    if (!given) throw new Error('no case');
    answering(given, () => new Response(), framesOf(given));
    await call(given);
    const { url } = vendor.seen.at(-1) ?? { url: new URL('http://none') };
    const date = AT.toUTCString();
    const text = `host: ${url.host}\ndate: ${date}\nGET /v3.5/chat HTTP/1.1`;
    const sig = new Bun.CryptoHasher('sha256', 'sparksecret').update(text).digest('base64');
    const origin = `api_key="sparkapikey", algorithm="hmac-sha256", headers="host date request-line", signature="${sig}"`;
    expect(Object.fromEntries(url.searchParams)).toEqual({
      authorization: Buffer.from(origin).toString('base64'),
      date,
      host: url.host,
    });
  });
});

describe('where a model or a key decides the wire', () => {
  const oneCall = async (channel: JsonObject, answer: JsonObject) => {
    const model = String(channel.models);
    await relay.set({ ModelRatio: { [model]: 1 } });
    await relay.addChannel({ ...channel, setting: JSON.stringify({ proxy: vendor.base }) });
    vendor.answer = ({ url }) =>
      url.pathname === '/token'
        ? Response.json({ access_token: 'ya29.case-token', expires_in: 3599 })
        : Response.json(answer);
    const reply = await relay.chat({ model });
    const text = await reply.text();
    await relay.settled(++calls);
    expect([reply.status, reply.status === 200 ? '' : text]).toEqual([200, '']);
    const seen = vendor.seen.at(-1);
    if (!seen) throw new Error('nothing came');
    return seen;
  };
  const caseOf = (type: number) => {
    const found = ownWireCases.find((given) => given.type === type);
    if (!found) throw new Error(`no case of type ${type}`);
    return found;
  };
  const openaiAnswer = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  };
  const claudeAnswer = caseOf(14).plain.answer as JsonObject;

  it('Vertex asks Claude by raw prediction, in the region of the model', async () => {
    const { key, channel } = caseOf(41);
    const base_url = 'http://europe-west1-aiplatform.googleapis.com';
    const model = 'claude-3-5-sonnet-20240620';
    const seen = await oneCall({ ...channel, type: 41, key, models: model, base_url }, claudeAnswer);
    expect(seen.url.href).toBe(
      `${base_url}/v1/projects/proj/locations/europe-west1/publishers/anthropic/models/claude-3-5-sonnet@20240620:rawPredict`,
    );
    expect(seen.body.anthropic_version).toBe('vertex-2023-10-16');
    expect(seen.body).not.toHaveProperty('model');
  });

  it("Vertex asks open models by OpenAI's wire", async () => {
    const { key, channel } = caseOf(41);
    const model = 'meta/llama-4-maverick-17b-128e-instruct-maas';
    const seen = await oneCall({ ...channel, type: 41, key, models: model }, openaiAnswer);
    expect(seen.url.pathname).toBe(
      '/v1beta1/projects/proj/locations/us-central1/endpoints/openapi/chat/completions',
    );
    expect(seen.body.model).toBe(model);
  });

  it('Vertex takes a plain key in its express mode, outside the address', async () => {
    const base_url = 'http://aiplatform.googleapis.com';
    const seen = await oneCall(
      { type: 41, key: 'AQ.express-key', models: 'gemini-2.5-flash-lite', base_url },
      caseOf(24).plain.answer as JsonObject,
    );
    expect(seen.url.href).toBe(
      `${base_url}/v1/publishers/google/models/gemini-2.5-flash-lite:generateContent`,
    );
    expect(seen.headers['x-goog-api-key']).toBe('AQ.express-key');
  });

  it('Bedrock asks models of other makers by Converse', async () => {
    const { key, channel } = caseOf(33);
    const seen = await oneCall(
      { ...channel, type: 33, key, models: 'amazon.nova-lite-v1:0' },
      {
        output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
      },
    );
    expect(seen.url.pathname).toBe('/model/amazon.nova-lite-v1%3A0/converse');
    expect(seen.body.messages).toEqual([{ role: 'user', content: [{ text: 'hi' }] }]);
  });

  it('Bedrock takes a key of its own as a bearer', async () => {
    const { channel } = caseOf(33);
    const seen = await oneCall(
      { ...channel, type: 33, key: 'bedrock-api-key|eu-west-1', models: 'claude-sonnet-4-20250514' },
      claudeAnswer,
    );
    expect(seen.headers.authorization).toBe('Bearer bedrock-api-key');
    expect(seen.url.pathname).toContain('/model/eu.anthropic.claude-sonnet-4-20250514-v1%3A0/');
  });

  it('Spark takes a password over HTTP', async () => {
    const body = { choices: openaiAnswer.choices, usage: { prompt_tokens: 1, completion_tokens: 1 } };
    const base_url = 'http://spark-api-open.xf-yun.com';
    const seen = await oneCall({ type: 18, key: 'password', models: 'SparkDesk-v4.0', base_url }, body);
    expect(seen.url.href).toBe(`${base_url}/v1/chat/completions`);
    expect([seen.body.model, isObject(seen.body.stream_options)]).toEqual(['4.0Ultra', true]);
  });
});

describe('vendors of one wire that take another too', () => {
  const claude = {
    model: 'm',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'hi' }],
    thinking: { type: 'disabled' },
  };
  const responses = { model: 'm', input: 'hi', store: false, truncation: 'auto' };

  it.each([
    [17, '/v1/messages', '/apps/anthropic/v1/messages'],
    [20, '/v1/messages', '/v1/messages'],
    [25, '/v1/messages', '/anthropic/v1/messages'],
    [26, '/v1/messages', '/api/anthropic/v1/messages'],
    [35, '/v1/messages', '/anthropic/v1/messages'],
    [43, '/v1/messages', '/anthropic/v1/messages'],
    [1, '/v1/responses', '/v1/responses'],
    [3, '/v1/responses', '/openai/v1/responses?api-version=preview'],
    [45, '/v1/responses', '/api/v3/responses'],
  ] as const)('type %i: %s goes on to %s as it is', async (type, path, expected) => {
    const model = `also-${type}${path.at(-1)}`;
    const base_url = 'http://up.example';
    await relay.set({ ModelRatio: { [model]: 1 } });
    await relay.addChannel({
      type,
      key: 'sk-also-0123',
      models: model,
      base_url,
      setting: JSON.stringify({ proxy: vendor.base }),
    });
    const isClaude = path === '/v1/messages';
    const reply = isClaude
      ? ownWireCases[0]?.plain.answer
      : {
          id: 'resp_1',
          object: 'response',
          status: 'completed',
          output: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        };
    vendor.answer = () => Response.json(reply);
    const asked = { ...(isClaude ? claude : responses), model };
    const answer = await fetch(relay.base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${relay.key}`, 'anthropic-beta': 'files-api-2025-04-14' },
      body: JSON.stringify(asked),
    });
    expect(await answer.json()).toEqual(reply);
    await relay.settled(++calls);
    const seen = vendor.seen.at(-1);
    expect(seen?.url.href).toBe(base_url + expected);
    expect(seen?.body).toEqual(asked);
    const key = type === 3 ? seen?.headers['api-key'] : seen?.headers.authorization?.replace('Bearer ', '');
    expect(key).toBe('sk-also-0123');
    if (isClaude) {
      expect(seen?.headers).toMatchObject({
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'files-api-2025-04-14',
      });
    }
  });

  it('Ollama is asked in its own words by those who do not speak the ones that it copied', async () => {
    await relay.set({ ModelRatio: { 'own-words': 1 } });
    await relay.addChannel({
      type: 4,
      key: '-',
      models: 'own-words',
      base_url: 'http://up.example',
      setting: JSON.stringify({ proxy: vendor.base }),
    });
    vendor.answer = () =>
      Response.json({
        model: 'own-words',
        created_at: '2025-01-01T00:00:00Z',
        message: { role: 'assistant', content: 'ok' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 3,
        eval_count: 4,
      });
    const answer = await fetch(`${relay.base}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': relay.key },
      body: JSON.stringify({ ...claude, model: 'own-words', top_k: 7 }),
    });
    expect(await answer.json()).toMatchObject({
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 4 },
    });
    await relay.settled(++calls);
    const seen = vendor.seen.at(-1);
    expect(seen?.url.href).toBe('http://up.example/api/chat');
    expect(seen?.body).toEqual({
      model: 'own-words',
      stream: false,
      messages: [{ role: 'user', content: 'hi' }],
      think: false,
      options: { num_predict: 5, top_k: 7 },
    });
  });
});
