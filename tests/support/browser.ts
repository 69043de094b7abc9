/**
 * The console in real Chromium: the whole server in this process on a free port over a fresh database, and visitors who
 * look at it. With SCREENSHOT_DIR set, `shot` keeps pictures there.
 */
import { afterEach, expect, onTestFinished } from 'bun:test';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Frame, type Page } from 'playwright';
import { createApp } from '../../src/app.ts';
import { type SocketPeer, sockets } from '../../src/platform/sockets.ts';
import { cookieNames } from '../../web/lib/preferences.ts';
import { openApi, type TestApi, type TestUser } from './api.ts';
import type { Engine } from './database.ts';
import { patience, STEP_MS } from './patience.ts';

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
  // A page that a visitor leaves and the next enters stay in one process, whatever is opened between them.
  '--process-per-site',
  // No page lives long enough to earn what its scripts' best compilation costs, nor what giving memory back does: a sixth
  // of all that the browser does.
  '--js-flags=--no-opt --no-maglev --no-memory-reducer --min-semi-space-size=16 --max-semi-space-size=32',
];

/** In which every visitor's browser is. */
export const ZONE = 'Asia/Shanghai';

export const DESK = 1280;
export const PHONE = 390;

export type Language = 'zh' | 'en';
export type Theme = 'light' | 'dark';

export interface View {
  width: number;
  locale: Language;
  theme: Theme;
}

export const viewName = ({ width, locale, theme }: View): string => `${width} px, ${locale}, ${theme}`;

export interface VisitOptions extends Partial<View> {
  /** Signed in as this user, without the sign-in page. */
  user?: TestUser;
  javaScript?: boolean;
  /** What his browser has told the site of its zone: its own unless said, null before it has opened any page. */
  toldZone?: string | null;
  /** His browser keeps the site's worker, which stands between it and the pages. */
  worker?: boolean;
  /** Until he is told to leave, instead of with the test. */
  stays?: boolean;
}

export interface Site {
  readonly base: string;
  readonly api: TestApi;
  /** The whole server's answer, without a socket. */
  handle(request: Request): Promise<Response>;
  /**
   * A new visitor, with cookies of his own, who leaves when the test is over. Chinese, light and 1280 px unless said. For
   * tests and their helpers: what is opened in `beforeAll` leaves with it.
   */
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
  const { server, rooms } = await moveIn((port) =>
    Bun.serve<SocketPeer>({
      hostname: '127.0.0.1',
      port,
      idleTimeout: 0,
      fetch: (request, at) => (request.url.endsWith(AXE_PATH) ? axeFile() : app.front(request, at)),
      websocket: sockets,
    }),
  );
  app.attach(server);
  const { base } = rooms;
  return {
    base,
    api,
    handle: async (request) => app.front(request, server),
    async visit(options = {}) {
      const visitor = await open(base, api, rooms, options);
      if (!options.stays) onTestFinished(() => visitor.leave());
      return visitor;
    },
    async close() {
      await rooms.tidy();
      await server.stop(true);
      await moveOut(rooms);
      await api.close();
    },
  };
}

/** Goes to an address of a site as somebody. */
export type Visit = (path: string, options?: VisitOptions) => Promise<Visitor>;

/**
 * The visits of a file's tests, or of those in a `describe`: in English unless said, as `usual` says, with a bound on
 * each step where one is given. No visitor's browser may have complained when his test is over.
 */
export function quietVisits(
  site: () => Site,
  usual: () => VisitOptions = () => ({}),
  stepMs?: number,
): Visit {
  let visitors: Visitor[] = [];
  afterEach(() => {
    const complaints = visitors.flatMap((visitor) => visitor.complaints);
    visitors = [];
    expect(complaints).toEqual([]);
  });
  return async (path, options) => {
    const visitor = await site().visit({ locale: 'en', ...usual(), ...options });
    visitors.push(visitor);
    if (stepMs !== undefined) visitor.page.setDefaultTimeout(stepMs);
    await visitor.goto(path);
    return visitor;
  };
}

/** What is fixed for as long as a browser's context lives. */
type Kind = Required<Pick<VisitOptions, 'width' | 'locale' | 'javaScript' | 'worker'>>;
const nameOf = ({ width, locale, javaScript, worker }: Kind): string =>
  [width, locale, javaScript, worker].join();

/** Each keeps a process: those that nearly every file opens. */
const USUAL_KINDS: ReadonlySet<string> = new Set(
  [DESK, PHONE].flatMap((width) =>
    (['zh', 'en'] as const).map((locale) => nameOf({ width, locale, javaScript: true, worker: false })),
  ),
);

interface Rooms {
  /** Of the site that they are in. */
  readonly base: string;
  /** A page as a new one is, in a context that nobody else is in. */
  enter(kind: Kind): Promise<Page>;
  leave(page: Page): Promise<void>;
  /** All that a file has opened goes, but one page of each kind that most files open. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** Where the last site of this worker was, if no other is there now. */
let left: Rooms | undefined;

/**
 * The next site of a worker stands where the last one stood, if nobody has come there meanwhile: its visitors come to rooms
 * that are warm, with the console's files, which are the same in every site, in their caches.
 */
async function moveIn(
  serve: (port: number) => Bun.Server<SocketPeer>,
): Promise<{ server: Bun.Server<SocketPeer>; rooms: Rooms }> {
  const rooms = left;
  left = undefined;
  if (rooms) {
    try {
      return { server: serve(Number(new URL(rooms.base).port)), rooms };
    } catch {
      await rooms.close();
    }
  }
  const server = serve(0);
  return { server, rooms: openRooms(`http://127.0.0.1:${server.port}`) };
}

async function moveOut(rooms: Rooms): Promise<void> {
  if (left) await rooms.close();
  else left = rooms;
}

/** A page's events that tests listen to. */
const HEARD = [
  'console',
  'dialog',
  'download',
  'framenavigated',
  'pageerror',
  'popup',
  'request',
  'response',
];

/** The site by its other name, or whoever else: the browser keeps apart what these store, by the page around them too. */
const isOfAnotherHost = (url: string, base: string): boolean =>
  /^https?:/.test(url) && new URL(url).hostname !== new URL(base).hostname;

/** A page that is not left by then, such as one that goes elsewhere just now, is not used again. */
const PARKING_MS = patience(10_000);

/** Of the window of a visitor at this width. */
export const heightOf = (width: number): number => (width < 768 ? 844 : 850);

/**
 * The pages that a site's visitors are in, one after another, each in a context of its own: the console's files stay in
 * their caches and its process stays alive, so that a visit takes a third less work than one in a new page. Nothing else
 * stays: cookies, storage, permissions, listeners and what was emulated go with the visitor, and so does a page that was
 * at another host.
 */
function openRooms(base: string): Rooms {
  const contexts = new Set<BrowserContext>();
  const taken = new Map<Page, Kind>();
  /** Have shown a page of another host, be it in a frame: what that stored is out of reach once it is left. */
  const abroad = new WeakSet<Page>();
  const free = new Map<string, Page[]>();

  const make = async (kind: Kind): Promise<Page> => {
    const { width, locale, javaScript, worker } = kind;
    const context = await (await launch()).newContext({
      baseURL: base,
      viewport: { width, height: heightOf(width) },
      hasTouch: width < 768,
      locale: locale === 'zh' ? 'zh-CN' : 'en-US',
      timezoneId: ZONE,
      javaScriptEnabled: javaScript,
      // Pictures and checks meet pages at rest.
      reducedMotion: 'reduce',
      acceptDownloads: true,
      serviceWorkers: worker ? 'allow' : 'block',
    });
    contexts.add(context);
    return context.newPage();
  };

  /** Where nothing of the console runs any more: what a page writes while it is left would stay otherwise. */
  const park = async (page: Page): Promise<void> => {
    for (const event of HEARD) page.removeAllListeners(event);
    // A page that asks whether to leave what was typed is left.
    page.on('dialog', (question) => void question.accept());
    await page.context().setOffline(false);
    await page.unrouteAll();
    await page.context().unrouteAll();
    await page.goto(`${base}/healthz`, { timeout: PARKING_MS });
    page.removeAllListeners('dialog');
  };
  const forgetStorage = async (page: Page): Promise<void> => {
    await page.evaluate(() => sessionStorage.clear());
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: base, storageTypes: 'all' });
    await session.detach();
  };
  /** Whether the page is as a new one then: a clock that a test has set stays, and a page may be gone. */
  const forget = async (page: Page, { width }: Kind): Promise<boolean> => {
    const context = page.context();
    if (!(await page.evaluate(() => `${setTimeout}`.includes('[native code]')))) return false;
    await Promise.all(context.pages().map((other) => other === page || other.close()));
    await park(page);
    await Promise.all([
      forgetStorage(page),
      context.clearCookies(),
      context.clearPermissions(),
      page.setViewportSize({ width, height: heightOf(width) }),
      page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion: 'reduce' }),
    ]);
    return true;
  };

  const closeAll = async (all: BrowserContext[]): Promise<void> => {
    for (const context of all) contexts.delete(context);
    await Promise.all(all.map((context) => context.close()));
  };

  return {
    base,
    async enter(kind) {
      const page = free.get(nameOf(kind))?.pop() ?? (await make(kind));
      // Unless its test says otherwise.
      page.setDefaultTimeout(patience(STEP_MS));
      page.on('framenavigated', (frame) => {
        if (isOfAnotherHost(frame.url(), base)) abroad.add(page);
      });
      taken.set(page, kind);
      return page;
    },
    async leave(page) {
      const kind = taken.get(page);
      if (!kind) return;
      taken.delete(page);
      if (!abroad.has(page) && (await forget(page, kind).catch(() => false))) {
        const name = nameOf(kind);
        free.set(name, [...(free.get(name) ?? []), page]);
      } else {
        await closeAll([page.context()]);
      }
    },
    async tidy() {
      taken.clear();
      for (const [name, pages] of free) free.set(name, USUAL_KINDS.has(name) ? pages.slice(0, 1) : []);
      const kept = new Set([...free.values()].flat().map((page) => page.context()));
      await closeAll([...contexts].filter((context) => !kept.has(context)));
    },
    close: () => closeAll([...contexts]),
  };
}

/** Nobody reads more pages in a minute than one may ask for; tests of many views do. */
export const minutePassed = (api: TestApi, { id }: TestUser): Promise<void> =>
  api.deps.limiter.clear(`pages:user:${id}`);

async function open(base: string, api: TestApi, rooms: Rooms, options: VisitOptions): Promise<Visitor> {
  const { width = DESK, locale = 'zh', theme = 'light', javaScript = true, worker = false, user } = options;
  const { toldZone = ZONE } = options;
  const session = user ? (await api.as(user)).cookies : new Map<string, string>();
  if (user) await minutePassed(api, user);
  const page = await rooms.enter({ width, locale, javaScript, worker });
  await page
    .context()
    .addCookies(
      [
        ...session,
        [cookieNames.lang, locale] as const,
        [cookieNames.theme, theme] as const,
        ...(toldZone === null ? [] : [[cookieNames.timeZone, toldZone] as const]),
      ].map(([name, value]) => ({ name, value, url: base })),
    );
  return new Visitor(page, () => rooms.leave(page));
}

/** What axe is in a page that its source was given to. */
declare global {
  interface Window {
    axe: typeof axe;
  }
}

/**
 * Turns off the rules that can only find what is less than serious, which no finding tells, and which take a quarter of
 * the time. How bad a finding is says its rule, or else its checks; the library tells of neither but in `_audit`.
 */
const SERIOUS_RULES_ONLY = `for (const rule of axe._audit.rules) {
  const checks = [...rule.any, ...rule.all, ...rule.none].map((check) => axe._audit.checks[check.id ?? check]);
  const impacts = rule.impact ? [rule.impact] : checks.map((check) => check.impact);
  if (!impacts.some((impact) => impact === 'serious' || impact === 'critical')) rule.enabled = false;
}`;

const AXE = `${axe.source};axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] });${SERIOUS_RULES_ONLY}`;
const AXE_PATH = '/axe-of-the-tests.js';
const axeFile = (): Response =>
  new Response(AXE, {
    headers: { 'content-type': 'text/javascript', 'cache-control': 'max-age=31536000, immutable' },
  });

/**
 * Reading half a megabyte of source takes longer than looking: a document gets it once, and a page of the console as a
 * file of the site, which the browser keeps compiled. Others may load no such file, and are given it as text.
 */
async function giveAxe(frame: Frame): Promise<void> {
  const { isThere, loadsFiles } = await frame.evaluate(() => ({
    isThere: 'axe' in window,
    loadsFiles: [...document.scripts].some(({ src }) => src.startsWith(location.origin)),
  }));
  if (isThere) return;
  if (loadsFiles) await frame.addScriptTag({ url: AXE_PATH });
  else await frame.evaluate(AXE);
}

export const darken = (at: Page | Frame): Promise<void> =>
  at.evaluate(async () => {
    document.documentElement.className = 'dark';
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined)));
  });

/** Ten seconds of a browser that has nothing else to do. */
const SETTLING_FRAMES = 600;

/**
 * Runs in a page: whether it is hydrated, at the latest after so many frames. The router takes its record away when it has
 * begun, and React marks every control that it has taken over.
 */
async function settles(frames: number): Promise<boolean> {
  const isSettled = (): boolean => {
    if ('$_TSR' in window && window.$_TSR) return false;
    const controls = [...document.querySelectorAll('button, select, input, textarea')];
    return controls.every((control) => Object.keys(control).some((name) => name.startsWith('__react')));
  };
  for (let frame = 0; frame < frames && !isSettled(); frame++) await new Promise(requestAnimationFrame);
  return isSettled();
}

export class Visitor {
  /** What the browser complained about: errors of scripts, of hydration, of the content policy, of files not found. */
  readonly complaints: string[] = [];

  constructor(
    readonly page: Page,
    /** Makes room for the next visitor. */
    readonly leave: () => Promise<void>,
  ) {
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

  /** Goes to another address of the same page at once, as a leap over several steps of the history does. */
  async leap(path: string): Promise<void> {
    await this.page.evaluate((to) => history.pushState(null, '', to), path);
  }

  /** Until the page is hydrated. What is done to a control before that is lost. */
  async settled(): Promise<void> {
    // The library's own wait has every document compile a third of a megabyte of helpers first.
    const isSettled = await this.page.evaluate(settles, SETTLING_FRAMES).catch(() => false);
    // It outlives the document, where that leads elsewhere, and tells what does not come.
    if (!isSettled) await this.page.waitForFunction(settles, 0);
  }

  /** The HTML as the server sends it to this visitor. */
  async html(path: string): Promise<string> {
    return (await this.page.request.get(path)).text();
  }

  /** How far the page is wider than its window; 0 when it fits. */
  async overflow(): Promise<number> {
    return this.page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
  }

  /** The page in the dark, without the load that a switch of the console would not need either. */
  darken = (): Promise<void> => darken(this.page);

  /** Serious and critical findings of axe, of all its rules or of some, as `rule: what it is about`. */
  async findings(rules?: string[]): Promise<string[]> {
    const [main, ...frames] = this.page.frames();
    if (main) await giveAxe(main);
    // A frame may go while one looks, and is then no part of the page.
    await Promise.all(frames.map((frame) => giveAxe(frame).catch(() => undefined)));
    const violations = await this.page.evaluate(async (only) => {
      const found = await window.axe.run(document, {
        resultTypes: ['violations'],
        // Only a minor rule loads what a page links to, and nobody here reads where a node stands.
        preload: false,
        selectors: false,
        ...(only && { runOnly: only }),
      });
      return found.violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        about: nodes.map(({ html }) => html),
      }));
    }, rules);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, about }) => about.map((html) => `${id}: ${html.slice(0, 200)}`));
  }

  /** Keeps a picture when SCREENSHOT_DIR is set. */
  async shot(name: string): Promise<void> {
    const folder = process.env.SCREENSHOT_DIR;
    if (folder) await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
