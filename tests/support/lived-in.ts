/**
 * A site on which something has happened: every list has rows, some of each state, for a user, an administrator and root.
 * What was charged went through the books, so that figures, statements and the usage log say the same.
 */
import { reserveAll, settleAll } from '../../src/billing/statements.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { nowSec } from '../../src/core/time.ts';
import { createOrder, creditOrder } from '../../src/modules/payment/orders.ts';
import { holdOf, settlementOf } from './accounts.ts';
import type { Answer, TestUser } from './api.ts';
import { openSite, type Site } from './browser.ts';
import { PNG } from './drawing-server.ts';
import { patience } from './patience.ts';
import { SONGS } from './suno-server.ts';
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
const DAY_SEC = 86_400;
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
  await fillTasks(site, user, `${pictures.url}x.png`);
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
  for (const name of ['Spring', 'Built with us'])
    await done(client.post('/api/activity/', { name, desc: 'Say it.', quota: 500_000 }));
  await done(
    client.post('/api/oauth_app/admin/', {
      name: 'Notes',
      redirect_uris: ['https://notes.example/callback'],
      scopes: ['profile', 'balance'],
      confidential: true,
    }),
  );
  for (const [n, name] of ['DeepSeek', 'Anthropic'].entries())
    await done(client.post('/api/supplier/admin/', { name, base_url: `https://api${n}.example/v1` }));
  for (const [n, title] of ['A letter to the bank', 'Trip to Lisbon'].entries())
    await done(
      client.post('/api/prompt/suggest', {
        title,
        instruction: 'Plan three days.',
        facets: [{ path: 'demo/letter.docx' }],
        tags: ['travel'],
        sort: n,
        release: n === 0,
      }),
    );
  await done(
    client.post('/api/ai-role/admin/', { role_name: 'Clerk', role: '{"seed": 1}', type: 'own', quota: 9 }),
  );
  await done(
    client.post('/api/application/admin/', {
      name: 'maps',
      display_name: 'Maps',
      version: '1.0.0',
      dxt_url: 'https://files.example/app.dxt',
      description: 'Shows where things are.',
      homepage: 'https://maps.example/about',
      app_groups: ['default'],
      rank: 1,
    }),
  );
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
  const quote = { quota: 500_000, money: 730n, fullMoney: 730n, currency: 'CNY', places: 2, code: '' };
  const orders = [1, 2].map(() =>
    createOrder(deps, {
      userId: user.id,
      provider: 'epay',
      method: 'alipay',
      quote: { ...quote, codeLimit: null },
    }),
  );
  const [paid] = await Promise.all(orders);
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

/** A song, a film and a drawing that are done, and one of each that is not. */
async function fillTasks(site: Site, { id }: TestUser, picture: string): Promise<void> {
  const now = Date.now();
  const kinds = [
    {
      platform: 'suno',
      action: 'MUSIC',
      model_name: 'suno_music',
      input: { input: 'a song of rain' },
      data: SONGS,
    },
    {
      platform: 'video',
      action: 'VIDEO',
      model_name: 'veo-3.1',
      input: { prompt: 'a cat on a roof' },
      data: {},
    },
    {
      platform: 'mj',
      action: 'IMAGINE',
      model_name: 'mj_imagine',
      input: { prompt: 'a drawing of rain', state: '', code: 1 },
      data: { imageUrl: picture, promptEn: 'a drawing of rain' },
    },
  ];
  const states = [
    { status: 'SUCCESS', progress: 100, finish_time: now - 60_000, fail_reason: '', fail_code: '' },
    { status: 'FAILURE', progress: 10, finish_time: now - 60_000, fail_reason: 'no', fail_code: 'timeout' },
  ];
  const all = kinds.flatMap((kind) => states.map((state) => ({ ...kind, ...state })));
  for (const task of all) {
    const public_id = Bun.randomUUIDv7().replaceAll('-', '');
    const row = {
      ...{ public_id, upstream_id: public_id, request_id: crypto.randomUUID(), user_id: id, token_id: 0 },
      ...{ channel_id: 1, quota: 50_000, poll_at: 9_000_000_000, submit_time: now - 90_000, start_time: 0 },
      ...{ refund: 0, refunded: 0, hook: '', hook_tries: 0, hook_at: 0, polls: 0, updated_at: 1 },
      ...task,
    };
    const names = Object.keys(row);
    await site.api.deps.db.query(
      `insert into tasks (${names}) select ${names} from jsonb_populate_record(null::tasks, $1::text::jsonb)`,
      [JSON.stringify(row)],
    );
  }
}
