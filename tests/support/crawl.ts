/**
 * A walk over a whole site as one visitor: opens every address that it finds, every menu, drawer and dialog, and clicks
 * every control that it has not clicked before. It knows no page: controls are told apart by where they stand, their role
 * and their name; those of rows that are alike are one. What must not be clicked is said by the caller.
 */
import type { ElementHandle, Page } from 'playwright';
import type { Visitor } from './browser.ts';
import { patience } from './patience.ts';

/** A control as the walk knows it. */
export interface Control {
  /** The same for controls that are the same: of the frame of all pages, or of one page, or of its rows. */
  kind: string;
  /** The address without ids, or `frame`. */
  place: string;
  /** Name of the dialog or menu that it stands in; empty in the page itself. */
  layer: string;
  role: string;
  name: string;
  /** It stands for what is shown now, so that a click changes nothing. */
  isOn: boolean;
  /** It says yes to a question. */
  confirms: boolean;
}

/** How to come to a control: an address, and what is clicked there. */
interface State {
  url: string;
  trail: readonly string[];
}

export interface CrawlOptions {
  /** Addresses to begin with. */
  paths: readonly string[];
  /** Why a control is not clicked; undefined when it is. */
  leaveOut: (control: Control) => string | undefined;
  /** Whether its controls are this walk's to click, or another's. */
  isMine: (place: string) => boolean;
  maxClicks: number;
  maxMs: number;
  /** Hears of each fault at once: a walk is long. */
  say?: (fault: string) => void;
  /** And of how far it is, from time to time. */
  tell?: (words: string) => void;
}

export interface CrawlReport {
  clicked: Control[];
  /** With the reason. */
  leftOut: [control: Control, reason: string][];
  /** What went wrong, with the control that was clicked. */
  faults: string[];
  /** Addresses without ids. */
  places: Set<string>;
  layers: Set<string>;
  /** Controls that were found and not reached within the bounds. */
  unreached: number;
}

declare global {
  interface Window {
    crawl: {
      controls(): Control[];
      find(kind: string): Element | null;
      /** Of all that can be seen; differs when anything changed. */
      picture(): string;
      printed: number;
    };
  }
}

/** Runs in every document before its own scripts. */
function install(): void {
  const CONTROLS = [
    'a[href]',
    'button',
    'select',
    'summary',
    'input[type=checkbox]',
    'input[type=radio]',
    'input[type=file]',
    '[role=menuitem]',
    '[role=menuitemradio]',
    '[role=menuitemcheckbox]',
    '[role=option]',
    '[role=tab]',
    '[role=switch]',
  ].join();
  const LAYERS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [popover]';
  const ROWS = 'tbody tr, article, [role=log] > *';
  const text = (element: Element | null | undefined) =>
    (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  /** What a row's menu offers differs by what the row is, but not at its head. */
  const firstIn = (menu: Element) => menu.querySelector('[role^=menuitem]');
  const named = (element: Element): string => {
    const by = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
    return (
      element.getAttribute('aria-label') ||
      by.map((id) => text(document.getElementById(id))).join(' ') ||
      labels.map(text).join(' ') ||
      (element.matches('select') ? '' : text(element.matches('[role=menu]') ? firstIn(element) : element)) ||
      element.querySelector('img[alt], [aria-label]')?.getAttribute('aria-label') ||
      element.getAttribute('title') ||
      element.getAttribute('name') ||
      ''
    );
  };
  const roleOf = (element: Element): string => {
    const role = element.getAttribute('role');
    if (role) return role;
    if (element.matches('a')) return 'link';
    return element instanceof HTMLInputElement ? element.type : element.tagName.toLowerCase();
  };
  const pathOf = (element: Element, end: Element): string => {
    const parts: string[] = [];
    for (let at: Element | null = element; at && at !== end; at = at.parentElement) {
      const cell = at.matches('td, th') ? `${(at as HTMLTableCellElement).cellIndex}` : '';
      parts.push(`${at.tagName}${cell}`);
    }
    return parts.join('<');
  };
  /** Settings whose tabs are pages of their own. */
  const PARTS = ['tab', 'sub', 'view'];
  const placeOf = (): string => {
    const search = new URLSearchParams(location.search);
    const parts = PARTS.flatMap((name) => (search.has(name) ? [`${name}=${search.get(name)}`] : []));
    const path = location.pathname.replace(/\/(\d+|[0-9a-f]{16,}|[0-9a-f-]{36})(?=\/|$)/g, '/:id');
    return path + (parts.length > 0 ? `?${parts.join('&')}` : '');
  };
  /** The head of a list of cards is there for those who do not see the cards. */
  const isUnseen = (head: Element | null): boolean =>
    head !== null && getComputedStyle(head).clipPath !== 'none';
  const isThere = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest('[inert], [aria-hidden=true], fieldset:disabled') &&
    !isUnseen(element.closest('thead')) &&
    !element.matches(':disabled, [aria-disabled=true], [data-disabled], .sr-only:not(:focus)');
  const describe = (element: Element): Control & { path: string } => {
    const layerElement = element.closest(LAYERS);
    const layer = layerElement ? named(layerElement) || text(layerElement.querySelector('h1, h2, h3')) : '';
    const row = element.closest(ROWS);
    let name = named(element);
    // A control of a row is the same as that of the next one.
    const identities = row ? [...row.querySelectorAll('a, h2, h3, [data-pinned], strong')].map(text) : [];
    for (const identity of identities) if (identity.length > 0) name = name.replaceAll(identity, '…');
    name = name.replace(/\d[\d.,:]*/g, '#').slice(0, 80);
    const inFrame = !layerElement && element.closest('main') === null;
    const place = inFrame ? 'frame' : placeOf();
    const role = roleOf(element);
    const href = element instanceof HTMLAnchorElement ? element.href : null;
    const isOn =
      href === location.href ||
      element.matches(
        '[aria-current]:not(a), fieldset [aria-pressed=true], [role=group] [aria-pressed=true], [role=tab][aria-selected=true]',
      ) ||
      element.matches('[role=menuitemradio][aria-checked=true], [role=radio][aria-checked=true]') ||
      (element instanceof HTMLInputElement && element.type === 'radio' && element.checked) ||
      (element instanceof HTMLSelectElement && element.options.length < 2);
    const shownLayer = layer.replace(/\d+/g, '#').slice(0, 60);
    const path = pathOf(element, row ?? layerElement ?? document.body);
    const kind = [place, shownLayer, role, name, row ? path : ''].join(' | ');
    // What changes nothing is the first of a question's buttons.
    const asked = element.closest('[role=alertdialog]');
    const confirms = asked !== null && element.matches('button') && element !== asked.querySelector('button');
    return { kind, place, layer: shownLayer, role, name, isOn, confirms, path };
  };
  /** What is in front: a dialog keeps the page behind it from being used. */
  const front = (): ParentNode => {
    const modal = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].filter(
      (one) => one.checkVisibility() && !one.closest('[aria-hidden=true], [inert]'),
    );
    const last = modal.at(-1);
    const isModal =
      last && document.querySelector('[data-aria-hidden=true], [aria-hidden=true][data-aria-hidden]');
    return last && isModal ? last : document;
  };
  const all = () =>
    [...front().querySelectorAll(CONTROLS)]
      .filter(isThere)
      .map((element) => ({ element, control: describe(element) }));
  const MANY: [within: string, most: number][] = [
    ['tbody, [role=listbox], [role=log]', 2],
    ['main ul, main ol, main dl, [role=dialog] ul, [role=group]', 12],
  ];
  window.crawl = {
    printed: 0,
    controls() {
      const alike = new Map<string, number>();
      return all().flatMap(({ element, control: { path, ...control } }) => {
        const most = MANY.find(([within]) => element.closest(within))?.[1];
        if (most !== undefined) {
          const key = `${control.layer}${path}`;
          const before = alike.get(key) ?? 0;
          alike.set(key, before + 1);
          if (before >= most) return [];
        }
        return [control];
      });
    },
    find(kind) {
      const alike = all().filter(({ control }) => control.kind === kind);
      return (alike.find(({ control }) => !control.isOn) ?? alike[0])?.element ?? null;
    },
    picture() {
      const fields = [...document.querySelectorAll<HTMLInputElement>('input, select, textarea')];
      const values = fields.map((field) => `${field.value}${field.checked ?? ''}`).join();
      const scrolled = [
        document.documentElement,
        ...document.querySelectorAll('section, main, aside, [role=dialog] *'),
      ]
        .map((one) => (one.scrollTop || one.scrollLeft ? `${one.scrollTop},${one.scrollLeft}` : ''))
        .join('');
      const whole = `${location.href}${document.documentElement.className}${document.body.innerHTML}${values}${scrolled}`;
      let hash = 0;
      for (let i = 0; i < whole.length; i++) hash = (Math.imul(hash, 31) + whole.charCodeAt(i)) | 0;
      return `${whole.length}.${hash}.${window.crawl.printed}`;
    },
  };
  window.print = () => {
    window.crawl.printed++;
  };
}

/** What a click must not take longer for. */
const EFFECT_MS = patience(2_500);
const SETTLE_MS = patience(4_000);
const QUIET_MS = 60;
const TELL_EACH = 100;

export async function crawl(visitor: Visitor, base: string, options: CrawlOptions): Promise<CrawlReport> {
  const { page } = visitor;
  const { leaveOut, isMine, maxClicks, maxMs, say, tell } = options;
  const until = Date.now() + maxMs;
  const report: CrawlReport = {
    clicked: [],
    leftOut: [],
    faults: [],
    places: new Set(),
    layers: new Set(),
    unreached: 0,
  };
  const known = new Set<string>();
  const resting = new Map<string, Control>();
  const tasks: { state: State; control: Control }[] = [];
  let here: State | undefined;
  /** The address that the last click led away from by a step of the history; empty where it did not. */
  let cameFrom = '';
  const traffic = await watchTraffic(page);
  await page.addInitScript(install);

  /** Notes the controls that nobody has seen yet, to be clicked next. */
  const look = async (state: State): Promise<void> => {
    const found = await page.evaluate(() => ({
      controls: window.crawl.controls(),
      place: location.pathname.replace(/\/(\d+|[0-9a-f]{16,}|[0-9a-f-]{36})(?=\/|$)/g, '/:id'),
    }));
    report.places.add(found.place);
    const fresh: typeof tasks = [];
    for (const control of found.controls) {
      if (!isMine(control.place)) continue;
      if (control.layer) report.layers.add(`${found.place} ${control.layer}`);
      if (known.has(control.kind)) continue;
      if (control.isOn) {
        resting.set(control.kind, control);
        continue;
      }
      known.add(control.kind);
      resting.delete(control.kind);
      const reason = leaveOut(control);
      if (reason === undefined) fresh.push({ state, control });
      else report.leftOut.push([control, reason]);
    }
    tasks.push(...fresh.reverse());
  };

  const settle = async (): Promise<void> => {
    const end = Date.now() + SETTLE_MS;
    let last = '';
    for (;;) {
      const now = await page.evaluate(() => window.crawl?.picture() ?? '').catch(() => '');
      if (now !== '' && now === last && traffic.open() === 0) return;
      if (Date.now() > end) return;
      last = now;
      await page.waitForTimeout(QUIET_MS);
    }
  };

  const isThere = (kind: string): Promise<boolean> =>
    page.evaluate((wanted) => window.crawl.find(wanted) !== null, kind);
  /** Waits for it: what is loaded on use may come after all is quiet. */
  const handleOf = async (kind: string): Promise<ElementHandle | null> => {
    const found = await page
      .waitForFunction((wanted) => window.crawl?.find(wanted), kind, { timeout: EFFECT_MS, polling: 100 })
      .catch(() => null);
    return found?.asElement() ?? null;
  };

  const cookies = await page.context().cookies();
  const language = async () => page.evaluate(() => document.documentElement.lang);
  let spoken = '';
  /** As the visitor came: language, theme and the columns of tables are his again. */
  const reach = async ({ url, trail }: State): Promise<boolean> => {
    await page.evaluate(() => localStorage.clear()).catch(() => undefined);
    // No page is open meanwhile that asks for something as nobody. One that is on its way may keep it from leaving at first.
    const leave = () => page.goto('about:blank');
    await leave().catch(leave);
    await page.context().clearCookies();
    await page.context().addCookies(cookies);
    await page.goto(url);
    await visitor.settled();
    await settle();
    for (const [step, kind] of trail.entries()) {
      const handle = await handleOf(kind);
      if (!handle) return false;
      await use(handle, step > 0);
      await settle();
    }
    return true;
  };

  const fault = (what: string): void => {
    report.faults.push(what);
    say?.(what);
  };
  const complain = (what: string): void => {
    for (const one of [...visitor.complaints.splice(0), ...traffic.failures()]) fault(`${what}: ${one}`);
  };

  /** Whether anything came of it: in the page, in its address, on the wire; null where it went before it was clicked. */
  const click = async (
    handle: ElementHandle,
    kind: string,
    isUnderPanel: boolean,
  ): Promise<boolean | null> => {
    const before = await page.evaluate(() => window.crawl.picture());
    const happened = traffic.begun();
    try {
      await use(handle, isUnderPanel);
    } catch (error) {
      // On a busy machine a form may come late, in the place of the frame that stood for it.
      if (!`${error}`.includes('not attached')) throw error;
      const anew = await handleOf(kind);
      // What could be cancelled has come to its end.
      if (!anew) return null;
      await use(anew, isUnderPanel);
    }
    const end = Date.now() + EFFECT_MS;
    while (Date.now() < end) {
      const now = await page.evaluate(() => window.crawl?.picture() ?? '').catch(() => '');
      if (now !== before || traffic.begun() > happened) return true;
      await page.waitForTimeout(QUIET_MS);
    }
    return false;
  };

  /** A step back in the history is a third of the work of a load; where it does not lead there, that comes instead. */
  const returned = async ({ url, trail }: State, kind: string): Promise<boolean> => {
    if (trail.length > 0 || cameFrom !== url) return false;
    await page.goBack({ timeout: EFFECT_MS }).catch(() => null);
    if (addressOf(page) !== url) return false;
    await settle();
    const isBare = await page.evaluate(() => document.querySelector('[role=dialog], [role=menu]') === null);
    return isBare && (await isThere(kind));
  };

  const openAt = async (path: string): Promise<void> => {
    here = { url: new URL(path, base).href, trail: [] };
    await reach(here);
    spoken ||= await language();
    complain(`opening ${path}`);
    await look(here);
  };

  const paths = [...options.paths];
  let told = 0;
  for (;;) {
    const task = tasks.pop();
    if (!task) {
      const path = paths.shift();
      if (path === undefined) break;
      await openAt(path);
      continue;
    }
    if (report.clicked.length >= told + TELL_EACH) {
      told = report.clicked.length;
      tell?.(`${told} controls clicked, ${tasks.length + 1} wait, ${paths.length} pages to come`);
    }
    if (report.clicked.length >= maxClicks || Date.now() > until) {
      report.unreached = tasks.length + 1 + paths.length;
      break;
    }
    const { state, control } = task;
    const what = `${control.kind} (at ${state.url.slice(base.length)}${state.trail.length > 0 ? ' in a layer' : ''})`;
    try {
      const isHere = here?.url === state.url && here.trail.join() === state.trail.join();
      const isReached = isHere || (await returned(state, control.kind)) || (await reach(state));
      cameFrom = '';
      const handle = isReached ? await handleOf(control.kind) : null;
      if (handle) complain(`coming to ${what}`);
      const isAnswered = handle && (await click(handle, control.kind, state.trail.length > 0));
      if (isAnswered === null) {
        report.leftOut.push([control, 'was gone when the walk came back to it']);
        here = undefined;
        continue;
      }
      report.clicked.push(control);
      if (!isAnswered) fault(`${what}: nothing happened`);
      await settle();
      complain(what);
      const url = addressOf(page);
      if (!url.startsWith(base)) {
        here = undefined;
        continue;
      }
      // Another language has the same controls under other names.
      if ((await language()) !== spoken) {
        here = undefined;
        continue;
      }
      here = url === state.url ? { url, trail: [...state.trail, control.kind] } : { url, trail: [] };
      if (url !== state.url) {
        if (control.role === 'link' && state.trail.length === 0) cameFrom = state.url;
        // What is reached by an address alone is looked at as it opens from it.
        await look(here);
      } else if (here.trail.length <= MAX_TRAIL) await look(here);
    } catch (error) {
      fault(`${what}: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}`);
      here = undefined;
    }
  }
  for (const control of resting.values()) {
    if (!known.has(control.kind)) report.leftOut.push([control, 'stands for what is shown already']);
  }
  return report;
}

/** Without its anchor: to another of these the page is not loaded anew. */
const addressOf = (page: Page): string => page.url().replace(/#.*$/, '');

/** How many controls are clicked one after another in one page. */
const MAX_TRAIL = 3;

/** A list takes another of its values; everything else is clicked. */
async function use(handle: ElementHandle, isUnderPanel = false): Promise<void> {
  const values = await handle.evaluate((element) =>
    element instanceof HTMLSelectElement
      ? [...element.options]
          .filter(({ selected, disabled }) => !selected && !disabled)
          .map(({ value }) => value)
      : null,
  );
  const [value] = values?.slice(-1) ?? [];
  if (value !== undefined) return void (await handle.selectOption(value));
  // What is there for the keyboard alone, such as the way past the menu.
  const box = await handle.boundingBox();
  if (box && (box.width <= 1 || box.y + box.height <= 0)) return handle.press('Enter');
  try {
    await handle.click({ timeout: EFFECT_MS });
  } catch (error) {
    // A panel that is open lies over what it changes: by keys one comes there.
    if (!isUnderPanel) throw error;
    await handle.press('Enter');
  }
}

/** What goes over the wire or out of the page, counted. */
async function watchTraffic(page: Page) {
  let begun = 0;
  const failures: string[] = [];
  const open = new Set<unknown>();
  const isStream = (url: string) => /\/stream|live/.test(url);
  page.on('request', (request) => {
    begun++;
    if (!isStream(request.url())) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) open.clear();
  });
  page.on('response', (response) => {
    if (response.status() >= 500) failures.push(`${response.status()} of ${response.url()}`);
  });
  page.on('download', () => {
    begun++;
  });
  page.on('filechooser', () => {
    begun++;
  });
  page.on('dialog', (dialog) => {
    begun++;
    void dialog.accept();
  });
  page.on('popup', (popup) => {
    begun++;
    void popup.close();
  });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return {
    begun: () => begun,
    open: () => open.size,
    failures: () => failures.splice(0),
  };
}
