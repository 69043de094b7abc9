/** The keys without a modifier: each declared once, for what it does and for the sheet that tells of it. */
import type { AnyRouter } from '@tanstack/react-router';
import { copyText } from '@/lib/clipboard.ts';
import { notify } from '@/lib/notify.ts';
import type { PageContext } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';

export interface Pressed {
  router: AnyRouter;
  openHelp(): void;
}

/** Where keys do something, in the order in which the sheet tells of it. */
export const PLACES = ['anywhere', 'page', 'list'] as const;
export type Place = (typeof PLACES)[number];

export interface Shortcut {
  /** One after another. */
  keys: readonly string[];
  text: TextKey;
  where: Place;
  /** Only for those whose menu has this page. */
  page?: string;
  run(pressed: Pressed): void;
}

/** What keys are written as that begin with a modifier, and that stay when the others are switched off. */
export const PALETTE_KEYS = {
  text: 'palette.title',
  where: 'anywhere',
} as const satisfies Partial<Shortcut>;

const goTo = (key: string, path: string, text: TextKey): Shortcut => ({
  keys: ['g', key],
  text,
  where: 'anywhere',
  page: path,
  run: ({ router }) => void router.navigate({ to: path }),
});

const first = (selector: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>(selector)].find((found) => found.offsetParent !== null);
const click = (selector: string) => (): void => first(selector)?.click();

const ROWS = 'main tbody > tr:not([data-detail])';
const OPENER = ':is([data-opens] a, [data-opens] button)';

/** Leads the focus from row to row, by what opens each. */
const step = (by: 1 | -1) => (): void => {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.querySelector(OPENER));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? rows[by > 0 ? 0 : rows.length - 1] : rows[at + by];
  next?.querySelector<HTMLElement>(OPENER)?.focus();
};

const focusedRow = (): HTMLElement | null | undefined => document.activeElement?.closest<HTMLElement>(ROWS);
const clickInRow = (selector: string) => (): void =>
  focusedRow()?.querySelector<HTMLElement>(selector)?.click();

/** As records are called in addresses, in calls and by people. */
const copyId = async ({ router }: Pressed): Promise<void> => {
  const id = focusedRow()?.dataset.id;
  if (id === undefined) return;
  const { t }: PageContext = router.options.context;
  const isCopied = await copyText(id);
  notify({
    tone: isCopied ? 'ok' : 'bad',
    text: t(isCopied ? 'shortcut.idCopied' : 'shortcut.idToCopy', { id }),
  });
};

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['?'], text: 'shortcut.title', where: 'anywhere', run: ({ openHelp }) => openHelp() },
  goTo('h', '/', 'nav.overview'),
  goTo('d', '/detail', 'nav.detail'),
  goTo('t', '/token', 'nav.token'),
  goTo('l', '/log', 'nav.log'),
  goTo('c', '/channel', 'nav.channel'),
  goTo('u', '/user', 'nav.user'),
  goTo('w', '/topup', 'nav.wallet'),
  goTo('p', '/personal', 'nav.personal'),
  goTo('s', '/setting', 'nav.setting'),
  {
    keys: ['/'],
    text: 'shortcut.search',
    where: 'page',
    run: () => first('main input[type=search]')?.focus(),
  },
  {
    keys: ['c'],
    text: 'shortcut.create',
    where: 'page',
    run: click('main [data-primary] :is(a, button)'),
  },
  { keys: ['r'], text: 'palette.refresh', where: 'page', run: ({ router }) => void router.invalidate() },
  { keys: ['j'], text: 'shortcut.down', where: 'list', run: step(1) },
  { keys: ['k'], text: 'shortcut.up', where: 'list', run: step(-1) },
  { keys: ['x'], text: 'shortcut.choose', where: 'list', run: clickInRow('[data-card=select] input') },
  { keys: ['e'], text: 'shortcut.edit', where: 'list', run: clickInRow('a[href*="/edit/"]') },
  { keys: ['y'], text: 'shortcut.copyId', where: 'list', run: (pressed) => void copyId(pressed) },
  { keys: ['['], text: 'table.previous', where: 'list', run: click('main a[rel=prev]') },
  { keys: [']'], text: 'table.next', where: 'list', run: click('main a[rel=next]') },
];

/** Those of a viewer whose menu has these pages. */
export const shortcutsFor = (pages: ReadonlySet<string>): Shortcut[] =>
  SHORTCUTS.filter(({ page }) => page === undefined || pages.has(page));

/** Keys of which so much time lies between no longer belong together. */
const TOGETHER_MS = 1_500;

/** What has been pressed of a shortcut of several keys. */
export interface Begun {
  keys: readonly string[];
  /** In milliseconds, by the clock of events. */
  at: number;
}

export const NOTHING: Begun = { keys: [], at: 0 };

/** What a key means after those before it: a shortcut, the beginning of one, or nothing. */
export function meaning(
  shortcuts: readonly Shortcut[],
  begun: Begun,
  { key, at }: { key: string; at: number },
): { shortcut?: Shortcut; begun: Begun } {
  const before = at - begun.at <= TOGETHER_MS ? begun.keys : [];
  for (const keys of [[...before, key], [key]]) {
    const fitting = shortcuts.filter((one) => keys.every((pressed, place) => one.keys[place] === pressed));
    const shortcut = fitting.find((one) => one.keys.length === keys.length);
    if (shortcut) return { shortcut, begun: NOTHING };
    if (fitting.length > 0) return { begun: { keys, at } };
  }
  return { begun: NOTHING };
}
