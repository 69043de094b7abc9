/** Tool services: what an MCP client says and hears, what is charged for it, and what never is. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import { fail } from '../../src/core/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../src/core/json.ts';
import { MCP_KEY, MCP_SESSION, type McpServer, startMcpServer } from '../support/mcp-server.ts';
import { BALANCE, openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

const SEARCH = 1_234;
const MAP = 77;
const OTHER = 5;

let relay: TestRelay;
let service: McpServer;
beforeAll(async () => {
  service = startMcpServer();
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
});
afterAll(async () => {
  await relay.close();
  await service.close();
});

beforeEach(async () => {
  await relay.set({
    ToolServices: {
      search: { url: service.url, key: MCP_KEY },
      map: { url: service.url, key: MCP_KEY },
      weather: { url: service.url, key: MCP_KEY },
      keyless: { url: service.url },
      away: { url: 'http://127.0.0.1:9/mcp', key: MCP_KEY },
      outside: { url: 'http://169.254.169.254/latest', key: MCP_KEY },
    },
    'request_quota.search': SEARCH,
    'request_quota.map': MAP,
    'request_quota.default': OTHER,
  });
  for (const name of sessions.size > 0 ? [] : ['search', 'map', 'weather']) {
    sessions.set(name, await begin(name));
  }
  service.heard.length = 0;
  service.served = 0;
  service.givenUp = 0;
  service.ended.length = 0;
  service.endsWith = null;
});

/** Those of the usual key, by service. */
const sessions = new Map<string, string>();

/** Begins one. */
async function begin(name: string, key = relay.key): Promise<string> {
  const hello = await post(rpc('initialize'), { name, key, headers: { 'mcp-session-id': '' } });
  await hello.body?.cancel();
  return hello.headers.get('mcp-session-id') ?? '';
}

interface Said {
  name?: string;
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const post = (body: unknown, { name = 'search', key = relay.key, headers = {}, signal }: Said = {}) =>
  fetch(`${relay.base}/mcp/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      ...(key === relay.key ? { 'mcp-session-id': sessions.get(name) ?? '' } : {}),
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });

const rpc = (method: string, params: JsonObject = {}, id: unknown = 7) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const tool = (name: string, text = 'hello', id: unknown = 7) =>
  rpc('tools/call', { name, arguments: { text } }, id);

/** The messages of a stream of events. */
const messages = (text: string): JsonObject[] =>
  text.split('\n\n').flatMap((frame) => {
    const data = frame.split('\n').find((line) => line.startsWith('data: '));
    const message = data === undefined ? null : parseJson(data.slice(6));
    return isObject(message) ? [message as JsonObject] : [];
  });

/** What calls have cost since `before`, once nothing is held any more. */
const spent = async (
  work: () => Promise<unknown>,
): Promise<{ quota: number; rows: Awaited<ReturnType<TestRelay['logs']>> }> => {
  const [before, rows] = [await relay.account(), (await relay.logs()).length];
  await work();
  await until('nothing is held', async () => (await relay.reservations()).length === 0);
  expect(await relay.reservations()).toEqual([]);
  const after = await relay.account();
  return { quota: before.quota - after.quota, rows: (await relay.logs()).slice(rows) };
};

describe('a client', () => {
  it('shakes hands, lists the tools and calls one, as with the service itself', async () => {
    const hello = await post(rpc('initialize', { protocolVersion: '2025-06-18' }, 0), {
      headers: { 'mcp-session-id': '' },
    });
    expect(hello.status).toBe(200);
    const session = hello.headers.get('mcp-session-id') ?? '';
    expect(session).toMatch(/^[\x21-\x7e]+$/);
    expect(hello.headers.get('mcp-protocol-version')).toBe('2025-06-18');
    expect(hello.headers.get('x-of-the-service')).toBeNull();
    expect(await hello.json()).toMatchObject({ id: 0, result: { protocolVersion: '2025-06-18' } });
    const ready = await post(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { headers: { 'mcp-session-id': session } },
    );
    expect(service.heard.at(-1)?.headers.get('mcp-session-id')).toBe(MCP_SESSION);
    expect([ready.status, await ready.text()]).toEqual([202, '']);
    const listed = await post(rpc('tools/list', {}, 'list-1'));
    expect(listed.headers.get('content-type')).toBe('text/event-stream');
    expect(messages(await listed.text())).toMatchObject([
      { id: 'list-1', result: { tools: [{ name: 'echo' }] } },
    ]);
    const called = await post(tool('echo', '你好'));
    expect(called.headers.get('content-type')).toBe('application/json');
    expect(await called.json()).toMatchObject({ id: 7, result: { content: [{ text: '你好' }] } });
    expect(service.heard.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);
    for (const { headers, body } of service.heard) {
      expect(headers.get('authorization')).toBe(`Bearer ${MCP_KEY}`);
      expect(headers.get('mcp-protocol-version')).toBe('2025-06-18');
      expect(body).toMatchObject({ jsonrpc: '2.0' });
    }
    // What a tool is asked goes up as it came, whatever its words mean elsewhere.
    const args = { max_tokens: 5, file_id: 'f', model: 'm', extra_body: { api_base: 'x' }, text: 't' };
    await post(rpc('tools/call', { name: 'echo', arguments: args }));
    expect(service.heard.at(-1)?.body).toMatchObject({ params: { arguments: args } });
  });

  it('hears events as they come', async () => {
    const answer = await post(tool('events', 'hi'));
    const text = await answer.text();
    expect(text).toStartWith(': hello\n\n');
    expect(messages(text)).toMatchObject([
      { method: 'notifications/progress' },
      { method: 'ping' },
      { id: 7, result: { content: [{ text: 'hi' }] } },
    ]);
  });

  it('is shown nothing that answers somebody else, or what was answered before', async () => {
    const text = await (await post(tool('stray-events', 'mine'))).text();
    expect(messages(text)).toMatchObject([{ id: 7, result: { content: [{ text: 'mine' }] } }]);
    expect(text).not.toMatch(/somebody else|once more/);
  });

  it('chooses its ids, and no two requests go up by one', async () => {
    service.heard.length = 0;
    const ids = [7, '7', 7, '', '\ud800', -1];
    const answers = await Promise.all(ids.map(async (id) => (await post(tool('echo', 'a', id))).json()));
    expect(answers.map(({ id }) => id)).toEqual(ids);
    expect(new Set(service.heard.map(({ body }) => String(body.id))).size).toBe(ids.length);
  });

  it('takes its own request back', async () => {
    await post(tool('echo', 'a', 'mine'));
    const id = service.heard.at(-1)?.body.id;
    await post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'mine', reason: 'x' },
    });
    expect(service.heard.at(-1)?.body.params).toEqual({ requestId: id, reason: 'x' });
  });

  it('sends one message, however its names are spelled', async () => {
    await post({ ...rpc('tools/list'), Method: 'tools/call', Params: { name: 'echo' }, ID: 9 });
    expect(Object.keys(service.heard.at(-1)?.body ?? {}).sort()).toEqual([
      'id',
      'jsonrpc',
      'method',
      'params',
    ]);
  });

  it('is told when its session has ended, so that it begins a new one', async () => {
    const answer = await post(tool('echo'), { headers: { 'mcp-session-id': 'old' } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { code: 'tool_session_gone' } },
    });
  });

  it.each(['GET', 'PUT'])('has no use for %s', async (method) => {
    const answer = await fetch(`${relay.base}/mcp/search`, {
      method,
      headers: { authorization: `Bearer ${relay.key}` },
    });
    expect(answer.status).toBe(405);
  });
});

describe('a session', () => {
  const end = (session: string | null, { name = 'search', key = relay.key }: Said = {}) =>
    fetch(`${relay.base}/mcp/${name}`, {
      method: 'DELETE',
      headers: {
        authorization: `Bearer ${key}`,
        'mcp-protocol-version': '2025-06-18',
        ...(session === null ? {} : { 'mcp-session-id': session }),
      },
    });
  const codeOf = async (answer: Response) => [answer.status, (await answer.json()).error.data.code];

  it('is ended by whom it belongs to, for nothing', async () => {
    const session = await begin('search');
    service.heard.length = 0;
    const { quota, rows } = await spent(async () => {
      const answer = await end(session);
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    });
    expect([quota, rows]).toEqual([0, []]);
    expect(service.ended).toEqual([MCP_SESSION]);
    expect(service.heard.map(({ method, headers }) => [method, headers.get('mcp-protocol-version')])).toEqual(
      [['DELETE', '2025-06-18']],
    );
  });

  it('is neither spoken in nor ended by anybody else, whatever he knows of it', async () => {
    const session = await begin('search');
    const foreign = [
      { name: 'search', key: await relay.addToken({}, await relay.api.createUser({ quota: BALANCE })) },
      { name: 'search', key: await relay.addToken() },
      { name: 'map', key: relay.key },
    ];
    service.heard.length = 0;
    for (const said of foreign) {
      for (const named of [session, MCP_SESSION, `${session}x`, `x${session}`, 'x'.repeat(4_000)]) {
        const headers = { 'mcp-session-id': named };
        expect(await codeOf(await end(named, said))).toEqual([404, 'tool_session_gone']);
        expect(await codeOf(await post(tool('echo'), { ...said, headers }))).toEqual([
          404,
          'tool_session_gone',
        ]);
      }
    }
    expect([service.heard, service.ended]).toEqual([[], []]);
    expect((await post(tool('echo'), { headers: { 'mcp-session-id': session } })).status).toBe(200);
  });

  it('keeps its name as long as the service does', async () => {
    const session = await begin('search');
    const again = await post(rpc('initialize'), { headers: { 'mcp-session-id': session } });
    expect(again.headers.get('mcp-session-id')).toBe(session);
  });

  it('is named by who wants to end it', async () => {
    expect(await codeOf(await end(null))).toEqual([400, 'invalid_request']);
  });

  it.each<[says: number, tells: [number, string]]>([
    [405, [405, 'method_not_allowed']],
    [404, [404, 'tool_session_gone']],
    [401, [502, 'upstream_auth']],
    [500, [502, 'upstream_error']],
  ])('whose service says %i is not ended, and its client is told', async (says, tells) => {
    service.endsWith = says;
    const answer = await end(await begin('search'));
    const text = await answer.clone().text();
    expect(await codeOf(answer)).toEqual(tells);
    expect(text).not.toContain('not so');
  });

  it('is ended by nobody without a key, at no unknown service, and not without end', async () => {
    const session = await begin('search');
    expect(await codeOf(await end(session, { key: 'sk-nobodys' }))).toEqual([401, 'invalid_api_key']);
    expect(await codeOf(await end(session, { name: 'nobody' }))).toEqual([404, 'tool_service_not_found']);
    const key = await relay.addToken({}, await relay.api.createUser({ quota: BALANCE }));
    const own = await begin('search', key);
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await end(own, { key })).status),
    );
    expect(statuses.filter((status) => status === 204)).toHaveLength(119);
    expect(statuses.filter((status) => status === 429)).toHaveLength(11);
  });
});

describe('the price', () => {
  it.each([
    ['search', SEARCH],
    ['map', MAP],
    ['weather', OTHER],
  ])('of a tool of %s is its own, for a call and for nothing else', async (name, price) => {
    const free = await spent(async () => {
      await post(rpc('initialize'), { name });
      await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { name });
      await (await post(rpc('tools/list'), { name })).text();
      await post(rpc('ping'), { name });
      await post({ jsonrpc: '2.0', id: 3, result: {} }, { name });
    });
    expect(free).toEqual({ quota: 0, rows: [] });
    for (const form of ['echo', 'listed', 'events']) {
      const { quota, rows } = await spent(async () => (await post(tool(form), { name })).text());
      expect([form, quota]).toEqual([form, price]);
      expect(rows).toMatchObject([
        {
          type: 2,
          quota: price,
          model_name: `tool:${name}`,
          channel_id: 0,
          prompt_tokens: 0,
          other: { tool: form },
        },
      ]);
      expect(JSON.stringify(rows)).not.toContain('hello');
    }
  });

  it('is that of the group, to the unit', async () => {
    await relay.set({ GroupRatio: { default: 1.5 } });
    const { quota } = await spent(() => post(tool('echo'), { name: 'weather' }));
    await relay.set({ GroupRatio: { default: 1 } });
    // 5 × 1.5 = 7.5, half up.
    expect(quota).toBe(8);
  });

  it('may be nothing, and then the call is logged all the same', async () => {
    await relay.set({ 'request_quota.default': 0 });
    const { quota, rows } = await spent(() => post(tool('echo'), { name: 'weather' }));
    expect([quota, rows.map(({ type, quota: paid }) => [type, paid])]).toEqual([0, [[2, 0]]]);
  });

  it('is told to who asks', async () => {
    const whole = await post(tool('echo'), { headers: { 'x-include-cost': '1' } });
    expect(whole.headers.get('x-gateway-cost')).toBe(String(SEARCH));
    const events = await (await post(tool('events'), { headers: { 'x-include-cost': '1' } })).text();
    expect(events).toContain(`: cost=${SEARCH}\n\n`);
  });

  it.each([
    'failing',
    'failing-events',
    'unknown',
    'other-id',
    'no-json',
    'nothing',
    'cut-events',
    'moved',
    '400',
    '401',
    '403',
    '404',
    '429',
    '500',
    '503',
  ])('is not paid for a tool that answers with %s', async (name) => {
    let text = '';
    const { quota, rows } = await spent(async () => {
      text = await (await post(tool(name))).text();
    });
    expect(quota).toBe(0);
    expect(rows).toMatchObject([{ type: 6, quota: 0, model_name: 'tool:search' }]);
    expect(text).not.toBe('');
    // Nothing of what the service says of its account reaches anybody.
    expect(text + JSON.stringify(rows)).not.toContain('account 42');
    expect(text + JSON.stringify(rows)).not.toContain(MCP_KEY);
  });

  it.each(['away', 'outside', 'keyless'])(
    'is not paid where the service %s cannot be asked',
    async (name) => {
      let status = 0;
      const { quota, rows } = await spent(async () => {
        status = (await post(tool('echo'), { name })).status;
      });
      expect([status, quota, rows.map(({ type }) => type)]).toEqual([502, 0, [6]]);
      expect(service.served).toBe(0);
    },
  );

  it('is settled before the answer is shown', async () => {
    const before = await relay.account();
    const reader = (await post(tool('slow-events'))).body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toContain('notifications/progress');
    expect(await relay.account()).toMatchObject({ quota: before.quota - SEARCH, reserved: SEARCH });
    service.release();
    const second = new TextDecoder().decode((await reader?.read())?.value);
    expect(second).toContain('"result"');
    expect(await relay.account()).toMatchObject({ quota: before.quota - SEARCH, reserved: 0 });
    expect((await relay.logs()).at(-1)).toMatchObject({ type: 2, quota: SEARCH });
    await reader?.cancel();
  });

  it.each(['events', 'failing-events'])(
    'that is lost is told, and the call gives its place back: %s',
    async (name) => {
      const { billing, calls } = relay.api.deps.relay;
      const { settle } = billing;
      const lost = spyOn(billing, 'settle').mockImplementation(async (settlement) => {
        await settle(settlement);
        throw fail('unavailable');
      });
      const text = await (await post(tool(name))).text();
      lost.mockRestore();
      expect(messages(text).at(-1)).toMatchObject({ id: 7, error: expect.any(Object) });
      expect(text).not.toContain('"result"');
      await until('no call is open', () => calls.open === 0);
      expect(calls.open).toBe(0);
      await spent(async () => undefined);
    },
  );

  it('is paid for a call whose caller has left, when its answer comes', async () => {
    for (const name of ['slow', 'slow-events']) {
      const leaving = new AbortController();
      const { quota, rows } = await spent(async () => {
        const asked = post(tool(name), { signal: leaving.signal });
        if (name === 'slow-events') await (await asked).body?.getReader().read();
        else while (service.heard.length === 0) await Bun.sleep(5);
        leaving.abort();
        await asked.catch(() => undefined);
        await Bun.sleep(50);
        service.release();
        while (service.served === 0) await Bun.sleep(5);
      });
      expect([name, quota, rows.map(({ type }) => type)]).toEqual([name, SEARCH, [2]]);
      service.heard.length = 0;
      service.served = 0;
    }
  });

  it('is paid by nobody where nothing is read on for callers who leave', async () => {
    await relay.set({ DrainSeconds: 0 });
    const leaving = new AbortController();
    const { quota, rows } = await spent(async () => {
      const answer = await post(tool('slow-events'), { signal: leaving.signal });
      await answer.body?.getReader().read();
      leaving.abort();
      while (service.givenUp === 0) await Bun.sleep(5);
    });
    await relay.set({ DrainSeconds: 30 });
    service.release();
    expect([quota, rows.map(({ type }) => type)]).toEqual([0, [6]]);
  });
});

describe('refused before anything goes up', () => {
  const refusedWith = async (answer: Response) => {
    const body = await answer.json();
    expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
    expect(service.heard).toEqual([]);
    return [answer.status, body.error.data.code];
  };

  it('is a service without an address', async () => {
    for (const name of ['nobody', '__proto__', 'toString', 'SEARCH', 'a%2Fb']) {
      expect(await refusedWith(await post(tool('echo'), { name }))).toEqual([404, 'tool_service_not_found']);
    }
  });

  it('is an unknown key, before it is told whether there is such a service', async () => {
    for (const name of ['search', 'nobody']) {
      const answer = await post(tool('echo'), { name, key: 'sk-nobodys' });
      expect(await refusedWith(answer)).toEqual([401, 'invalid_api_key']);
    }
  });

  it('is a call that the balance or the token does not cover', async () => {
    const poor = await relay.api.createUser({ quota: SEARCH - 1 });
    const key = await relay.addToken({}, poor);
    expect(await refusedWith(await post(tool('echo'), { key }))).toEqual([403, 'insufficient_user_quota']);
    // What is free still is.
    expect((await post(rpc('initialize'), { key })).status).toBe(200);
    service.heard.length = 0;
    const limited = await relay.addToken({ unlimited_quota: false, remain_quota: SEARCH - 1 });
    expect(await refusedWith(await post(tool('echo'), { key: limited }))).toEqual([
      403,
      'token_quota_exhausted',
    ]);
  });

  it('is what is free, beyond so many a minute; calls are not', async () => {
    const user = await relay.api.createUser({ quota: SEARCH });
    const key = await relay.addToken({}, user);
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await post(rpc('initialize'), { key })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(120);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect((await post(tool('echo'), { key })).status).toBe(200);
  });

  it('is a service that the token is not for', async () => {
    const key = await relay.addToken({ model_limits_enabled: true, model_limits: 'tool:map' });
    for (const message of [tool('echo'), rpc('tools/list')]) {
      expect(await refusedWith(await post(message, { key }))).toEqual([403, 'model_not_allowed']);
    }
    expect((await post(tool('echo'), { key, name: 'map' })).status).toBe(200);
  });

  it.each<[what: string, body: unknown, code: string]>([
    ['a method without a price', rpc('resources/read', { uri: 'x' }), 'tool_method_refused'],
    ['a method in another spelling', rpc('Tools/Call', { name: 'echo' }), 'tool_method_refused'],
    [
      'a call as a notification',
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo' } },
      'invalid_request',
    ],
    ['a call of nothing', rpc('tools/call'), 'invalid_request'],
    ['a call as a task', rpc('tools/call', { name: 'echo', task: {} }), 'invalid_request'],
    ['an id that is none', tool('echo', '', 1.5), 'invalid_request'],
    ['another protocol', { id: 1, method: 'tools/call', params: { name: 'echo' } }, 'invalid_request'],
    ['a batch', [tool('echo'), tool('echo')], 'invalid_request'],
    ['no JSON', '{', 'invalid_request'],
  ])('is %s', async (_what, body, code) => {
    expect(await refusedWith(await post(body))).toEqual([400, code]);
  });

  it('is what holds a word that the operator does not want', async () => {
    await relay.set({
      CheckSensitiveEnabled: true,
      CheckSensitiveOnPromptEnabled: true,
      SensitiveWords: 'forbidden',
    });
    const answer = await post(tool('echo', 'a forbidden word'));
    await relay.set({ CheckSensitiveEnabled: false });
    expect(await refusedWith(answer)).toEqual([400, 'sensitive_words_detected']);
  });

  it('is a call beyond the limits of the user', async () => {
    await relay.set({ UserRequestsPerMinute: 1 });
    const user = await relay.api.createUser({ quota: BALANCE });
    const key = await relay.addToken({}, user);
    expect((await post(tool('echo'), { key })).status).toBe(200);
    service.heard.length = 0;
    const refused = await post(tool('echo'), { key });
    await relay.set({ UserRequestsPerMinute: 0 });
    expect(await refusedWith(refused)).toEqual([429, 'rate_limit_exceeded']);
  });
});

describe('many calls at once', () => {
  it('never cost more than there is', async () => {
    const user = await relay.api.createUser({ quota: 10 * SEARCH + 5 });
    const key = await relay.addToken({}, user);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, id) => post(tool('echo', 'x', id), { key })),
    );
    const good = answers.filter(({ status }) => status === 200).length;
    expect([good, service.served]).toEqual([10, 10]);
    const { quota, reserved } = await relay.account(user);
    expect([quota, reserved]).toEqual([5, 0]);
  });

  it('leave every unit accounted for', async () => {
    expect((await audit(relay.api.deps.db)).findings).toEqual([]);
  });
});
