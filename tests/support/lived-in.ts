/**
 * A site on which something has happened: every list has rows, some of each state, for a user, an administrator and root.
 * What was charged went through the books, so that figures, statements and the usage log say the same.
 */
import { reserveAll, settleAll } from '../../src/billing/statements.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { creditOrder } from '../../src/modules/payment/orders.ts';
import { holdOf, settlementOf } from './accounts.ts';
import type { Answer, TestUser } from './api.ts';
import { openSite, type Site } from './browser.ts';
import { PNG } from './drawing-server.ts';
import { fillDesk, fillTasks, openOrders } from './list-rows.ts';
import { patience } from './patience.ts';
import { startUpstream, type Upstream } from './upstream.ts';

export interface LivedIn {
  site: Site;
  /** Answers for every channel that is on. */
  upstream: Upstream;
  user: TestUser;
  admin: TestUser;
  root: TestUser;
  /** Of the user, without `sk-`. */
  key: string;
  close(): Promise<void>;
}

export interface LivedInOptions {
  /** Of each of the long lists; more than a page by default. */
  rows?: number;
  env?: Record<string, string>;
}

/** What its making takes at most. */
export const SETTING_UP_MS = patience(60_000);
const MODELS = ['gpt-4o', 'claude-sonnet-4-20250514', 'deepseek-chat', 'gpt-4o-mini', 'o3', 'gemini-2.5-pro'];

const done = async (answer: Promise<Answer>): Promise<Answer['data']> => {
  const { success, status, message, data } = await answer;
  if (!success) throw new Error(`the site could not be filled: ${status} ${message}`);
  return data;
};

export async function openLivedIn({ rows = 14, env = {} }: LivedInOptions = {}): Promise<LivedIn> {
  const [site, upstream] = await Promise.all([
    openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8', ...env }),
    startUpstream({ words: 3 }),
  ]);
  const { api } = site;
  const root = await api.createUser({ username: 'root', role: 100, quota: 5_000_000 });
  const admin = await api.createUser({ username: 'amy', role: 10, quota: 5_000_000 });
  const user = await api.createUser({ username: 'una', quota: 500_000_000 });
  await api.deps.options.set({
    AdminChannelMenuEnabled: 'true',
    DrawingEnabled: 'true',
    TaskEnabled: 'true',
    GroupRatio: '{"default":1,"vip":0.8}',
    ServerAddress: site.base,
    Notice: 'Maintenance on **Sunday**, 02:00 to 03:00 UTC.',
  });
  const filling: Filling = { site, upstream, root, admin, user, rows };
  await fillAdmin(filling);
  const { key } = await fillUser(filling);
  const pictures = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PNG, { headers: { 'content-type': 'image/png' } }),
  });
  await fillTasks(api.deps.db, user.id, `${pictures.url}x.png`);
  return {
    site,
    upstream,
    root,
    admin,
    user,
    key,
    async close() {
      await site.close();
      await upstream.close();
      await pictures.stop(true);
    },
  };
}

interface Filling {
  site: Site;
  upstream: Upstream;
  root: TestUser;
  admin: TestUser;
  user: TestUser;
  rows: number;
}

const numbered = (rows: number): string[] => Array.from({ length: rows }, (_, n) => String(n + 1));

/** What administrators keep. */
async function fillAdmin({ site, upstream, root, rows }: Filling): Promise<void> {
  const { api } = site;
  const client = await api.as(root);
  for (const n of numbered(rows)) {
    const channel = { type: 1, key: `sk-up-${n}`, base_url: upstream.base, models: MODELS.join() };
    await done(client.post('/api/channel/', { ...channel, name: `channel-${n}`, tag: n < '3' ? 'eu' : '' }));
    await api.createUser({ username: `person-${n}`, group: n < '3' ? 'vip' : 'default' });
  }
  const reason = {
    status_reason: { code: 'slow', values: { seconds: '12.4' } },
    status_time: nowSec() - 4_000,
  };
  await api.deps.db.query(
    `update channels set status = 3, other_info = $1::text::jsonb where name = 'channel-2'`,
    [JSON.stringify(reason)],
  );
  await done(client.post('/api/redemption/', { name: 'spring', quota: 500_000, count: rows }));
  await fillDesk((path, body) => done(client.post(path, body)));
}

/** What a user has and has done. */
async function fillUser({ site, root, user, rows }: Filling): Promise<{ key: string }> {
  const { api } = site;
  const { deps } = api;
  const client = await api.as(user);
  for (const n of numbered(rows).slice(1))
    await done(client.post('/api/token/', { name: `token-${n}`, remain_quota: 100_000 * Number(n) }));
  const token = await done(client.post('/api/token/', { name: 'laptop', unlimited_quota: true }));
  for (const who of [root, user]) await fillCalls(site, who, who === user ? token.id : 0, rows * 2);
  const rooted = await api.as(root);
  await done(rooted.post('/api/token/', { name: 'ci', unlimited_quota: true }));
  await done(
    rooted.put('/api/user/', { id: user.id, add_quota: 5_000_000, reason: 'For the outage in spring' }),
  );
  const [code] = await done(rooted.post('/api/redemption/', { name: 'used', quota: 500_000, count: 1 }));
  await done(client.post('/api/user/topup', { key: code }));
  const [paid] = await openOrders(deps.db, user.id);
  if (paid) await creditOrder(deps, paid.id, { providerRef: '' });
  const [supplier] = await done(client.get('/api/supplier'));
  const own = { supplier_id: supplier.id, key: 'sk-very-secret-0123456789', models: ['m-1', 'm-2'] };
  await done(client.post('/api/user/custom-models/conf', own));
  for (const mark of [1, 2]) {
    const task = JSON.stringify({ goal: 'Trip to Lisbon', steps: [{ tool: 'search', ok: true }] });
    const liked = { task_id: `0198c${mark}f2-task`, title: 'Trip to Lisbon', note: 'The wrong week.' };
    await done(client.post('/api/task/like', { ...liked, mark, task }));
  }
  return token;
}

/** Calls over the last two days, and one that was refused. */
async function fillCalls(
  site: Site,
  { id, username }: TestUser,
  tokenId: number,
  calls: number,
): Promise<void> {
  const { db } = site.api.deps;
  const holds = Array.from({ length: calls }, () => holdOf(id, tokenId, 2_000));
  await reserveAll(
    db,
    holds.map((hold) => ({ ...hold, extends: false })),
    'test',
  );
  const now = nowSec();
  await settleAll(
    db,
    holds.map((hold, n) =>
      settlementOf(hold.id, 65 + n, {
        at: now - 60 - Math.floor((n * 2 * DAY_SEC) / calls),
        modelName: MODELS[n % MODELS.length] ?? '',
        username,
        tokenName: 'laptop',
        channelId: 1 + (n % 3),
        promptTokens: 320 + n,
        completionTokens: 40,
        isStream: n % 2 === 0,
        other: CALL,
      }),
    ),
  );
  await db.query(
    `insert into logs (created_at, user_id, username, type, token_name, model_name, request_id, content, other)
     values ($1, $2, $3, 6, 'laptop', 'gpt-4o-mni', $4, '模型 gpt-4o-mni 不存在', $5::text::jsonb)`,
    [now - 30, id, username, Bun.randomUUIDv7(), JSON.stringify(REFUSED)],
  );
}

const CALL: JsonObject = {
  model_price: -1,
  group_ratio: 1,
  user_group_ratio: -1,
  price_source: 'default',
  model_ratio: 0.135,
  completion_ratio: 4.074074074074,
  cache_tokens: 0,
  cache_ratio: 0.259259259259,
  frt: 620,
  held_ms: 12,
  total_ms: 2_140,
  usage_source: 'upstream',
  stream_end: 'done',
  admin_info: { use_channel: ['1'], attempts: [] },
};

const REFUSED: JsonObject = {
  error: 'model_not_found',
  status: 404,
  text: { zh: '模型 gpt-4o-mni 不存在', en: 'The model gpt-4o-mni does not exist' },
};
