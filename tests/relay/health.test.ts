import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import type { Alert } from '../../src/modules/alert/service.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { until } from '../support/waits.ts';

let relay: TestRelay;
let models = 0;
const alerts: Alert[] = [];
const upstreams: Upstream[] = [];

beforeAll(async () => {
  relay = await openTestRelay();
  relay.api.deps.relay.alerts.send = (alert) => void alerts.push(alert);
  const names = Array.from({ length: 20 }, (_, i) => [`model-${i}`, 1]);
  await relay.set({
    AutomaticDisableChannelEnabled: true,
    AutomaticDisableKeywords: 'something else\nMOCK 529\nMOCK 400',
    ModelRatio: { 'gpt-4o': 1, ...Object.fromEntries(names) },
  });
});
afterAll(async () => {
  for (const upstream of upstreams) await upstream.close();
  await relay.close();
});

/** Upstreams, one a channel, that serve a model of their own. */
async function serve(count: number, more: object = {}) {
  const model = `model-${models++}`;
  const served: { upstream: Upstream; id: number }[] = [];
  for (let n = 0; n < count; n++) {
    const upstream = await startUpstream();
    upstreams.push(upstream);
    served.push({
      upstream,
      id: await relay.addChannel({ models: model, base_url: upstream.base, ...more }),
    });
  }
  return { model, served };
}

const call = async (model: string, body: object = {}, headers: Record<string, string> = {}) => {
  const request = relay.chatRequest({ model, ...body });
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  const answer = await fetch(request);
  await answer.text();
  return answer;
};

const told = async (type: Alert['type'], id = 0): Promise<Alert | undefined> => {
  const find = () => alerts.find((alert) => alert.type === type && alert.subject === `channel:${id}`);
  await until(`${type} is told of channel ${id}`, () => find() !== undefined);
  return find();
};

const statusOf = async (id: number): Promise<number> =>
  (await relay.root.get(`/api/channel/${id}`)).data.status;

describe('AutomaticDisableKeywords', () => {
  it('in an error of the upstream, whatever their case, disable the channel and tell root', async () => {
    const { model, served } = await serve(1);
    await relay.addChannel({ models: model, priority: -1 });
    const [one] = served;
    // The call, and the test that it brings about.
    one?.upstream.next.push('529', '529');
    expect((await call(model)).status).toBe(200);
    expect((await told('channel_disabled', one?.id))?.content?.en).toBe('mock 529');
    expect(await statusOf(one?.id ?? 0)).toBe(3);
  });

  it('act on a bad request as well, which is asked elsewhere', async () => {
    const { model, served } = await serve(1);
    await relay.addChannel({ models: model, priority: -1 });
    const [one] = served;
    one?.upstream.next.push('400', '400');
    expect((await call(model)).status).toBe(200);
    await told('channel_disabled', one?.id);
  });

  it('disable nothing where the caller brought them along', async () => {
    const { model, served } = await serve(1);
    await relay.addChannel({ models: model, priority: -1 });
    const [one] = served;
    one?.upstream.next.push('529', '529', '529', '529');
    await call(model, { messages: [{ role: 'user', content: 'say "Mock 529"!' }] });
    await call(model, { metadata: { 'a mock 529': 1 } });
    expect(await statusOf(one?.id ?? 0)).toBe(1);
    await call(model);
    await told('channel_disabled', one?.id);
  });

  it('disable nothing where the channel does not allow it, or is the last one', async () => {
    const exempt = await serve(1, { auto_ban: 0 });
    await relay.addChannel({ models: exempt.model, priority: -1 });
    const last = await serve(1);
    for (const { model, served } of [exempt, last]) {
      served[0]?.upstream.next.push('529', '529');
      await call(model);
    }
    await told('channel_last', last.served[0]?.id);
    expect(await statusOf(exempt.served[0]?.id ?? 0)).toBe(1);
    expect(await statusOf(last.served[0]?.id ?? 0)).toBe(1);
  });
});

it('a channel whose streams break off is left alone like one that fails', async () => {
  const { model, served } = await serve(2);
  const [one, other] = served;
  if (one) one.upstream.always = 'cut';
  for (let n = 0; n < 60 && (one?.upstream.chats.length ?? 0) < 5; n++) {
    await call(model, { stream: true }).catch(() => null);
  }
  // What breaks off may be what was asked: a test of our own, which breaks off as well, comes before it is left alone.
  const { breakers } = relay.api.deps.relay;
  await until('it is left alone', () => breakers.open().channels.has(one?.id ?? 0));
  expect(one?.upstream.chats).toHaveLength(6);
  const before = other?.upstream.chats.length ?? 0;
  for (let n = 0; n < 10; n++) await call(model, { stream: true });
  expect(other?.upstream.chats).toHaveLength(before + 10);
});

describe('a stream that has begun and ends by an error', () => {
  /** As upstreams tell that they have failed, and that what they were asked has. */
  const OWN = { message: 'The server had an error', type: 'server_error', code: 'server_error' };
  /** OpenAI's, of an account. */
  const FULL = { message: 'Selected model is at capacity.', type: 'invalid_request_error', code: null };
  const CALLERS: JsonObject[] = [
    { code: 400, message: 'Provider returned error' },
    { code: 403, message: 'The input was flagged by moderation' },
    { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'Too many tokens' },
    { type: 'invalid_request_error', param: 'input', message: 'Your input is too long' },
    { code: 'content_filter', message: 'The response was filtered' },
    { code: 'data_inspection_failed', message: 'Output data may contain inappropriate content.' },
  ];

  /** A channel whose streams end by these errors, one after another, and which answers no test. */
  async function ending(errors: readonly JsonObject[]) {
    const { model, served } = await serve(1);
    const [one] = served;
    if (!one) throw new Error('nobody serves it');
    const { upstream, id } = one;
    upstream.always = '500';
    for (const error of errors) {
      upstream.next.push('error-mid');
      upstream.errorMid = error;
      const text = await (await fetch(relay.chatRequest({ model, stream: true }))).text();
      expect(text).toContain('w1');
      expect(text).not.toContain('[DONE]');
    }
    const { breakers } = relay.api.deps.relay;
    return { upstream, isAlone: () => breakers.open().channels.has(id) };
  }

  it('of its own counts as one that breaks off', async () => {
    const { upstream, isAlone } = await ending([OWN, FULL, OWN, FULL, OWN]);
    await until('it is left alone', isAlone);
    expect(upstream.chats).toHaveLength(6);
  });

  it.each(CALLERS)('of its caller’s says nothing of the channel, good or bad: %j', async (callers) => {
    const { upstream, isAlone } = await ending([OWN, OWN, OWN, OWN, callers, OWN]);
    // The fifth in a row, behind which a test of our own was asked.
    await until('it is left alone', isAlone);
    expect(upstream.chats).toHaveLength(7);
  });
});

describe('calls of one conversation', () => {
  const busiest = (served: { upstream: Upstream }[]) =>
    served.map(({ upstream }) => upstream.chats.length).toSorted((a, b) => b - a);

  const named: [string, (name: string) => [object, Record<string, string>]][] = [
    ['prompt_cache_key', (name) => [{ prompt_cache_key: name }, {}]],
    ['a session header', (name) => [{}, { 'x-session-id': name }]],
  ];
  it.each(named)('named by %s go to one channel, other conversations to others', async (_, of) => {
    const { model, served } = await serve(4);
    const [body, headers] = of('conversation');
    for (let n = 0; n < 12; n++) await call(model, body, headers);
    expect(busiest(served)).toEqual([12, 0, 0, 0]);
    for (let n = 0; n < 24; n++) await call(model, ...of(`other ${n}`));
    expect(busiest(served)[1]).toBeGreaterThan(0);
  });

  it('go elsewhere while their channel fails, and come back to it', async () => {
    const { model, served } = await serve(3);
    const body = { prompt_cache_key: 'k' };
    await call(model, body);
    const home = served.find(({ upstream }) => upstream.chats.length > 0);
    home?.upstream.next.push('500');
    expect((await call(model, body)).status).toBe(200);
    for (let n = 0; n < 5; n++) await call(model, body);
    expect(home?.upstream.chats).toHaveLength(7);
  });
});
