/** The real product as a child process, and a caller that uses it as a browser and an SDK would. */
import { join } from 'node:path';
import { type AuditReport, audit } from '../../src/billing/audit.ts';
import { isObject, type JsonObject, parseJson } from '../../src/core/json.ts';
import { type Database, openPostgres } from '../../src/db/client.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { embeddedFolder, tempFolder } from './database.ts';
import { listener } from './leaks.ts';
import { patience } from './patience.ts';

const root = join(import.meta.dir, '../..');
/** What the set-up asks for. */
export const SETUP_TOKEN = 'the-token-of-tests';
const METRICS_TOKEN = 'let-tests-see';
/** A first start on the embedded database takes 40 s of the clock at a load of twenty on two cores. */
const READY_MS = patience(120_000);
const EXIT_MS = patience(60_000);

export interface GatewayOptions {
  /** Empty: PGlite in the data folder. */
  databaseUrl?: string;
  /** Empty: limits and codes in process. */
  redisUrl?: string;
  /** A new folder unless given; without a `databaseUrl` it already holds an empty database. */
  dataDir?: string;
  port?: number;
  /** How many files it may have open; as many as the tests themselves unless given. */
  openFiles?: number;
  /** More of the environment, such as TOLLGATE_KILL_AT or WORKERS. */
  env?: Record<string, string>;
}

export function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

// A test run that is ended leaves no server behind.
const running = new Set<Bun.Subprocess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the gateway and waits until it is ready; throws with its output when it exits instead. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await spawnGateway(options);
  await gateway.ready();
  return gateway;
}

/** Starts the process without waiting: for starts that are meant to fail. */
export async function spawnGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const dataDir = options.dataDir ?? (await (options.databaseUrl ? tempFolder() : embeddedFolder()));
  return new Gateway({ ...options, dataDir, port: options.port ?? freePort() });
}

export class Gateway {
  readonly base: string;
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly #env: Record<string, string>;
  #output = '';
  readonly #read: Promise<unknown>;

  constructor(readonly options: GatewayOptions & { dataDir: string; port: number }) {
    this.base = `http://127.0.0.1:${options.port}`;
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_ENV: 'production',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
      PORT: String(options.port),
      HOST: '127.0.0.1',
      DATA_DIR: options.dataDir,
      DATABASE_URL: options.databaseUrl ?? '',
      REDIS_URL: options.redisUrl ?? '',
      SETUP_TOKEN,
      METRICS_TOKEN,
      ...options.env,
    };
    const { openFiles } = options;
    const bounded = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`];
    this.#child = Bun.spawn([...bounded, process.execPath, 'src/main.ts'], {
      cwd: root,
      env: this.#env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    running.add(this.#child);
    void this.#child.exited.then(() => running.delete(this.#child));
    this.#read = Promise.all([this.#collect(this.#child.stdout), this.#collect(this.#child.stderr)]);
  }

  get dataDir(): string {
    return this.options.dataDir;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Resolves with the exit code; a signal counts as 128 and its number. */
  get exited(): Promise<number> {
    return Promise.all([this.#child.exited, this.#read]).then(([code]) => code);
  }

  /** Everything the process wrote so far. */
  get output(): string {
    return this.#output;
  }

  /** Waits until the process has written `text`: it may do so after it answers calls. The deadline is the test's own. */
  async says(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`the gateway ended without a word of ${text}`);
      await Bun.sleep(20);
    }
  }

  /** The JSON lines of its log. */
  get logLines(): JsonObject[] {
    return this.#output.split('\n').flatMap((line) => {
      const value = parseJson(line);
      return isObject(value) ? [value as JsonObject] : [];
    });
  }

  async ready(withinMs = READY_MS): Promise<void> {
    const until = performance.now() + withinMs;
    for (;;) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        await this.#read;
        throw new Error(`the gateway exited (${this.#child.exitCode}):\n${this.#output.slice(-4_000)}`);
      }
      const answer = await fetch(`${this.base}/readyz`).catch(() => null);
      if (answer?.ok) return;
      if (performance.now() > until) {
        this.signal('SIGKILL');
        throw new Error(`the gateway was not ready in ${withinMs} ms:\n${this.#output.slice(-4_000)}`);
      }
      await Bun.sleep(50);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** TERM, and the exit code of the graceful stop. */
  async stop(): Promise<number> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), EXIT_MS);
    const code = await this.exited;
    clearTimeout(timer);
    return code;
  }

  /** SIGKILL, as a crash or a power cut would end it. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** A new process on the same folder, port and databases; its environment may differ. The old one must have ended. */
  async restart(env: Record<string, string> = {}): Promise<Gateway> {
    return startGateway({ ...this.options, env: { ...this.options.env, ...env } });
  }

  /** On the database of a gateway that has stopped or runs on Postgres. */
  async withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const { databaseUrl, dataDir } = this.options;
    const db = await (databaseUrl ? openPostgres(databaseUrl) : openEmbedded(dataDir));
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }

  /** The audit that `./scripts/audit` prints. */
  audit(): Promise<AuditReport> {
    return this.withDatabase(audit);
  }

  /** The sum of a metric's samples whose labels contain all of `labels`; 0 when it does not appear. */
  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    // A connection of its own: a kept one may lead to a worker that is gone.
    const answer = await fetch(`${this.base}/metrics`, {
      headers: { connection: 'close', authorization: `Bearer ${METRICS_TOKEN}` },
    });
    const text = await answer.text();
    const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .filter((line) => wanted.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** One chat call as an SDK makes it. */
  chat(key: string, body: JsonObject = {}, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...body }),
      ...init,
    });
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    const hear = listener();
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      hear(text);
      this.#output += text;
    }
  }
}

/** An answer of `/api`: its status and the envelope's fields. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  success: boolean;
  message: string;
  code?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it expects; a wrong one fails the test.
  data: any;
}

/** A browser of the console: keeps its cookies and names its user. */
export class ConsoleClient {
  user: { id: number; username: string } | null = null;
  readonly #cookies = new Map<string, string>();

  constructor(readonly base: string) {}

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async call(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const answer = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: {
        origin: this.base,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(this.user ? { 'New-Api-User': String(this.user.id) } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const text = await answer.text();
    const value = parseJson(text);
    const envelope = isObject(value) ? value : {};
    return {
      success: false,
      message: text,
      data: undefined,
      ...envelope,
      status: answer.status,
      headers: answer.headers,
    };
  }

  /** The data of a call that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: as in ApiAnswer.
  async ok(method: string, path: string, body?: JsonObject): Promise<any> {
    const answer = await this.call(method, path, body);
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.status} ${answer.message}`);
    return answer.data;
  }

  get(path: string) {
    return this.ok('GET', path);
  }

  post(path: string, body: JsonObject = {}) {
    return this.ok('POST', path, body);
  }

  put(path: string, body: JsonObject = {}) {
    return this.ok('PUT', path, body);
  }

  delete(path: string) {
    return this.ok('DELETE', path);
  }

  async login(username: string, password: string): Promise<this> {
    this.user = await this.post('/api/user/login', { username, password });
    return this;
  }

  setOption(key: string, value: string | number | boolean | JsonObject): Promise<unknown> {
    return this.put('/api/option/', {
      key,
      value: typeof value === 'object' ? JSON.stringify(value) : String(value),
    });
  }

  /** A channel of the OpenAI type to `upstream`; answers the call's data. */
  addChannel(upstreamBase: string, more: JsonObject = {}): Promise<unknown> {
    return this.post('/api/channel/', {
      name: 'mock',
      type: 1,
      key: 'sk-upstream',
      base_url: upstreamBase,
      models: 'gpt-4o',
      group: 'default',
      priority: 0,
      weight: 0,
      auto_ban: 1,
      model_mapping: '',
      status_code_mapping: '',
      other: '',
      ...more,
    });
  }

  /** A new relay key, with its `sk-`. */
  async addToken(more: JsonObject = {}): Promise<string> {
    const created = await this.post('/api/token/', {
      name: 'test',
      remain_quota: 0,
      expired_time: -1,
      unlimited_quota: true,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
      ...more,
    });
    return `sk-${created.key}`;
  }
}

export const ROOT = { username: 'root', password: 'Passw0rd1' } as const;

/** Sets up a fresh gateway and signs root in. */
export async function setUp(gateway: Pick<Gateway, 'base'>): Promise<ConsoleClient> {
  const console = new ConsoleClient(gateway.base);
  await console.post('/api/setup', {
    ...ROOT,
    confirmPassword: ROOT.password,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
    setup_token: SETUP_TOKEN,
  });
  return console.login(ROOT.username, ROOT.password);
}

/** Sets up with one channel to `upstream`, prices of one unit a token, and one unlimited relay key. */
export async function setUpRelay(
  gateway: Pick<Gateway, 'base'>,
  upstreamBase: string,
  models: readonly string[] = ['gpt-4o'],
): Promise<{ root: ConsoleClient; key: string }> {
  const root = await setUp(gateway);
  const ones = Object.fromEntries(models.map((model) => [model, 1]));
  await root.setOption('ModelRatio', ones);
  await root.setOption('CompletionRatio', ones);
  await root.addChannel(upstreamBase, { models: models.join(',') });
  return { root, key: await root.addToken() };
}
