/**
 * How much a model can read of a PDF at the most: its pages, and the letters that they show. Only what is usual is
 * followed; of a file that hides or repeats anything nothing is known (null), because a few hundred bytes of one can be a
 * thousand pages. What a reader may see and this does not would be given away, so that each name which matters must
 * stand in one of its usual forms.
 */
import { MeasuringBudget, OverBudget } from './measuring-budget.ts';
import { PaidBytes } from './paid-bytes.ts';

export interface DocumentSize {
  pages: number;
  /** Bytes of the texts that are shown, of which each may be a letter. */
  shownBytes: number;
}

/** Where the mark of the file must stand (ISO 32000, Annex H). */
const HEAD_BYTES = 1024;

/** A word, and what must stand around it: patterns of a few letters. */
interface Mark {
  word: Buffer;
  before: RegExp;
  behind: RegExp;
}
const bytesOf = (word: string): Buffer => Buffer.from(word, 'latin1');
const name = (word: string, behind = /^(?!\w)/): Mark => ({ word: bytesOf(`/${word}`), before: /$/, behind });
const operator = (word: string): Mark => ({ word: bytesOf(word), before: /(?<!\w)$/, behind: /^(?!\w)/ });

/** What makes a file more than its pages show: locks, forms of another kind, fonts whose letters are drawings with texts. */
const UNUSUAL = [name('Encrypt'), name('XFA'), name('Type3')];
const PICTURE_FILTERS: ReadonlySet<string> = new Set([
  'DCTDecode',
  'JPXDecode',
  'CCITTFaxDecode',
  'JBIG2Decode',
]);

/** Null too when the budget is used up. */
export function pdfSize(file: Buffer, budget = new MeasuringBudget()): DocumentSize | null {
  if (!file.subarray(0, HEAD_BYTES).includes('%PDF-')) return null;
  try {
    return sizeOf(new PaidBytes(file, budget), budget);
  } catch (error) {
    if (error instanceof Unknown || error instanceof OverBudget || isUnpackable(error)) return null;
    throw error;
  }
}

/** Something that is not followed. */
class Unknown extends Error {}
const isUnpackable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

function sizeOf(file: PaidBytes, budget: MeasuringBudget): DocumentSize {
  const { outside, streams } = partsOf(file);
  const packed = streams.filter(({ dictionary }) => has(dictionary, PACKED_OBJECTS)).map(unpack);
  // Everything that is in no stream, and what packed objects hold.
  const objects = named(PaidBytes.joined([...outside, ...packed], budget));
  if (UNUSUAL.some((each) => has(objects, each))) throw new Unknown();
  checkSpoken(objects);
  const pages = pagesIn(objects);
  const known = new Map<string, { shown: number; draws: number }>();
  const contents = referencesIn(objects, CONTENTS);
  const drawn = new Set(contents);
  let shown = shownBytes(objects);
  let ofForms = 0;
  let draws = count(objects, APPEARANCE);
  for (const stream of streams) {
    const kind = kindOf(stream, drawn);
    if (kind === 'other') continue;
    const text = unpack(stream);
    if (kind === 'content') {
      const { shown = 0, draws = 0 } = known.get(stream.number) ?? {};
      known.set(stream.number, { shown: shown + shownBytes(text), draws: draws + count(text, DRAW) });
    } else if (text.find(LETTERS) >= 0) checkLetters(text);
    else if (kind === 'form' || (has(text, BEGIN_TEXT) && SHOW_TEXT.some((each) => has(text, each)))) {
      ofForms += shownBytes(text);
      // One that draws others may do so again and again.
      if (has(text, DRAW)) draws = Number.POSITIVE_INFINITY;
    }
  }
  for (const number of contents) {
    const drawn = known.get(number);
    if (drawn === undefined) throw new Unknown();
    shown += drawn.shown;
    draws += drawn.draws;
  }
  if (ofForms > 0) shown += ofForms * Math.max(draws, 1);
  if (!Number.isSafeInteger(shown)) throw new Unknown();
  return { pages, shownBytes: shown };
}

const PACKED_OBJECTS = name('ObjStm');
const APPEARANCE = name('AP');
const DRAW = operator('Do');
const BEGIN_TEXT = operator('BT');
const SHOW_TEXT = [operator('Tj'), operator('TJ')];
const LETTERS = bytesOf('begincmap');

// ---- Marks ---------------------------------------------------------------------------------------------------------

/** The numbers before an object, and the list of filters of a stream. */
const [BEFORE, BEHIND] = [36, 64];

/** What stands around a word. */
function around(bytes: PaidBytes, word: Buffer, at: number): { before: string; behind: string } {
  const letters = bytes.near(at - BEFORE, BEFORE + word.length + BEHIND);
  const before = Math.min(at, BEFORE);
  return { before: letters.slice(0, before), behind: letters.slice(before + word.length) };
}

/** Where it ends, each time. */
function* endsOf(bytes: PaidBytes, mark: Mark, from = 0): Generator<number> {
  for (const at of bytes.places(mark.word, from)) {
    const { before, behind } = around(bytes, mark.word, at);
    if (mark.before.test(before) && mark.behind.test(behind)) yield at + mark.word.length;
  }
}

const has = (bytes: PaidBytes, mark: Mark): boolean => !endsOf(bytes, mark).next().done;

function count(bytes: PaidBytes, mark: Mark): number {
  let found = 0;
  for (const _ of endsOf(bytes, mark)) found++;
  return found;
}

/** Any character of a name may stand as its number. */
function named(bytes: PaidBytes): PaidBytes {
  const letters: { from: number; to: number; by: number }[] = [];
  for (const from of bytes.places(NUMBER)) {
    const digits = /^[0-9a-f]{2}/i.exec(bytes.near(from + 1, 2))?.[0];
    if (digits) letters.push({ from, to: from + 3, by: Number.parseInt(digits, 16) });
  }
  return bytes.replaced(letters);
}
const NUMBER = bytesOf('#');

// ---- Streams -------------------------------------------------------------------------------------------------------

interface Stream {
  /** Of its object. */
  number: string;
  dictionary: PaidBytes;
  packed: PaidBytes;
}

const STREAM: Mark = { word: bytesOf('stream'), before: /(?<!end)$/, behind: /^[\r\n]/ };
const STREAM_END = bytesOf('endstream');
/** One inside of a stream is there for a reader that looks for it. */
const HIDDEN_OBJECT: Mark = { word: bytesOf(' obj'), before: / \d{1,5}$/, behind: /^(?!\w)/ };

function partsOf(file: PaidBytes): { outside: PaidBytes[]; streams: Stream[] } {
  const outside: PaidBytes[] = [];
  const streams: Stream[] = [];
  let at = 0;
  let from = 0;
  for (;;) {
    const [head] = endsOf(file, STREAM, from);
    if (head === undefined) break;
    const before = file.cut(at, head - STREAM.word.length);
    const start = head + (file.near(head, 2) === '\r\n' ? 2 : 1);
    const end = file.find(STREAM_END, start);
    if (end < 0) throw new Unknown();
    const packed = file.cut(start, end);
    if (has(packed, HIDDEN_OBJECT)) throw new Unknown();
    outside.push(before);
    streams.push({ ...lastObject(before), packed });
    at = end;
    from = end + STREAM_END.length;
  }
  return { outside: [...outside, file.cut(at)], streams };
}

const OBJECT = bytesOf('obj');

/** That to which a stream belongs. */
function lastObject(bytes: PaidBytes): Omit<Stream, 'packed'> {
  for (let at = bytes.findLast(OBJECT); at >= 0; at = bytes.findLast(OBJECT, at)) {
    const { before, behind } = around(bytes, OBJECT, at);
    const number = /(?<!\d)(\d{1,10})\s{1,9}\d{1,5}\s{1,9}$/.exec(before)?.[1];
    if (number === undefined || /^\w/.test(behind)) continue;
    return { number, dictionary: named(bytes.cut(at + OBJECT.length)) };
  }
  throw new Unknown();
}

function unpack({ dictionary, packed }: Stream): PaidBytes {
  const filters = filtersOf(dictionary);
  if (PARAMETERS.some((each) => has(dictionary, each))) throw new Unknown();
  if (filters.length === 0) return packed;
  if (filters.length > 1 || filters[0] !== 'FlateDecode') throw new Unknown();
  return packed.unpacked();
}
const PARAMETERS = [name('DecodeParms'), name('DP')];

/** A real list has one or two: one that is longer than what is looked at is followed no more than any that is unusual. */
function filtersOf(dictionary: PaidBytes): string[] {
  const [end, ...more] = endsOf(dictionary, FILTER);
  if (end === undefined) return [];
  const list = /^ilter\s*(\/\w+|\[[\s\w/]*\])/.exec(dictionary.near(end, BEHIND))?.[1];
  if (list === undefined || more.length > 0) throw new Unknown();
  return Array.from(list.matchAll(/\w+/g), ([filter]) => filter);
}
const FILTER = name('F', /^(ilter)?(?!\w)/);

type Kind = 'content' | 'form' | 'unnamed' | 'other';

/** What is drawn, and what has no name and may be a table of letters; pictures, fonts and the like show no texts. */
function kindOf({ number, dictionary }: Stream, drawn: ReadonlySet<string>): Kind {
  if (drawn.has(number)) return 'content';
  if (has(dictionary, FORM)) return 'form';
  const [filter, ...more] = filtersOf(dictionary);
  if (filter !== undefined && more.length === 0 && PICTURE_FILTERS.has(filter)) return 'other';
  return TEXTLESS.some((each) => has(dictionary, each)) ? 'other' : 'unnamed';
}

const FORM = name('Form');
const TEXTLESS = [
  name('Subtype', /^\s*\/(Image|Type1C|CIDFontType0C|OpenType|XML)\b/),
  name('Type', /^\s*\/(XRef|ObjStm|Metadata|EmbeddedFile)\b/),
  name('Length1'),
  name('Alternate'),
  name('FunctionType'),
  name('ShadingType'),
  name('N', /^\s+[134]\b/),
];

// ---- Objects -------------------------------------------------------------------------------------------------------

/** Of a note, its words; of a page, what it draws. */
const CONTENTS = name('Contents', /^(?![A-Za-z])/);
const KIDS = name('Kids', /^(?![A-Za-z])/);
const REFERENCE = /^\s*(\d+)\s+\d+\s+R\b/;

/** Objects that this name refers to, each time that it does. */
function referencesIn(objects: PaidBytes, name: typeof CONTENTS | typeof KIDS): string[] {
  return Array.from(endsOf(objects, name)).flatMap((end) => {
    const next = objects.near(end, BEHIND);
    const list = /^\s*\[/.exec(next)?.[0];
    if (list !== undefined) return listAt(objects, end + list.length);
    if (name === KIDS) throw new Unknown();
    const number = REFERENCE.exec(next)?.[1];
    if (number === undefined && !/^\s*[(<]/.test(next)) throw new Unknown();
    return number ?? [];
  });
}

function listAt(objects: PaidBytes, begin: number): string[] {
  const numbers: string[] = [];
  for (let at = begin; ; ) {
    const next = objects.near(at, BEHIND);
    const [reference, number] = REFERENCE.exec(next) ?? [];
    if (reference === undefined || number === undefined) {
      if (/^\s*\]/.test(next)) return numbers;
      throw new Unknown();
    }
    numbers.push(number);
    at += reference.length;
  }
}

function pagesIn(objects: PaidBytes): number {
  const kids = referencesIn(objects, KIDS);
  // One that stands there twice may hold others.
  if (new Set(kids).size < kids.length) throw new Unknown();
  return Math.max(kids.length, count(objects, PAGE), 1);
}
const PAGE = name('Page', /^(?![A-Za-z])/);

/** What is read instead of what is shown: a letter or a word, and no more. */
const SPOKEN = [name('ActualText', /^\s*([(<]|$)/), name('E', /^\s*([(<]|$)/)];
const SPOKEN_MOST = 64;

function checkSpoken(objects: PaidBytes): void {
  for (const end of SPOKEN.flatMap((name) => Array.from(endsOf(objects, name)))) {
    const said = /^[^)>]*/.exec(objects.near(end, 4 * SPOKEN_MOST))?.[0] ?? '';
    if (shownBytes(objects.cut(end, end + said.length)) > SPOKEN_MOST) throw new Unknown();
  }
}

/** Letters that a code stands for: one, or a few that are written as one. */
const LETTERS_MOST = 16;
const LONG_LETTERS_MOST = 64;

function checkLetters(table: PaidBytes): void {
  let long = 0;
  for (const at of table.places(LESS_THAN)) {
    const digits = /^[0-9a-f\s]*/i.exec(table.near(at + 1, LETTERS_MOST + 1))?.[0].length ?? 0;
    if (digits > LETTERS_MOST / 2) long++;
    if (digits > LETTERS_MOST || long > LONG_LETTERS_MOST) throw new Unknown();
  }
}
const LESS_THAN = bytesOf('<');

const [OPEN, CLOSE, ESCAPE, LESS, MORE] = [0x28, 0x29, 0x5c, 0x3c, 0x3e];

/** Bytes of all texts in brackets and in hexadecimal. */
function shownBytes(bytes: PaidBytes): number {
  let shown = 0;
  let depth = 0;
  let digits = -1;
  let isPassed = false;
  bytes.walk((code, next) => {
    if (isPassed) isPassed = false;
    else if (depth > 0) {
      if (code === ESCAPE) isPassed = true;
      else if (code === OPEN) depth++;
      else if (code === CLOSE) depth--;
      shown++;
    } else if (digits >= 0) {
      if (code === MORE) {
        shown += Math.ceil(digits / 2);
        digits = -1;
      } else digits++;
    } else if (code === OPEN) depth = 1;
    else if (code === LESS) {
      if (next === LESS) isPassed = true;
      else digits = 0;
    }
  });
  return shown + Math.ceil(Math.max(digits, 0) / 2);
}
