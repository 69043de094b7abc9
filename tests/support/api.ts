/**
 * The calls under `/api` on a fresh database, in process: the real services, the real database, requests given to
 * `api.handle`. A `Client` is a browser's view of it: it keeps its cookies and sends the user's header.
 */
import { createApi } from '../../src/api.ts';
import { affCode } from '../../src/core/ids.ts';
import { isObject, parseJson } from '../../src/core/json.ts';
import { nowSec } from '../../src/core/time.ts';
import { ledger, users } from '../../src/db/schema/index.ts';
import { readEnv } from '../../src/env.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createPasswords, type PasswordWork } from '../../src/platform/passwords.ts';
import { type Runtime, runtimeOver } from '../../src/runtime.ts';
import { type Engine, freshDatabase, tempFolder } from './database.ts';
import { listener } from './leaks.ts';

export const PASSWORD = 'Passw0rd1';
/** What the set-up asks for in tests. */
export const SETUP_TOKEN = 'the-token-of-tests';
/** Kind 4 of the ledger: a first balance. */
const GIFT = 4;

/** The least that the algorithm takes: a hash of the real cost takes 30 ms, and tests make thousands. */
export const passwordWork: PasswordWork = {
  cost: { memoryCost: 8, timeCost: 1 },
  rest: () => Bun.sleep(0),
};

/** Every user of a test file has the same password. */
let hashed: Promise<string> | undefined;
/** Of PASSWORD. */
export const passwordHash = (): Promise<string> => {
  hashed ??= createPasswords(undefined, passwordWork).hash(PASSWORD);
  return hashed;
};

export interface Answer {
  status: number;
  headers: Headers;
  /** Of the envelope; undefined when the answer is none. */
  success: boolean | undefined;
  message: string;
  code: string | undefined;
  // The answer's shape is what the test is about, so a wrong field must fail there and not here.
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field.
  data: any;
  text: string;
}

export interface TestUser {
  id: number;
  username: string;
  role: number;
}

interface ClientOptions {
  /** Address that the trusted proxy reports; 127.0.0.1 without a proxy when absent. */
  ip?: string;
  locale?: 'zh' | 'en';
}

export class Client {
  readonly cookies = new Map<string, string>();
  /** Sent as New-Api-User; null sends none. */
  userId: number | null = null;
  /** More headers of every request. */
  readonly headers: Record<string, string> = {};

  constructor(
    readonly handle: (request: Request) => Promise<Response>,
    options: ClientOptions = {},
  ) {
    if (options.ip) this.headers['x-forwarded-for'] = options.ip;
    if (options.locale) this.headers['accept-language'] = options.locale;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    extra: Record<string, string | null> = {},
  ): Promise<Answer> {
    const headers = new Headers({ host: 'localhost', ...this.headers });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (this.userId !== null) headers.set('new-api-user', String(this.userId));
    if (this.cookies.size > 0) {
      headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    }
    for (const [name, value] of Object.entries(extra)) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    const response = await this.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers,
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
    this.#keepCookies(response);
    const text = await response.text();
    const parsed = parseJson(text);
    const envelope = isObject(parsed) ? parsed : {};
    return {
      status: response.status,
      headers: response.headers,
      success: typeof envelope.success === 'boolean' ? envelope.success : undefined,
      message: typeof envelope.message === 'string' ? envelope.message : '',
      code: typeof envelope.code === 'string' ? envelope.code : undefined,
      data: envelope.data,
      text,
    };
  }

  /** The data that a POST answers of what a test begins with; throws where it is refused. */
  async made(path: string, body: unknown = {}): Promise<Answer['data']> {
    const { success, status, message, data } = await this.post(path, body);
    if (!success) throw new Error(`POST ${path}: ${status} ${message}`);
    return data;
  }

  readonly get = (path: string) => this.call('GET', path);
  readonly post = (path: string, body: unknown = {}) => this.call('POST', path, body);
  readonly put = (path: string, body: unknown = {}) => this.call('PUT', path, body);
  readonly patch = (path: string, body: unknown = {}) => this.call('PATCH', path, body);
  readonly del = (path: string) => this.call('DELETE', path);

  /** Signs in by `POST /api/user/login`; throws when that is refused. */
  async login(username: string, password = PASSWORD): Promise<this> {
    const answer = await this.post('/api/user/login', { username, password });
    if (!answer.success) throw new Error(`login of ${username}: ${answer.status} ${answer.message}`);
    this.userId = answer.data.id;
    return this;
  }

  #keepCookies(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      if (/;\s*max-age=0/i.test(cookie)) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

interface NewUser {
  username?: string;
  role?: number;
  quota?: number;
  group?: string;
  status?: number;
}

export interface TestApi {
  deps: Runtime;
  handle(request: Request): Promise<Response>;
  /** Someone who is not signed in. */
  guest(options?: ClientOptions): Client;
  /** A row as the set-up or an admin would make it, with PASSWORD as its password and its first balance in the ledger. */
  createUser(user?: NewUser): Promise<TestUser>;
  /** A signed-in client, without the cost of a password check. */
  as(user: TestUser, options?: ClientOptions): Promise<Client>;
  /** The root user, made when first asked for, signed in. */
  root(): Promise<Client>;
  close(): Promise<void>;
}

/** Does the work on a site that shows itself only, and opens it again. */
export async function asDemo({ deps }: TestApi, work: () => Promise<void>): Promise<void> {
  await deps.options.set({ DemoSiteEnabled: 'true' });
  try {
    await work();
  } finally {
    await deps.options.reset(['DemoSiteEnabled']);
  }
}

/** The environment that tests run the API in; `over` adds to it. */
export const testEnv = async (over: Record<string, string> = {}) =>
  readEnv({
    DATA_DIR: await tempFolder(),
    SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    SETUP_TOKEN,
    LOG_LEVEL: 'error',
    ...over,
  });

export async function openApi(engine: Engine, over: Record<string, string> = {}): Promise<TestApi> {
  const env = await testEnv(over);
  const hear = listener();
  const log = createLogger(env.LOG_LEVEL, (line) => {
    hear(line);
    process.stderr.write(line);
  });
  const deps = await runtimeOver(env, await freshDatabase(engine), log, { passwordWork });
  // Servers of tests listen on free ports.
  if (over.PRIVATE_EGRESS) await deps.options.set({ EgressPorts: '1-65535' });
  const api = createApi(deps);
  const handle = async (request: Request) => api.handle(request);
  let names = 0;
  let rootUser: TestUser | undefined;

  const createUser = async (given: NewUser = {}): Promise<TestUser> => {
    const { username = `user${++names}`, role = 1, quota = 0, group = 'default', status = 1 } = given;
    const [row] = await deps.db.orm
      .insert(users)
      .values({
        username,
        display_name: username,
        password_hash: await passwordHash(),
        role,
        status,
        quota,
        group_name: group,
        aff_code: affCode(),
      })
      .returning({ id: users.id });
    if (!row) throw new Error('the user was not inserted');
    if (quota > 0) {
      const ref = crypto.randomUUID();
      await deps.db.orm
        .insert(ledger)
        .values({ ref, kind: GIFT, user_id: row.id, delta: quota, created_at: nowSec() });
    }
    return { id: row.id, username, role };
  };

  const as = async (user: TestUser, options?: ClientOptions): Promise<Client> => {
    const client = new Client(handle, options);
    const randomId = await deps.sessions.begin(user.id, { ip: '127.0.0.1', userAgent: 'test' });
    const context = { requestId: '', clientIp: '127.0.0.1', locale: 'zh', https: false, origin: '' } as const;
    const [pair = ''] = (await deps.sessionCookie.set({ ...context }, randomId)).split(';');
    client.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    client.userId = user.id;
    return client;
  };

  return {
    deps,
    handle,
    guest: (options) => new Client(handle, options),
    createUser,
    as,
    async root() {
      rootUser ??= await createUser({ username: 'root', role: 100, quota: 100_000_000 });
      return as(rootUser);
    },
    close: () => deps.close(),
  };
}
