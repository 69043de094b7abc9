/**
 * The console in real Chromium: the whole server in this process on a free port over a fresh database, and visitors who
 * look at it. With SCREENSHOT_DIR set, `shot` keeps pictures there.
 */
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { createApp } from '../../src/app.ts';
import { type SocketPeer, sockets } from '../../src/platform/sockets.ts';
import { openApi, type TestApi, type TestUser } from './api.ts';
import type { Engine } from './database.ts';

const root = join(import.meta.dir, '../..');
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const DESK = 1280;
export const PHONE = 390;

export type Language = 'zh' | 'en';
export type Theme = 'light' | 'dark';

export interface View {
  width: number;
  locale: Language;
  theme: Theme;
}

/** Four views that hold every pair of width, language and theme. */
export const views: readonly View[] = [
  { width: DESK, locale: 'zh', theme: 'light' },
  { width: DESK, locale: 'en', theme: 'dark' },
  { width: PHONE, locale: 'zh', theme: 'dark' },
  { width: PHONE, locale: 'en', theme: 'light' },
];

export const viewName = ({ width, locale, theme }: View): string => `${width} px, ${locale}, ${theme}`;

export interface VisitOptions extends Partial<View> {
  /** Signed in as this user, without the sign-in page. */
  user?: TestUser;
  javaScript?: boolean;
}

export interface Site {
  readonly base: string;
  readonly api: TestApi;
  /** The whole server's answer, without a socket. */
  handle(request: Request): Promise<Response>;
  /** A new visitor, with cookies of his own. Chinese, light and 1280 px unless said. */
  visit(options?: VisitOptions): Promise<Visitor>;
  close(): Promise<void>;
}

let browser: Promise<Browser> | undefined;
const launch = (): Promise<Browser> => {
  browser ??= chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS });
  return browser;
};

let built: Promise<void> | undefined;
/** The console must be there, and be that of the present sources. */
export const build = (): Promise<void> => {
  built ??= (async () => {
    const child = Bun.spawn([process.execPath, 'scripts/build.ts', '--if-changed'], {
      cwd: root,
      stderr: 'inherit',
    });
    if ((await child.exited) !== 0) throw new Error('the console does not build');
  })();
  return built;
};

export async function openSite(engine: Engine = 'postgres', env: Record<string, string> = {}): Promise<Site> {
  const [api] = await Promise.all([openApi(engine, env), build()]);
  const app = await createApp(api.deps, async () => [api.deps.metrics.snapshot()]);
  const server: Bun.Server<SocketPeer> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => app.front(request, server),
    websocket: sockets,
  });
  app.attach(server);
  const base = `http://127.0.0.1:${server.port}`;
  const contexts: BrowserContext[] = [];
  return {
    base,
    api,
    handle: async (request) => app.front(request, server),
    async visit(options = {}) {
      const visitor = await open(base, api, options);
      contexts.push(visitor.page.context());
      return visitor;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await server.stop(true);
      await api.close();
    },
  };
}

async function open(base: string, api: TestApi, options: VisitOptions): Promise<Visitor> {
  const { width = DESK, locale = 'zh', theme = 'light', javaScript = true, user } = options;
  const phone = width < 768;
  const context = await (await launch()).newContext({
    baseURL: base,
    viewport: { width, height: phone ? 844 : 850 },
    hasTouch: phone,
    locale: locale === 'zh' ? 'zh-CN' : 'en-US',
    timezoneId: 'Asia/Shanghai',
    javaScriptEnabled: javaScript,
    // Pictures and checks meet pages at rest.
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const session = user ? (await api.as(user)).cookies : new Map<string, string>();
  await context.addCookies(
    [...session, ['lang', locale] as const, ['theme-mode', theme] as const].map(([name, value]) => ({
      name,
      value,
      url: base,
    })),
  );
  return new Visitor(await context.newPage());
}

export class Visitor {
  /** What the browser complained about: errors of scripts, of hydration, of the content policy, of files not found. */
  readonly complaints: string[] = [];

  constructor(readonly page: Page) {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  /** Opens a page and waits until the browser has taken it over. */
  async goto(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settled();
  }

  /**
   * Until the page is hydrated: the router takes its record away when it has begun, and React marks every control that
   * it has taken over. What is done to a control before that is lost.
   */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => {
      if ('$_TSR' in window && window.$_TSR) return false;
      const controls = [...document.querySelectorAll('button, select, input, textarea')];
      return controls.every((control) => Object.keys(control).some((name) => name.startsWith('__react')));
    });
  }

  /** The HTML as the server sends it to this visitor. */
  async html(path: string): Promise<string> {
    return (await this.page.request.get(path)).text();
  }

  /** How far the page is wider than its window; 0 when it fits. */
  async overflow(): Promise<number> {
    return this.page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
  }

  /** Serious and critical findings of axe, as `rule: what it is about`. */
  async findings(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page }).analyze();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`));
  }

  /** Keeps a picture when SCREENSHOT_DIR is set. */
  async shot(name: string): Promise<void> {
    const folder = process.env.SCREENSHOT_DIR;
    if (folder) await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
