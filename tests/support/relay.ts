/**
 * The relay on a fresh database with a misbehaving upstream: real services in this process, the relay's calls on a port
 * of their own, one user with a known balance and a token without a limit. One token costs one unit, in and out.
 */
import type { JsonObject } from '../../src/core/json.ts';
import type { OptionKey } from '../../src/options/registry.ts';
import { type SocketPeer, sockets } from '../../src/platform/sockets.ts';
import { relayRoutes } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import { type Client, openApi, type TestApi, type TestUser } from './api.ts';
import type { Engine } from './database.ts';
import { patience } from './patience.ts';
import { tokenizerReady } from './tokenizer.ts';
import { startUpstream, type Upstream, type UpstreamSettings } from './upstream.ts';

/** The mock counts 17 tokens in and 20 out. */
export const CALL_COST = 37;
export const BALANCE = 1_000_000;
/** A settlement that has not come by then does not come. */
const SETTLED_MS = patience(30_000);

export interface Account {
  quota: number;
  reserved: number;
  used_quota: number;
  request_count: number;
}

export interface LogRow {
  type: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  channel_id: number;
  model_name: string;
  is_stream: boolean;
  content: string;
  request_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they expect.
  other: any;
}

export interface TestRelay {
  api: TestApi;
  upstream: Upstream;
  base: string;
  root: Client;
  user: TestUser;
  /** With its `sk-`. */
  key: string;
  channelId: number;
  addChannel(more?: JsonObject): Promise<number>;
  addToken(more?: JsonObject, owner?: TestUser): Promise<string>;
  set(options: Partial<Record<OptionKey, string | number | boolean | JsonObject>>): Promise<void>;
  /** Seconds that are too long to be waited for, against all that an operator may set; what it answers puts them back. */
  hurry(seconds: Partial<Record<OptionKey, number>>): () => void;
  chatRequest(body?: JsonObject, init?: ChatInit): Request;
  chat(body?: JsonObject, init?: ChatInit): Promise<Response>;
  /** The relay without a socket. */
  handle(request: Request): Promise<Response>;
  account(user?: TestUser): Promise<Account>;
  /** Of the usual user, past the books: what he has is what the test is about. */
  setBalance(quota: number): Promise<void>;
  /** How many calls were written off so far. */
  writtenOff(): Promise<number>;
  /** Rows of consumption and failure, in order; without those of calls that were refused before anything was held. */
  logs(): Promise<LogRow[]>;
  /** Waits until nothing is held and `calls` rows are written. */
  settled(calls: number): Promise<LogRow[]>;
  reservations(): Promise<{ amount: number }[]>;
  close(): Promise<void>;
}

export type ChatInit = RequestInit & { key?: string };

const MESSAGES = [{ role: 'user', content: 'hi' }];

export async function openTestRelay(
  engine: Engine = 'postgres',
  settings: Partial<UpstreamSettings> = {},
  env: Record<string, string> = {},
): Promise<TestRelay> {
  await tokenizerReady('gpt-4o');
  const api = await openApi(engine, env);
  const upstream = await startUpstream(settings);
  const root = await api.root();
  const user = await api.createUser({ quota: BALANCE });
  const { db, relay, options } = api.deps;
  // A file's calls are those of a minute, and all of them are looked at.
  await options.set({ 'log.error_rows_per_minute': '6000' });
  const routes = relayRoutes(relay, handle);
  const server: Bun.Server<SocketPeer> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    // As the server has it: its development mode prints what breaks off.
    development: false,
    fetch: (request) => routes.fetch(request),
    websocket: sockets,
  });
  routes.server = server;
  const base = `http://127.0.0.1:${server.port}`;

  const must = (answer: Awaited<ReturnType<Client['post']>>) => {
    if (!answer.success) throw new Error(`${answer.status} ${answer.text}`);
    return answer.data;
  };
  const addChannel = async (more: JsonObject = {}): Promise<number> => {
    const given = {
      name: 'mock',
      type: 1,
      key: 'sk-upstream-secret',
      base_url: upstream.base,
      models: 'gpt-4o',
      group: 'default',
      auto_ban: 1,
      ...more,
    };
    return must(await root.post('/api/channel/', given)).ids[0];
  };
  const addToken = async (more: JsonObject = {}, owner = user): Promise<string> => {
    const given = { name: 'test', unlimited_quota: true, remain_quota: 0, expired_time: -1, ...more };
    return `sk-${must(await (await api.as(owner)).post('/api/token/', given)).key}`;
  };
  const set: TestRelay['set'] = (values) =>
    options.set(
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]),
      ),
    );
  const logs = async () => {
    await relay.failures.idle();
    return db.query<LogRow>(
      `select type, quota, prompt_tokens, completion_tokens, channel_id, model_name, is_stream, content,
              request_id::text, other from logs where type in (2, 6) and request_id is not null
         and (type = 2 or other->'admin_info' is not null) order by id`,
    );
  };
  const reservations = () => db.query<{ amount: number }>('select amount from reservations');

  const chatRequest: TestRelay['chatRequest'] = (body = {}, { key: other, ...init } = {}) =>
    new Request(`${base}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${other ?? key}` },
      body: JSON.stringify({ model: 'gpt-4o', messages: MESSAGES, ...body }),
      ...init,
    });

  await set({ ModelRatio: { 'gpt-4o': 1 }, CompletionRatio: { 'gpt-4o': 1 } });
  const key = await addToken();
  const channelId = await addChannel();

  return {
    api,
    upstream,
    base,
    root,
    user,
    key,
    channelId,
    addChannel,
    addToken,
    set,
    hurry(seconds) {
      const { get } = options;
      const hurried: JsonObject = { ...seconds };
      options.get = ((key: OptionKey) => hurried[key] ?? get(key)) as typeof get;
      return () => {
        options.get = get;
      };
    },
    chatRequest,
    chat: (body, init) => fetch(chatRequest(body, init)),
    handle: async (request) => routes.fetch(request),
    async account(of = user) {
      const [row] = await db.query<Account>(
        'select quota, reserved, used_quota, request_count from users where id = $1',
        [of.id],
      );
      if (!row) throw new Error('the user is gone');
      return row;
    },
    async setBalance(quota) {
      await db.query('update users set quota = $2 where id = $1', [user.id, quota]);
    },
    writtenOff: async () => (await db.query('select ref from ledger where kind = 10')).length,
    logs,
    async settled(calls) {
      for (const until = performance.now() + SETTLED_MS; performance.now() < until; await Bun.sleep(10)) {
        const rows = await logs();
        if (rows.length >= calls && (await reservations()).length === 0) return rows;
      }
      throw new Error(`not settled: ${JSON.stringify({ logs: await logs(), open: await reservations() })}`);
    },
    reservations,
    async close() {
      await server.stop(true);
      await upstream.close();
      await api.close();
    },
  };
}
