/** The protocol's own client at a tool service: it notices nothing of the gateway, and pays for what it calls. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { audit } from '../../src/billing/audit.ts';
import { MCP_KEY, MCP_SESSION, type McpServer, startMcpServer } from '../support/mcp-server.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const PRICE = 1_234;

let relay: TestRelay;
let service: McpServer;
beforeAll(async () => {
  service = startMcpServer();
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await relay.set({
    ToolServices: { search: { url: service.url, key: MCP_KEY } },
    'request_quota.search': PRICE,
  });
});
afterAll(async () => {
  await relay.close();
  await service.close();
});
beforeEach(() => {
  service.heard.length = 0;
  service.ended.length = 0;
});

type Negotiation = 'legacy' | 'auto';

/** A client that has shaken hands. */
async function connect(mode: Negotiation = 'legacy', key = relay.key) {
  const transport = new StreamableHTTPClientTransport(new URL(`${relay.base}/mcp/search`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { client, transport };
}

/** What this has cost, to the unit, once nothing is held any more. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = await relay.account();
  await work();
  while ((await relay.reservations()).length > 0) await Bun.sleep(10);
  const after = await relay.account();
  expect(after.reserved).toBe(0);
  return before.quota - after.quota;
}

const call = (name: string) => ({ name, arguments: { text: 'hello' } });
const HELLO = [{ type: 'text', text: 'hello' }];

describe.each<Negotiation>(['legacy', 'auto'])('the official client (%s)', (mode) => {
  it('shakes hands, lists the tools, and ends its session, for nothing', async () => {
    const cost = await costOf(async () => {
      const { client, transport } = await connect(mode);
      expect(client.getServerVersion()).toMatchObject({ name: 'tools' });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('echo');
      await client.ping();
      expect(transport.sessionId).toBeDefined();
      await transport.terminateSession();
      expect([service.ended, transport.sessionId]).toEqual([[MCP_SESSION], undefined]);
      await client.close();
    });
    expect(cost).toBe(0);
    const [hello, ...later] = service.heard;
    expect(hello?.method).toBe('initialize');
    expect(later.map(({ method }) => method)).toEqual([
      'notifications/initialized',
      'tools/list',
      'ping',
      'DELETE',
    ]);
    for (const { headers } of later) {
      expect(headers.get('mcp-session-id')).toBe(MCP_SESSION);
      expect(headers.get('mcp-protocol-version')).toBe('2025-06-18');
    }
  });
});

describe('a call by the official client', () => {
  it('is answered by one message, and paid for', async () => {
    const { client } = await connect();
    expect(
      await costOf(async () => {
        expect(await client.callTool(call('echo'))).toMatchObject({ content: HELLO });
      }),
    ).toBe(PRICE);
    await client.close();
  });

  it('is answered by events, is told of its progress, and paid for once', async () => {
    const { client } = await connect();
    const heard: unknown[] = [];
    const cost = await costOf(async () => {
      const onprogress = (progress: unknown) => heard.push(progress);
      expect(await client.callTool(call('progress'), { onprogress })).toMatchObject({ content: HELLO });
    });
    expect(cost).toBe(PRICE);
    expect(heard).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    await client.close();
  });

  it('is made ten times at once, each answered by its own and paid for', async () => {
    const { client } = await connect();
    const cost = await costOf(async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => client.callTool({ name: 'echo', arguments: { text: `t${i}` } })),
      );
      expect(answers.map(({ content }) => content)).toEqual(
        Array.from({ length: 10 }, (_, i) => [{ type: 'text', text: `t${i}` }]),
      );
    });
    expect(cost).toBe(10 * PRICE);
    await client.close();
  });

  it.each(['failing', 'failing-events'])('costs nothing when the tool is %s', async (name) => {
    const { client } = await connect();
    const cost = await costOf(async () => {
      expect(await client.callTool(call(name))).toMatchObject({ isError: true });
    });
    expect(cost).toBe(0);
    await client.close();
  });

  it.each(['unknown', '500', 'no-json', 'cut-events'])('costs nothing when it ends in %s', async (name) => {
    const { client } = await connect();
    const cost = await costOf(async () => {
      await expect(client.callTool(call(name))).rejects.toThrow();
    });
    expect(cost).toBe(0);
    await client.close();
  });

  it('that it takes back is taken back at the service', async () => {
    const { client } = await connect();
    const leaving = new AbortController();
    const cost = await costOf(async () => {
      const asked = client.callTool(call('slow'), { signal: leaving.signal });
      while (!service.heard.some(({ method }) => method === 'tools/call')) await Bun.sleep(5);
      leaving.abort('enough');
      await expect(asked).rejects.toThrow();
      while (!service.heard.some(({ method }) => method === 'notifications/cancelled')) await Bun.sleep(5);
      service.release();
    });
    const [asked, cancelled] = ['tools/call', 'notifications/cancelled'].map((name) =>
      service.heard.find(({ method }) => method === name),
    );
    expect(cancelled?.body.params).toMatchObject({ requestId: asked?.body.id });
    // The service served it all the same.
    expect(cost).toBe(PRICE);
    await client.close();
  });

  it('is refused in words that the client can show, where the balance does not carry it', async () => {
    const key = await relay.addToken({}, await relay.api.createUser({ quota: PRICE - 1 }));
    const { client } = await connect('legacy', key);
    await expect(client.callTool(call('echo'))).rejects.toThrow(/insufficient_user_quota|quota/i);
    await client.close();
  });
});

it('every unit is accounted for', async () => {
  expect((await audit(relay.api.deps.db)).findings).toEqual([]);
});
