/**
 * Prices as they are typed: by price (US dollars per million tokens) or by ratio, the other worked out. Exact decimals
 * as on the server; a quotient goes to twelve places.
 */

import { DECIMAL_ONE, decimalOf, decimalText } from '@core/decimal.ts';
import { USD_PER_RATIO, usdOfRatio, workedOut } from '@core/price-ratio.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { sameTiers, type Tiered } from './tiers.ts';

export const modes = ['tokens', 'call', 'tiers', 'none'] as const;
export type Mode = (typeof modes)[number];
export type Unit = 'price' | 'ratio';

/** A model of the catalogue as administrators read it. */
export type HubModel = DataOf<'get', '/api/model_hub/admin'>[number];

/** Nothing prices it: neither its tokens or calls nor the seconds of its films. */
export const isUnpriced = ({ mode, video }: HubModel): boolean => mode === 'none' && video === null;

/** What stands in the cells of a row; of a price a call only `input`. */
export interface Cells {
  mode: Mode;
  input: string;
  output: string;
  cache: string;
  /** Output of a call that thinks. */
  thinking: string;
}

/** Of a row without a number. */
export const NO_CELLS: Cells = { mode: 'none', input: '', output: '', cache: '', thinking: '' };

const USD_EXACT = BigInt(USD_PER_RATIO);

/** A number as text that no exponent hides. */
const plain = (value: number): string => decimalText(decimalOf(value) ?? 0n);

const quotient = (a: bigint, b: bigint): bigint => (2n * a * DECIMAL_ONE + b) / (2n * b);

const textOf = (value: number | null): string => (value === null ? '' : plain(value));

/** The cells of a stored price. */
export function cellsOf(model: HubModel | undefined, unit: Unit): Cells {
  const {
    mode = 'none',
    price = null,
    ratio = null,
    completionRatio = null,
    thinkingRatio = null,
    cacheRatio = null,
  } = model ?? {};
  if (mode === 'call') return { ...NO_CELLS, mode, input: textOf(price) };
  // Cached input that costs what input costs has no price of its own.
  const cache = cacheRatio === 1 ? null : cacheRatio;
  const ratios = {
    mode,
    input: textOf(ratio),
    output: textOf(completionRatio),
    cache: textOf(cache),
    thinking: textOf(thinkingRatio),
  };
  return unit === 'ratio' ? ratios : converted(ratios, 'price');
}

/** The same cells in the other unit; what is no number is left as it was typed. */
export function converted(cells: Cells, to: Unit): Cells {
  if (cells.mode === 'call') return cells;
  const input = decimalOf(cells.input);
  if (input === null) return cells;
  const part = (text: string): string => {
    const value = decimalOf(text);
    if (value === null) return text;
    if (to === 'price') return plain(usdOfRatio(input * USD_EXACT, value));
    return input === 0n ? text : plain(Number(decimalText(quotient(value, input))));
  };
  return {
    mode: cells.mode,
    input:
      to === 'price' ? plain(workedOut(input * USD_EXACT)) : plain(Number(decimalText(input / USD_EXACT))),
    output: part(cells.output),
    cache: part(cells.cache),
    thinking: part(cells.thinking),
  };
}

/** Cells whose numbers go by that of the first. */
const PARTS = ['output', 'cache', 'thinking'] as const;
type Part = (typeof PARTS)[number];

export type Errors = Partial<Record<'input' | Part, TextKey>>;

/** What the server is given of a price; null takes a number away. */
export interface Price {
  mode: Mode;
  price: number | null;
  ratio: number | null;
  completionRatio: number | null;
  thinkingRatio: number | null;
  cacheRatio: number | null;
}

export type Read = { ok: true; price: Price } | { ok: false; errors: Errors };

const nothing: Price = {
  mode: 'none',
  price: null,
  ratio: null,
  completionRatio: null,
  thinkingRatio: null,
  cacheRatio: null,
};

/** The numbers that cells mean, or what is wrong with them. */
export function readCells(cells: Cells, unit: Unit): Read {
  const { mode } = cells;
  if (mode === 'none' || mode === 'tiers') return { ok: true, price: { ...nothing, mode } };
  const errors: Errors = {};
  const read = (name: 'input' | Part): bigint | null => {
    const text = cells[name].trim();
    if (text === '' && name !== 'input') return null;
    const value = text === '' ? null : decimalOf(text);
    if (value === null) errors[name] = 'prices.notNumber';
    return value;
  };
  const input = read('input');
  if (mode === 'call') {
    if (input === null) return { ok: false, errors };
    return { ok: true, price: { ...nothing, mode, price: Number(decimalText(input)) } };
  }
  const parts = { output: read('output'), cache: read('cache'), thinking: read('thinking') };
  if (unit === 'price' && input === 0n) {
    for (const part of PARTS) if ((parts[part] ?? 0n) > 0n) errors[part] = 'prices.zeroPrice';
  }
  if (input === null || Object.keys(errors).length > 0) return { ok: false, errors };
  const ratioOf = (part: bigint | null): number | null => {
    if (part === null) return null;
    if (unit === 'ratio') return Number(decimalText(part));
    return input === 0n ? 1 : Number(decimalText(quotient(part, input)));
  };
  const ratio = unit === 'ratio' ? input : input / USD_EXACT;
  return {
    ok: true,
    price: {
      mode,
      price: null,
      ratio: Number(decimalText(ratio)),
      completionRatio: ratioOf(parts.output),
      thinkingRatio: ratioOf(parts.thinking),
      cacheRatio: ratioOf(parts.cache),
    },
  };
}

/** Dollars that a reader pays for input and output in a group, and for output of a call that thinks, of tiers in the first; null where the price is not known. */
export function preview(
  cells: Cells,
  unit: Unit,
  groupRatio: number,
): { input: number; output: number | null; thinking: number | null } | null {
  const read = readCells(cells.mode === 'tiers' ? { ...cells, mode: 'tokens' } : cells, unit);
  if (!read.ok) return null;
  const { price, ratio, completionRatio, thinkingRatio } = read.price;
  if (price !== null) return { input: price * groupRatio, output: null, thinking: null };
  if (ratio === null) return null;
  const input = ratio * USD_PER_RATIO * groupRatio;
  const thinking = thinkingRatio === null ? null : input * thinkingRatio;
  return { input, output: input * (completionRatio ?? 1), thinking };
}

/** What the catalogue says of a model beside its price. */
export type Words = Pick<
  HubModel,
  'icon' | 'desc' | 'max_token' | 'hide' | 'model_type' | 'tags' | 'multimodal' | 'sort'
>;

/** A row that was changed and not saved. */
export interface Draft {
  cells: Cells;
  words: Partial<Words>;
  /** New tiers; they count while the row is priced by tiers. */
  tiered?: Tiered;
  /** The entry and its price go. */
  removed?: boolean;
}

const sameCells = (a: Cells, b: Cells): boolean =>
  a.mode === b.mode && a.input === b.input && PARTS.every((part) => a[part] === b[part]);

/** True when saving the draft would change something. */
export function isChanged(model: HubModel | undefined, draft: Draft, unit: Unit): boolean {
  if (draft.removed || !model) return true;
  const words = Object.entries(draft.words).some(([name, value]) => model[name as keyof Words] !== value);
  return words || newTiers(model, draft) !== null || !sameCells(draft.cells, cellsOf(model, unit));
}

/** True when saving the draft would take a price away that is there. */
export const losesPrice = (model: HubModel | undefined, { cells }: Draft): boolean =>
  cells.mode === 'none' && model !== undefined && model.mode !== 'none';

/** The tiers that a draft would save; null when it has none that are new. */
const newTiers = (model: HubModel | undefined, { cells, tiered }: Draft): Tiered | null =>
  cells.mode === 'tiers' && tiered && !sameTiers(tiered, model?.tiered) ? tiered : null;

/** The cells that stand for tiers: those of the first. */
export function cellsOfTiers({ tiers: [first] }: Tiered, unit: Unit): Cells {
  const cells: Cells = {
    mode: 'tiers',
    input: textOf(first?.input ?? null),
    output: textOf(first?.output ?? null),
    cache: textOf(first?.cache_read ?? null),
    thinking: textOf(first?.output_thinking ?? null),
  };
  return unit === 'price' ? cells : converted(cells, 'ratio');
}

/** What is sent for a changed row: of a price only what was changed. */
export function sentEntry(
  name: string,
  model: HubModel | undefined,
  draft: Draft,
  unit: Unit,
): Partial<Price> & Partial<Words> & { name: string; tiered?: Tiered } {
  const tiered = newTiers(model, draft);
  if (tiered) return { name, mode: 'tiers', tiered, ...draft.words };
  const before = cellsOf(model, unit);
  const read = readCells(draft.cells, unit);
  if (sameCells(before, draft.cells) || !read.ok) return { name, ...draft.words };
  const { mode, price, ratio, completionRatio, thinkingRatio, cacheRatio } = read.price;
  const isSame = (part: Part) =>
    draft.cells[part] === before[part] &&
    before.mode === mode &&
    // Of prices, a ratio changes with the input even when its own cell does not.
    (unit === 'ratio' || draft.cells.input === before.input);
  return {
    name,
    mode,
    price,
    ratio,
    ...(isSame('output') ? {} : { completionRatio }),
    ...(isSame('thinking') ? {} : { thinkingRatio }),
    ...(isSame('cache') ? {} : { cacheRatio }),
    ...draft.words,
  };
}

/** A price that grows or shrinks more than this at once may be a slip of the hand. */
const LEAP = 10;

const leaps = (before: number | null, after: number | null): boolean =>
  before !== null && after !== null && (after > before * LEAP || after * LEAP < before);

/** True when a row's price per token or per call leaps; another way of pricing cannot be compared. */
export function isLeap(before: Cells, after: Cells, unit: Unit): boolean {
  if (before.mode !== after.mode) return false;
  const [old, next] = [preview(before, unit, 1), preview(after, unit, 1)];
  if (old === null || next === null) return false;
  return (['input', 'output', 'thinking'] as const).some((part) => leaps(old[part], next[part]));
}

/** The entries of a JSON table whose number leaps. */
export function leapsIn(before: string, after: string): string[] {
  const table = (text: string): Record<string, unknown> => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null ? { ...value } : {};
    } catch {
      return {};
    }
  };
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  const [old, next] = [table(before), table(after)];
  return Object.keys(next).filter((name) => leaps(number(old[name]), number(next[name])));
}

/** Rows and columns of what a spreadsheet puts on the clipboard; null when it is a single value. */
export function pastedTable(text: string): string[][] | null {
  const rows = text
    .replace(/\r/g, '')
    .split('\n')
    .filter((row) => row.trim() !== '')
    .map((row) => row.split('\t').map((cell) => cell.trim()));
  return rows.length > 1 || (rows[0]?.length ?? 0) > 1 ? rows : null;
}

/** A number as spreadsheets write it: `$1,234.50` → `1234.50`. */
export const pastedNumber = (text: string): string => text.replace(/[$¥,\s]/g, '');

/** `gpt-4o-mini` → gpt, 4o, mini. */
const partsOf = (name: string): string[] => name.toLowerCase().split(/[-_:/.@]/);

/** The priced model whose name begins like this one's, part by part; null when not even the family is the same. */
export function relative(name: string, priced: readonly HubModel[]): HubModel | null {
  const parts = partsOf(name);
  const shared = (other: string): number => {
    const theirs = partsOf(other);
    const differs = parts.findIndex((part, i) => part !== theirs[i]);
    return differs === -1 ? parts.length : differs;
  };
  let best: HubModel | null = null;
  let most = 0;
  for (const model of priced) {
    const length = shared(model.name);
    // Of two that are as near, the plainer one.
    if (length > most || (best && length === most && length > 0 && model.name.length < best.name.length)) {
      best = model;
      most = length;
    }
  }
  return best;
}
