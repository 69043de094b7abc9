/**
 * How much a model can read of a PDF at the most: its pages, and the letters that they show. Only what is usual is
 * followed; of a file that hides or repeats anything nothing is known (null), because a few hundred bytes of one can be a
 * thousand pages. What a reader may see and this does not would be given away, so that each name which matters must
 * stand in one of its usual forms.
 */
import { constants, inflateSync } from 'node:zlib';
import { MeasuringBudget, OverBudget } from './measuring-budget.ts';

export interface DocumentSize {
  pages: number;
  /** Bytes of the texts that are shown, of which each may be a letter. */
  shownBytes: number;
}

/** Unpacking and looking through so many bytes takes as long as looking at one mark does. */
const UNPACKED_A_MARK = 64;
/** Where the mark of the file must stand (ISO 32000, Annex H). */
const HEAD_BYTES = 1024;

interface Stream {
  /** Of its object. */
  number: string;
  dictionary: string;
  packed: Buffer;
}

/** What makes a file more than its pages show: locks, forms of another kind, fonts whose letters are drawings with texts. */
const UNUSUAL = /\/(Encrypt|XFA)\b|\/Subtype\s*\/Type3\b/;
const PICTURE_FILTERS: ReadonlySet<string> = new Set([
  'DCTDecode',
  'JPXDecode',
  'CCITTFaxDecode',
  'JBIG2Decode',
]);

/** Null too when the budget is used up. */
export function pdfSize(file: Buffer, budget = new MeasuringBudget()): DocumentSize | null {
  const text = file.toString('latin1');
  if (!text.slice(0, HEAD_BYTES).includes('%PDF-')) return null;
  try {
    return new Reader(file, text, budget).size();
  } catch (error) {
    if (error instanceof Unknown || error instanceof OverBudget || isUnpackable(error)) return null;
    throw error;
  }
}

/** Something that is not followed. */
class Unknown extends Error {}
const isUnpackable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

class Reader {
  /** Everything that is in no stream, and what packed objects hold. */
  readonly #objects: string;
  readonly #streams: Stream[];

  constructor(
    file: Buffer,
    text: string,
    readonly budget: MeasuringBudget,
  ) {
    const { outside, streams } = partsOf(file, text, budget);
    this.#streams = streams;
    const packed = streams.filter(({ dictionary }) => /\/Type\s*\/ObjStm\b/.test(named(dictionary, budget)));
    this.#objects = named([outside, ...packed.map((stream) => this.#unpack(stream))].join('\n'), budget);
  }

  size(): DocumentSize {
    const objects = this.#objects;
    const { budget } = this;
    if (UNUSUAL.test(objects)) throw new Unknown();
    checkSpoken(objects, budget);
    const pages = pagesIn(objects, budget);
    const known = new Map<string, { shown: number; draws: number }>();
    const contents = referencesIn(objects, CONTENTS, budget);
    const drawn = new Set(contents);
    let shown = shownBytes(objects);
    let ofForms = 0;
    let draws = count(objects, /\/AP\b/g, budget);
    for (const stream of this.#streams) {
      const kind = kindOf(stream, drawn, budget);
      if (kind === 'other') continue;
      const text = this.#unpack(stream);
      if (kind === 'content') {
        const { shown = 0, draws = 0 } = known.get(stream.number) ?? {};
        known.set(stream.number, {
          shown: shown + shownBytes(text),
          draws: draws + count(text, /\bDo\b/g, budget),
        });
      } else if (text.includes('begincmap')) checkLetters(text, budget);
      else if (kind === 'form' || (/\bBT\b/.test(text) && /\bT[jJ]\b/.test(text))) {
        ofForms += shownBytes(text);
        // One that draws others may do so again and again.
        if (/\bDo\b/.test(text)) draws = Number.POSITIVE_INFINITY;
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

  #unpack({ dictionary, packed }: Stream): string {
    const { budget } = this;
    const filters = filtersOf(dictionary, budget);
    if (/\/(DecodeParms|DP)\b/.test(named(dictionary, budget))) throw new Unknown();
    if (filters.length === 0) return packed.toString('latin1');
    if (filters.length > 1 || filters[0] !== 'FlateDecode') throw new Unknown();
    // What does not fit has been unpacked too.
    const most = budget.left * UNPACKED_A_MARK;
    const unpacked = inflated(packed, most);
    budget.spend(unpacked === null ? budget.left + 1 : Math.ceil(unpacked.length / UNPACKED_A_MARK));
    return unpacked?.toString('latin1') ?? '';
  }
}

/** Null where there is more than `most`. */
function inflated(packed: Buffer, most: number): Buffer | null {
  if (most <= 0) return null;
  try {
    // Ends of lines may follow.
    return inflateSync(packed, { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

/** Any character of a name may stand as its number. */
function named(text: string, budget: MeasuringBudget): string {
  // `replace` looks for all of them before it gives the first.
  if (marksIn(text, BY_NUMBER, budget).length === 0) return text;
  return text.replace(BY_NUMBER, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
const BY_NUMBER = /#([0-9a-f]{2})/gi;

/** One costs so much more than a mark, for its dictionary is read several times. */
const MARKS_A_STREAM = 8;

const STREAM = /(?<!end)stream(?:\r\n|\n|\r)/g;
/** Its numbers are short: a file of nothing but figures is looked through once. */
const OBJECT = /(?<!\d)(\d{1,10})\s{1,9}\d{1,5}\s{1,9}obj\b/g;

function partsOf(
  file: Buffer,
  text: string,
  budget: MeasuringBudget,
): { outside: string; streams: Stream[] } {
  const pieces: string[] = [];
  const streams: Stream[] = [];
  let at = 0;
  STREAM.lastIndex = 0;
  for (let found = STREAM.exec(text); found; found = STREAM.exec(text)) {
    const before = text.slice(at, found.index);
    pieces.push(before);
    const start = found.index + found[0].length;
    const end = text.indexOf('endstream', start);
    budget.spend(MARKS_A_STREAM);
    const object = marksIn(before, OBJECT, budget).at(-1);
    // An object inside of a stream is there for a reader that looks for it.
    if (end < 0 || !object?.[1] || / \d{1,5} obj\b/.test(text.slice(start, end))) throw new Unknown();
    const dictionary = before.slice(object.index + object[0].length);
    streams.push({ number: object[1], dictionary, packed: file.subarray(start, end) });
    at = end;
    STREAM.lastIndex = end + 'endstream'.length;
  }
  pieces.push(text.slice(at));
  return { outside: pieces.join('\n'), streams };
}

function filtersOf(dictionary: string, budget: MeasuringBudget): string[] {
  const text = named(dictionary, budget);
  if (!/\/(Filter|F)\b/.test(text)) return [];
  const found = /\/Filter\s*(\/\w+|\[(?:\s*\/\w+)*\s*\])/.exec(text)?.[1];
  if (found === undefined || count(text, /\/(Filter|F)\b/g, budget) !== 1) throw new Unknown();
  return Array.from(found.matchAll(/\w+/g), ([name]) => name);
}

type Kind = 'content' | 'form' | 'unnamed' | 'other';

/** What is drawn, and what has no name and may be a table of letters; pictures, fonts and the like show no texts. */
function kindOf({ number, dictionary }: Stream, drawn: ReadonlySet<string>, budget: MeasuringBudget): Kind {
  if (drawn.has(number)) return 'content';
  const text = named(dictionary, budget);
  if (/\/Subtype\s*\/Form\b/.test(text)) return 'form';
  const [filter, ...more] = filtersOf(dictionary, budget);
  if (filter !== undefined && more.length === 0 && PICTURE_FILTERS.has(filter)) return 'other';
  return NAMED.test(text) ? 'other' : 'unnamed';
}

const NAMED =
  /\/Length1\b|\/Subtype\s*\/(Image|Type1C|CIDFontType0C|OpenType|XML)\b|\/Type\s*\/(XRef|ObjStm|Metadata|EmbeddedFile)\b|\/(Alternate|FunctionType|ShadingType)\b|\/N\s+[134]\b/;

const REFERENCES = String.raw`(?:\s*\d+\s+\d+\s+R\b)*\s*`;
/** Of a note, its words; of a page, what it draws. */
const CONTENTS = new RegExp(String.raw`^\s*(?:\d+\s+\d+\s+R\b|\[${REFERENCES}\]|[(<])`);
const KIDS = new RegExp(String.raw`^\s*\[${REFERENCES}\]`);

/** Objects that this name refers to, each time that it does. */
function referencesIn(
  objects: string,
  form: typeof CONTENTS | typeof KIDS,
  budget: MeasuringBudget,
): string[] {
  const name = form === KIDS ? /\/Kids(?![A-Za-z])/g : /\/Contents(?![A-Za-z])/g;
  return marksIn(objects, name, budget).flatMap(({ index, 0: whole }) => {
    const said = form.exec(objects.slice(index + whole.length, index + whole.length + LIST_CHARS))?.[0];
    if (said === undefined) throw new Unknown();
    return marksIn(said, /(\d+)\s+\d+\s+R/g, budget).map(([, number = '']) => number);
  });
}

/** A list of ten thousand references. */
const LIST_CHARS = 128 * 1024;

function pagesIn(objects: string, budget: MeasuringBudget): number {
  const kids = referencesIn(objects, KIDS, budget);
  // One that stands there twice may hold others.
  if (new Set(kids).size < kids.length) throw new Unknown();
  return Math.max(kids.length, count(objects, /\/Type\s*\/Page(?![A-Za-z])/g, budget), 1);
}

const count = (text: string, what: RegExp, budget: MeasuringBudget): number =>
  marksIn(text, what, budget).length;

function marksIn(text: string, what: RegExp, budget: MeasuringBudget): RegExpExecArray[] {
  const marks: RegExpExecArray[] = [];
  for (const mark of text.matchAll(what)) {
    budget.spend(1);
    marks.push(mark);
  }
  return marks;
}

/** What is read instead of what is shown: a letter or a word, and no more. */
const SPOKEN = /\/(?:ActualText|E)\s*(?=[(<])/g;
const SPOKEN_MOST = 64;

function checkSpoken(objects: string, budget: MeasuringBudget): void {
  for (const { index, 0: whole } of marksIn(objects, SPOKEN, budget)) {
    const literal = objects.slice(index + whole.length, index + whole.length + 4 * SPOKEN_MOST);
    if (shownBytes(literal.replace(/[)>][\s\S]*$/, ')')) > SPOKEN_MOST) throw new Unknown();
  }
}

/** Letters that a code stands for: one, or a few that are written as one. */
const LETTERS_MOST = 16;
const LONG_LETTERS_MOST = 64;

function checkLetters(table: string, budget: MeasuringBudget): void {
  const lengths = marksIn(table, /<([0-9a-f\s]*)>/gi, budget).map(([, digits = '']) => digits.length);
  const isUsual = lengths.every((length) => length <= LETTERS_MOST);
  if (!isUsual || lengths.filter((length) => length > LETTERS_MOST / 2).length > LONG_LETTERS_MOST) {
    throw new Unknown();
  }
}

const [OPEN, CLOSE, ESCAPE, LESS, MORE] = [0x28, 0x29, 0x5c, 0x3c, 0x3e];

/** Bytes of all texts in brackets and in hexadecimal. */
function shownBytes(text: string): number {
  let shown = 0;
  let depth = 0;
  let digits = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (depth > 0) {
      if (code === ESCAPE) at++;
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
      if (text.charCodeAt(at + 1) === LESS) at++;
      else digits = 0;
    }
  }
  return shown + Math.ceil(Math.max(digits, 0) / 2);
}
