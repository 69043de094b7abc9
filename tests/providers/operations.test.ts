/** Every provider serves what its record says beside chat, in its vendor's words, and answers in OpenAI's. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '../../src/core/json.ts';
import { GATEWAY_FIELDS } from '../../src/dialects/gateway-fields.ts';
import { findProvider } from '../../src/providers/registry.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { startVendor, type Vendor, type VendorCall } from '../support/vendor.ts';
import { HOST, KEY, type OperationCase, operationCases, USUAL } from './cases/operations.ts';

let relay: TestRelay;
let vendor: Vendor;
/** Of an admin: such a key may name the channel. */
let adminKey = '';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const VERTEX_KEY = JSON.stringify({
  project_id: 'proj',
  client_email: 'a@proj.iam',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  token_uri: `${HOST}/token`,
});

const modelOf = ({ model }: OperationCase): string => model ?? 'm';

beforeAll(async () => {
  relay = await openTestRelay();
  vendor = startVendor();
  const ratios = Object.fromEntries(operationCases.map((given) => [modelOf(given), 1]));
  await relay.set({ ModelRatio: ratios, CompletionRatio: ratios });
  const admin = await relay.api.createUser({ role: 10, quota: 100_000_000 });
  adminKey = await relay.addToken({}, admin);
});
afterAll(async () => {
  await relay.close();
  await vendor.close();
});

const usualOf = ({ operation }: OperationCase) => {
  if (operation === 'chat' || operation === 'realtime' || operation === 'tool' || operation === 'task')
    throw new Error('tried elsewhere');
  return USUAL[operation];
};

function answerOf(given: OperationCase): (call: VendorCall) => Response {
  const answer = given.answer ?? usualOf(given).answer;
  return (call) => {
    if (call.url.pathname === '/token') return Response.json({ access_token: 'ya29.t', expires_in: 3599 });
    return typeof answer === 'function' ? answer(call) : Response.json(answer);
  };
}

function requestOf(given: OperationCase): { body: string | FormData; headers: Record<string, string> } {
  const { asks, files } = usualOf(given);
  const fields: JsonObject = { model: modelOf(given), ...asks, ...given.asks };
  if (!files) return { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const [name, type] of Object.entries(files))
    form.append(name, new Blob(['bytes'], { type }), 'file.bin');
  return { body: form, headers: {} };
}

const call = async (given: OperationCase) => asked(given, await added(given));

async function added(given: OperationCase): Promise<number> {
  return relay.addChannel({
    type: given.type,
    key: given.key ?? (given.type === 41 ? VERTEX_KEY : KEY),
    models: modelOf(given),
    base_url: HOST,
    setting: JSON.stringify({ proxy: vendor.base }),
    ...given.channel,
  });
}

async function asked(given: OperationCase, id: number) {
  vendor.seen.length = 0;
  vendor.answer = answerOf(given);
  const { body, headers } = requestOf(given);
  return fetch(`${relay.base}${usualOf(given).path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}-${id}`, ...headers },
    body,
  });
}

/** The call itself, among those for tokens, tasks and pictures. */
function sentTo(path: string): VendorCall {
  const found = vendor.seen.find(({ url }) => url.href === HOST + path);
  if (!found) throw new Error(`nothing came to ${path}: ${vendor.seen.map(({ url }) => url.href)}`);
  return found;
}

async function expectSent(given: OperationCase): Promise<void> {
  const sent = sentTo(given.path);
  expect(sent.method).toBe('POST');
  for (const [name, value] of Object.entries(given.headers ?? {})) {
    expect([name, sent.headers[name]]).toEqual([name, value]);
  }
  const { asks, files } = usualOf(given);
  if (given.text !== undefined) return expect(sent.text).toBe(given.text);
  if (given.body) return expect(sent.body).toEqual(given.body);
  if (given.operation === 'speech' && given.type === 45) {
    return expect(sent.body).toMatchObject({
      app: { appid: 'speech-app', token: 'speech-token' },
      audio: { voice_type: 'alloy', encoding: 'mp3' },
      request: { text: 'hello', operation: 'query' },
    });
  }
  const fields = { ...asks, ...given.asks, model: modelOf(given) };
  if (!files) return expect(sent.body).toMatchObject(fields);
  const form = await new Response(sent.text, {
    headers: { 'content-type': sent.headers['content-type'] ?? '' },
  }).formData();
  for (const [name, value] of Object.entries(fields)) expect(form.get(name)).toBe(String(value));
  for (const name of Object.keys(files)) {
    const file = form.get(name);
    expect(file instanceof File ? await file.text() : file).toBe('bytes');
  }
}

const named = operationCases.map((given) => {
  const label = findProvider(given.type)?.label ?? 'none';
  return [`${given.type} ${label}, ${given.operation} of ${modelOf(given)}`, given] as const;
});

describe.each(named)('type %s', (_name, given) => {
  it('is served', async () => {
    const answer = await call(given);
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
    const gives = given.gives ?? usualOf(given).gives;
    if (typeof gives === 'string') expect(text).toBe(gives);
    else expect(JSON.parse(text)).toMatchObject(gives);
    await expectSent(given);
  });
});

describe('an operation that a provider does not serve', () => {
  it('is refused in clear words before anything is asked or charged', async () => {
    for (const [type, operation] of [
      [37, 'images'],
      [14, 'embeddings'],
      [38, 'chat'],
    ] as const) {
      const id = await relay.addChannel({ type, key: KEY, models: 'm', base_url: HOST });
      vendor.seen.length = 0;
      const usual = operation === 'chat' ? null : USUAL[operation];
      const answer = await fetch(`${relay.base}${usual?.path ?? '/v1/chat/completions'}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}-${id}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...usual?.asks }),
      });
      const { error } = await answer.json();
      expect([answer.status >= 400, error.code]).toEqual([true, 'operation_not_supported']);
      expect(vendor.seen).toEqual([]);
      expect(await relay.reservations()).toEqual([]);
    }
  });
});

describe('a form', () => {
  it('goes up with the fields of its channel, instead of the caller’s of the same name', async () => {
    const given = operationCases.find(({ type, operation }) => type === 1 && operation === 'transcriptions');
    if (!given) throw new Error('no case');
    const param_override = '{"language":"de","temperature":0.5,"prompt":null}';
    const asks = { language: 'en', prompt: 'Names', response_format: 'json' };
    expect((await call({ ...given, asks, channel: { param_override } })).status).toBe(200);
    const { text, headers } = sentTo(given.path);
    const type = headers['content-type'] ?? '';
    const form = await new Response(text, { headers: { 'content-type': type } }).formData();
    const sent = Object.fromEntries(
      ['language', 'temperature', 'prompt', 'model'].map((f) => [f, form.get(f)]),
    );
    expect(sent).toEqual({ language: 'de', temperature: '0.5', prompt: null, model: modelOf(given) });
    expect(form.has('file')).toBe(true);
  });
});

const PICTURES: ReadonlySet<string> = new Set(['images', 'image-edits', 'image-variations']);
/** Of the fields by which a picture would cost more upstream than it is priced as. */
const DEAR = GATEWAY_FIELDS.filter(({ pictures, cap }) => pictures !== undefined || cap).map(
  ({ name }) => name,
);
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  camel,
  (name) => name.toUpperCase(),
  (name) => name.replaceAll('_', '-'),
  (name) => `${name}[]`,
];
/** A form is refused for such a name. */
const FOLDED = (name: string) => name.replace('s', 'ſ').replace('i', 'ı');
/** With a value that stands in no other field. */
const spelledBy = (spell: (name: string) => string, unless: readonly string[] = []): JsonObject =>
  Object.fromEntries(
    [...DEAR, 'n']
      .map(spell)
      .filter((name) => !unless.includes(name))
      .map((name) => [name, '7777x7777']),
  );
const READ = ['size', 'quality', 'n', 'partial_images'];
/** In every spelling and at every place of a body; of a form, one spelling after the other: its fields have a bound. */
function* dearly(isForm: boolean): Generator<JsonObject> {
  const all = (isForm ? SPELLINGS : [...SPELLINGS, FOLDED]).map((spell) => spelledBy(spell, READ));
  if (isForm) return yield* all;
  const anywhere = spelledBy((name) => name);
  const inside = { parameters: anywhere, extra_body: anywhere, options: anywhere, image_config: anywhere };
  yield Object.assign({}, ...all, inside, { generationConfig: { imageConfig: anywhere, size: '7777' } });
}

describe('a picture that is asked for in words that nobody prices', () => {
  const wires = named.filter(([, { operation }]) => PICTURES.has(operation));
  it('is looked at on every wire', () => {
    expect(new Set(wires.map(([, { type }]) => type)).size).toBeGreaterThanOrEqual(13);
  });

  it.each(wires)('goes up as it is priced: type %s', async (_name, given) => {
    for (const dear of dearly('files' in usualOf(given))) {
      const asks = { ...given.asks, size: '1024x1024', n: 1, ...dear };
      const answer = await call({ ...given, asks });
      expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, '']);
      const sent = sentTo(given.path);
      expect(sent.text + sent.url.search).not.toContain('7777');
    }
  });

  it.each([
    [40, { image_size: '1024x1024' }],
    [35, { width: 1024, height: 1024 }],
    [39, { width: 1024, height: 1024 }],
    [17, { parameters: { size: '1024*1024', n: 1 } }],
  ])('is as large as it is priced, whatever a channel of type %d adds', async (type, sent) => {
    const given = operationCases.find((each) => each.type === type && each.operation === 'images');
    if (!given) throw new Error('no case');
    const id = await added(given);
    // Rows may be older than the rule that refuses such fields.
    const fields = JSON.stringify({
      ...{ size: '7777x7777', image_size: '7777x7777', width: 7777, height: 7777, quality: 'hd' },
      parameters: { size: '7777*7777', sampleImageSize: '7777' },
    });
    await relay.api.deps.db.query('update channels set param_override = $2::jsonb where id = $1', [
      id,
      fields,
    ]);
    await relay.root.put('/api/channel/', { id, priority: 1 });
    await asked(given, id);
    const { text, body } = sentTo(given.path);
    expect(text).not.toContain('7777');
    expect(body).toMatchObject(sent);
  });

  it('goes up as it was asked for where the channel sells dearer service, but in one word for its size', async () => {
    const given = operationCases.find(({ type, operation }) => type === 1 && operation === 'images');
    if (!given) throw new Error('no case');
    const dear = { resolution: '2k', steps: 50, aspect_ratio: '16:9' };
    const asks = { ...dear, width: 4096, size: null };
    const sold = { setting: JSON.stringify({ proxy: vendor.base, allow_dearer: true }) };
    await call({ ...given, asks, channel: sold });
    expect(sentTo(given.path).body).toMatchObject(dear);
    expect(sentTo(given.path).body).not.toHaveProperty('width');
    await call({ ...given, asks });
    expect(Object.keys(sentTo(given.path).body)).not.toContain('resolution');
    await call({ ...given, asks: { ...asks, resolution: '1K' } });
    expect(sentTo(given.path).body).toMatchObject({ resolution: '1K', aspect_ratio: '16:9' });
  });

  it('is not drawn larger than it is priced where the vendor charges by the area', async () => {
    const given = operationCases.find(({ type, operation }) => type === 39 && operation === 'images');
    if (!given) throw new Error('no case');
    const sizes = ['2048x2048', '1536x1024', '1792x1024', '512x512'];
    const statuses = [];
    for (const size of sizes) statuses.push((await call({ ...given, asks: { size } })).status);
    expect(statuses).toEqual([400, 400, 200, 200]);
  });
});

describe('a task that fails', () => {
  it('is told with the words of the vendor', async () => {
    const given = operationCases.find(({ type, operation }) => type === 17 && operation === 'images');
    if (!given) throw new Error('no case');
    const answer = await call({
      ...given,
      answer: ({ url }) =>
        Response.json(
          url.pathname.startsWith('/api/v1/tasks')
            ? { output: { task_status: 'FAILED', code: 'DataInspectionFailed', message: 'not that cat' } }
            : { output: { task_id: 't1', task_status: 'PENDING' } },
        ),
    });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error.message).toContain('not that cat');
  });
});

describe('the test of a channel', () => {
  it.each([
    [44, 'm3e-base', '/embeddings'],
    [38, 'jina-reranker-v3', '/v1/rerank'],
    [1, 'text-embedding-3-small', '/v1/embeddings'],
    [1, 'some-chat-model', '/v1/chat/completions'],
  ] as const)('of type %i asks %s at %s', async (type, model, path) => {
    const id = await relay.addChannel({
      type,
      key: KEY,
      models: model,
      base_url: HOST,
      setting: JSON.stringify({ proxy: vendor.base }),
    });
    vendor.seen.length = 0;
    vendor.answer = ({ url }) => {
      if (url.pathname.endsWith('rerank')) return Response.json(USUAL.rerank.answer);
      if (url.pathname.endsWith('embeddings')) return Response.json(USUAL.embeddings.answer);
      return Response.json({ choices: [{ message: { role: 'assistant', content: 'ok' } }] });
    };
    const told = await relay.root.get(`/api/channel/test/${id}`);
    expect([told.success, told.message]).toEqual([true, '']);
    expect(sentTo(path).body).toMatchObject({ model });
  });
});
