/**
 * A site of two processes on one Postgres and one Redis, each with a folder of its own as on two machines: upstreams of every
 * temper, accounts of every purse, and root, who keeps it at both.
 */
import { openAccount } from '../../src/billing/ledger.ts';
import { affCode, relayKey } from '../../src/core/ids.ts';
import { maskKey } from '../../src/core/key-text.ts';
import type { Database } from '../../src/db/client.ts';
import { tokens, users } from '../../src/db/schema/user.ts';
import { createSecrets } from '../../src/platform/secrets.ts';
import { PASSWORD, passwordHash } from '../support/api.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { ConsoleClient, type Gateway, ROOT, setUp, startGateway } from '../support/gateway.ts';
import { type EpayServer, epayOptions, startEpay } from '../support/payment/epay-server.ts';
import { chatAnswer } from '../support/short-answers.ts';
import { SUNO_KEY, type SunoServer, startSuno } from '../support/suno-server.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** A stream of them at 50 ms lasts long enough to be under way when a process dies. */
const WORDS = 12;

export const MODEL = 'gpt-4o';
export const SLOW = `${MODEL}@slow`;
export const UNTOLD = `${MODEL}@no-usage`;
export const CUT = `${MODEL}@cut`;
export const FAILING = `${MODEL}@500`;
export const FAILING_LATE = `${MODEL}@error-mid`;
export const RESET = `${MODEL}@reset-headers`;
export const TOOLS = `${MODEL}-with-tools`;
export const EMBEDDING = 'text-embedding-3-small';
const WELL = [MODEL, SLOW, UNTOLD];
const ILL = [CUT, FAILING, FAILING_LATE, RESET];
export const PRICED = [...WELL, ...ILL, TOOLS, EMBEDDING];

const OWNERS = 12;
const POOR = 40;
const OTHERS = 247;
const RICH_QUOTA = 500_000_000;
/** Some dozens of calls. */
export const POOR_QUOTA = 3_000;

export interface Account {
  id: number;
  name: string;
  tokenId: number;
  /** With its `sk-`. */
  key: string;
  /** Since somebody was told that it may call no more, until somebody asks for the contrary; each time another one. */
  stop: object | null;
}

/** Somebody who uses the console, and is never shut out. */
export interface Owner {
  account: Account;
  at: Map<Host, ConsoleClient>;
}

/** One machine: what runs there comes and goes, its folder and its port stay. */
export class Host {
  constructor(
    public gateway: Gateway,
    /** His session is in the database. */
    readonly root: ConsoleClient,
  ) {}

  get base(): string {
    return this.gateway.base;
  }

  /** What ran here must have ended. */
  async restart(): Promise<void> {
    this.gateway = await this.gateway.restart();
  }
}

export interface MixedSite {
  hosts: Host[];
  /** Calls more than all others. */
  hot: Account;
  owners: Owner[];
  /** Those who may be banned, the hot one among them. */
  others: Account[];
  /** Has the same model as the steady one, and fails at times. */
  spare: Upstream;
  spareId: number;
  suno: SunoServer;
  epay: EpayServer;
  /** Forgets what callers asked the upstreams, which nobody looks at: some hundred thousand requests. */
  forgetSeen(): void;
  close(): Promise<void>;
}

export async function openMixedSite(): Promise<MixedSite> {
  const [databaseUrl, steady, spare, epay] = await Promise.all([
    freshPostgresUrl(),
    startUpstream({ words: WORDS }),
    startUpstream({ words: WORDS }),
    startEpay(),
  ]);
  const suno = startSuno();
  const short = startShort();
  const shared = { databaseUrl, redisUrl: process.env.TEST_REDIS_URL ?? '', env: { SECRET_KEY } };
  const first = await startGateway(shared);
  const root = await setUp(first);
  const options = {
    ...epayOptions(epay),
    ModelRatio: Object.fromEntries(PRICED.map((model) => [model, 1])),
    CompletionRatio: Object.fromEntries(PRICED.map((model) => [model, 1])),
    // Everybody comes from one address.
    CriticalRateLimitCount: 10_000,
    ApiRateLimitSession: 100_000,
  };
  for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
  await root.addChannel(steady.base, { name: 'steady', models: WELL.join() });
  await root.addChannel(spare.base, { name: 'spare', models: MODEL });
  await root.addChannel(steady.base, { name: 'ill', models: ILL.join(), auto_ban: 0 });
  await root.addChannel(`http://127.0.0.1:${short.port}`, { name: 'short', models: `${TOOLS},${EMBEDDING}` });
  await root.addChannel(suno.base, { name: 'music', type: 36, key: SUNO_KEY, models: 'suno_music' });
  const accounts = await first.withDatabase(makeAccounts);
  const second = await startGateway(shared);
  const hosts = [
    new Host(first, root),
    new Host(second, await new ConsoleClient(second.base).login(ROOT.username, ROOT.password)),
  ];
  const [hot, ...more] = accounts;
  if (!hot) throw new Error('there are no accounts');
  const owners: Owner[] = [];
  for (const account of more.slice(0, OWNERS)) owners.push({ account, at: await signedIn(account, hosts) });
  const { items } = await root.get('/api/channel/?page_size=100');
  return {
    hosts,
    hot,
    owners,
    others: [hot, ...more.slice(OWNERS)],
    spare,
    spareId: items.find(({ name }: { name: string }) => name === 'spare').id,
    suno,
    epay,
    forgetSeen() {
      for (const { seen } of [steady, spare]) seen.length = 0;
    },
    async close() {
      for (const { gateway } of hosts) await gateway.kill();
      await Promise.all([steady.close(), spare.close(), epay.close(), suno.close(), short.stop(true)]);
    },
  };
}

async function signedIn({ name }: Account, hosts: readonly Host[]): Promise<Owner['at']> {
  const at: Owner['at'] = new Map();
  for (const host of hosts) at.set(host, await new ConsoleClient(host.base).login(name, PASSWORD));
  return at;
}

/** The hot one, those who sign in, the poor, and all others; each with a key. */
async function makeAccounts(db: Database): Promise<Account[]> {
  const { lookup } = createSecrets(SECRET_KEY);
  const password_hash = await passwordHash();
  const isPoor = (n: number) => n > OWNERS && n <= OWNERS + POOR;
  const accounts: Account[] = [];
  await db.orm.transaction(async (tx) => {
    for (let n = 0; n < 1 + OWNERS + POOR + OTHERS; n++) {
      const name = `account-${n}`;
      const [user] = await tx
        .insert(users)
        .values({ username: name, password_hash, aff_code: affCode() })
        .returning({ id: users.id });
      if (!user) throw new Error('the account was not inserted');
      const amount = isPoor(n) ? POOR_QUOTA : RICH_QUOTA;
      await openAccount(tx, { userId: user.id, amount, ref: crypto.randomUUID() });
      const key = relayKey();
      const [token] = await tx
        .insert(tokens)
        .values({
          user_id: user.id,
          name: 'test',
          key_lookup: lookup(key),
          key_hint: maskKey(key),
          unlimited_quota: true,
        })
        .returning({ id: tokens.id });
      if (!token) throw new Error('the token was not inserted');
      accounts.push({ id: user.id, name, tokenId: token.id, key: `sk-${key}`, stop: null });
    }
  });
  return accounts;
}

/** Answers at once: a use of a tool, or what a text is as numbers. */
function startShort(): Bun.Server<undefined> {
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Lisbon"}' },
  };
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      await request.text();
      if (!request.url.endsWith('/embeddings'))
        return Response.json(chatAnswer(usage, '', { tool_calls: [call] }));
      const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }];
      return Response.json({
        object: 'list',
        model: EMBEDDING,
        data,
        usage: { prompt_tokens: 9, total_tokens: 9 },
      });
    },
  });
}
