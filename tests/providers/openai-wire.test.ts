/** Every provider of OpenAI's chat wire keeps the same contract; what differs stands in `cases.ts`. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { findProvider, providers } from '../../src/providers/registry.ts';
import { listenToOutput, type Printed } from '../support/printed.ts';
import { CALL_COST, openTestRelay, type TestRelay } from '../support/relay.ts';
import type { Behaviour } from '../support/upstream.ts';
import { caseKey, caseRequest, type ProviderCase, providerCases } from './cases/openai-wire.ts';

let relay: TestRelay;
let calls = 0;
/** Everything that the process logged or printed meanwhile. */
let printed: Printed;

beforeAll(async () => {
  relay = await openTestRelay();
  await relay.set({
    ModelRatio: { 'case-model': 1, 'gpt-3.5-turbo': 1, 'a/b': 1, 'o3-mini': 1, 'bot-1': 1 },
    CompletionRatio: { 'gpt-3.5-turbo': 1 },
    ServerAddress: 'https://site.example',
    SystemName: 'Site 名',
  });
  printed = listenToOutput();
});
afterAll(async () => {
  printed.stop();
  await relay.close();
});

/** A token group of its own for each case, so that a model leads to one channel only. */
const groups = new Map<number, Promise<string>>();
const keyOf = (given: ProviderCase): Promise<string> => {
  const known = groups.get(given.type) ?? open(given);
  groups.set(given.type, known);
  return known;
};

async function open({
  type,
  baseUrl,
  channel,
  key = caseKey,
  model = 'case-model',
}: ProviderCase): Promise<string> {
  const group = `type-${type}`;
  const names = [...groups.keys(), type].map((each) => `type-${each}`);
  const ratios = Object.fromEntries(['default', ...names].map((name) => [name, 1]));
  await relay.set({
    GroupRatio: ratios,
    UserUsableGroups: Object.fromEntries(Object.keys(ratios).map((name) => [name, name])),
  });
  await relay.addChannel({
    type,
    key,
    models: [model, 'o3-mini', 'bot-1'].join(','),
    group,
    base_url: baseUrl.replace('{base}', relay.upstream.base),
    ...channel,
  });
  return relay.addToken({ group });
}

async function channelOf(type: number): Promise<number | undefined> {
  const [row] = await relay.api.deps.db.query<{ id: number }>(
    'select id from channels where type = $1 and name = $2',
    [type, 'mock'],
  );
  return row?.id;
}

async function call(given: ProviderCase, behaviour: Behaviour, more: JsonObject = {}) {
  relay.upstream.next.push(behaviour);
  const { model = 'case-model' } = given;
  const key = await keyOf(given);
  const answer = await relay.chat({ model, ...caseRequest, ...more }, { key });
  const text = await answer.text();
  const row = (await relay.settled(++calls)).at(-1);
  const seen = relay.upstream.chats.at(-1);
  if (!row || !seen) throw new Error('the call left nothing');
  return { status: answer.status, text, row, seen };
}

const named = providerCases.map((given) => {
  const label = providers.find(({ type }) => type === given.type)?.label ?? 'none';
  return [`${given.type} ${label}`, given] as const;
});

describe.each(named)('type %s', (_name, given) => {
  it('sends a plain call to its path, with its headers and its body', async () => {
    const { status, seen, row } = await call(given, 'ok');
    expect(status).toBe(200);
    expect([seen.method, seen.path]).toEqual(['POST', given.path]);
    expect(seen.query).toEqual(given.query ?? {});
    const { host, connection, 'user-agent': agent, 'accept-encoding': encoding, ...headers } = seen.headers;
    expect([host, connection, typeof agent, typeof encoding]).toBeArray();
    expect(headers).toEqual({
      ...given.headers,
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': String(seen.raw.length),
    });
    const expected: Record<string, unknown> = {
      ...caseRequest,
      model: given.model ?? 'case-model',
      ...given.body,
    };
    for (const field in expected) if (expected[field] === undefined) delete expected[field];
    expect(seen.body).toEqual(expected as JsonObject);
    const told = { quota: CALL_COST, prompt_tokens: 17, completion_tokens: 20 };
    const counted = { other: { usage_source: 'estimated' } };
    expect(row).toMatchObject(findProvider(given.type)?.tellsNoUsage ? counted : told);
  });

  it('sends a streamed call, asks for usage where that is understood, and reads it', async () => {
    const { status, text, seen, row } = await call(given, 'ok', { stream: true });
    expect(status).toBe(200);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect([seen.path, seen.headers.accept]).toEqual([given.path, 'text/event-stream']);
    expect(seen.headers).toMatchObject({ ...given.headers, ...given.streamHeaders });
    expect(seen.body.stream).toBe(true);
    const options = seen.body.stream_options;
    expect(isObject(options) ? options.include_usage : undefined).toBe(given.asksUsage ? true : undefined);
    expect(row.other).toMatchObject({
      stream_end: 'done',
      usage_source: given.asksUsage ? 'upstream' : 'estimated',
    });
    if (given.asksUsage) expect(row.quota).toBe(CALL_COST);
  });

  it.each([
    ['401', 502, 'upstream_auth'],
    ['429', 429, 'upstream_busy'],
    ['500', 502, 'upstream_error'],
  ] as const)(
    'answers a %s of the upstream as %i %s, and shows neither key nor address',
    async (behaviour, status, code) => {
      const answer = await call(given, behaviour);
      expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([status, code]);
      expect(answer.row.quota).toBe(0);
      const shown = answer.text + JSON.stringify(answer.row) + printed.text;
      for (const secret of [caseKey, new URL(relay.upstream.base).host]) expect(shown).not.toContain(secret);
    },
  );

  if (!given.listsOtherwise) {
    it('says which models there are', async () => {
      const provider = providers.find(({ type }) => type === given.type);
      const answer = await relay.root.post('/api/channel/fetch_models', {
        type: given.type,
        key: given.key ?? caseKey,
        base_url: given.baseUrl.replace('{base}', relay.upstream.base),
      });
      expect(answer.success).toBe(provider?.listModels !== undefined);
      if (answer.success) expect(answer.data).toEqual(['mock-a', 'mock-b']);
      expect(answer.text).not.toContain(caseKey);
    });
  }

  it('passes its test with a short call', async () => {
    const id = await channelOf(given.type);
    relay.upstream.next.push('ok');
    const answer = await relay.root.get(`/api/channel/test/${id}`);
    expect(answer.success).toBe(true);
    const { body } = relay.upstream.chats.at(-1) ?? {};
    expect(body?.max_tokens ?? body?.max_completion_tokens).toBe(10);
    relay.upstream.next.push('401');
    const failed = await relay.root.get(`/api/channel/test/${id}`);
    expect([failed.success, failed.message.length > 0]).toEqual([false, true]);
    expect(failed.text).not.toContain(caseKey);
  });
});

describe('quirks', () => {
  const caseOf = (type: number): ProviderCase => {
    const found = providerCases.find((given) => given.type === type);
    if (!found) throw new Error(`no case of type ${type}`);
    return found;
  };

  it.each([1, 3])(
    'type %i: reasoning models get their own word for the cap and no sampling',
    async (type) => {
      const { seen } = await call(caseOf(type), 'ok', {
        model: 'o3-mini',
        max_completion_tokens: null,
        max_tokens: 30,
        messages: [{ role: 'system', content: 'Be brief.' }],
      });
      expect(seen.body.messages).toEqual([{ role: 'developer', content: 'Be brief.' }]);
      expect(seen.body).not.toHaveProperty('temperature');
      expect(seen.body).not.toHaveProperty('max_tokens');
      expect(seen.body.max_completion_tokens).toBe(30);
    },
  );

  it.each([1, 3])('type %i: so do later ones, when their channel is tested', async (type) => {
    await keyOf(caseOf(type));
    relay.upstream.next.push('ok');
    await relay.root.get(`/api/channel/test/${await channelOf(type)}?model=gpt-6-mini`);
    const { body } = relay.upstream.chats.at(-1) ?? {};
    expect(body).toMatchObject({ model: 'gpt-6-mini', max_completion_tokens: 64 });
    expect(body).not.toHaveProperty('max_tokens');
  });

  it('type 3: the caller may name the version of the API', async () => {
    const key = await keyOf(caseOf(3));
    const answer = await fetch(`${relay.base}/v1/chat/completions?api-version=2026-01-01`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-3.5-turbo', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(answer.status).toBe(200);
    expect(relay.upstream.chats.at(-1)?.query).toEqual({ 'api-version': '2026-01-01' });
    await relay.settled(++calls);
  });

  it('type 20: thinking is said in one object', async () => {
    const { seen } = await call(caseOf(20), 'ok', { reasoning_effort: 'high' });
    expect(seen.body.reasoning).toEqual({ effort: 'high' });
    expect(seen.body).not.toHaveProperty('reasoning_effort');
  });

  it('type 42: fields that it refuses are left out', async () => {
    const { seen } = await call(caseOf(42), 'ok', { logit_bias: {}, user: 'u', store: true, logprobs: true });
    for (const field of ['logit_bias', 'user', 'store', 'logprobs'])
      expect(seen.body).not.toHaveProperty(field);
  });

  it('type 45: bots have a path of their own', async () => {
    const { seen } = await call(caseOf(45), 'ok', { model: 'bot-1' });
    expect(seen.path).toBe('/api/v3/bots/chat/completions');
  });
});
