/**
 * How much a model can read of a PDF at the most: its pages, and the letters that they show. Only what is usual is
 * followed; of a file that hides or repeats anything nothing is known (null), because a few hundred bytes of one can be a
 * thousand pages. What a reader may see and this does not would be given away, so that each name which matters must
 * stand in one of its usual forms.
 */
import { constants, inflateSync } from 'node:zlib';

export interface DocumentSize {
  pages: number;
  /** Bytes of the texts that are shown, of which each may be a letter. */
  shownBytes: number;
}

/** Of all streams that hold structure or texts, unpacked: long books have so much, and it takes some ten milliseconds. */
const UNPACKED_MOST = 4 * 1024 * 1024;
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

export function pdfSize(file: Buffer): DocumentSize | null {
  const text = file.toString('latin1');
  if (!text.slice(0, HEAD_BYTES).includes('%PDF-')) return null;
  try {
    return new Reader(file, text).size();
  } catch (error) {
    if (error instanceof Unknown || isUnpackable(error)) return null;
    throw error;
  }
}

/** Something that is not followed. */
class Unknown extends Error {}
const isUnpackable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code));

class Reader {
  /** Everything that is in no stream, and what packed objects hold. */
  readonly #objects: string;
  readonly #streams: Stream[];
  #left = UNPACKED_MOST;

  constructor(file: Buffer, text: string) {
    const { outside, streams } = partsOf(file, text);
    this.#streams = streams;
    const packed = streams.filter(({ dictionary }) => /\/Type\s*\/ObjStm\b/.test(named(dictionary)));
    this.#objects = named([outside, ...packed.map((stream) => this.#unpack(stream))].join('\n'));
  }

  size(): DocumentSize {
    const objects = this.#objects;
    if (UNUSUAL.test(objects)) throw new Unknown();
    checkSpoken(objects);
    const pages = pagesIn(objects);
    const known = new Map<string, { shown: number; draws: number }>();
    const contents = referencesIn(objects, CONTENTS);
    const drawn = new Set(contents);
    let shown = shownBytes(objects);
    let ofForms = 0;
    let draws = count(objects, /\/AP\b/g);
    for (const stream of this.#streams) {
      const kind = kindOf(stream, drawn);
      if (kind === 'other') continue;
      const text = this.#unpack(stream);
      if (kind === 'content') {
        const { shown = 0, draws = 0 } = known.get(stream.number) ?? {};
        known.set(stream.number, {
          shown: shown + shownBytes(text),
          draws: draws + count(text, /\bDo\b/g),
        });
      } else if (text.includes('begincmap')) checkLetters(text);
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
    const filters = filtersOf(dictionary);
    if (/\/(DecodeParms|DP)\b/.test(named(dictionary))) throw new Unknown();
    if (filters.length === 0) return packed.toString('latin1');
    if (filters.length > 1 || filters[0] !== 'FlateDecode' || this.#left <= 0) throw new Unknown();
    // Ends of lines may follow.
    const unpacked = inflateSync(packed, {
      maxOutputLength: this.#left,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    this.#left -= unpacked.length;
    return unpacked.toString('latin1');
  }
}

/** Any character of a name may stand as its number. */
const named = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

const STREAM = /(?<!end)stream(?:\r\n|\n|\r)/g;
/** Its numbers are short: a file of nothing but figures is looked through once. */
const OBJECT = /(?<!\d)(\d{1,10})\s{1,9}\d{1,5}\s{1,9}obj\b/g;

function partsOf(file: Buffer, text: string): { outside: string; streams: Stream[] } {
  const pieces: string[] = [];
  const streams: Stream[] = [];
  let at = 0;
  STREAM.lastIndex = 0;
  for (let found = STREAM.exec(text); found; found = STREAM.exec(text)) {
    const before = text.slice(at, found.index);
    pieces.push(before);
    const start = found.index + found[0].length;
    const end = text.indexOf('endstream', start);
    const object = [...before.matchAll(OBJECT)].at(-1);
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

function filtersOf(dictionary: string): string[] {
  const text = named(dictionary);
  if (!/\/(Filter|F)\b/.test(text)) return [];
  const found = /\/Filter\s*(\/\w+|\[(?:\s*\/\w+)*\s*\])/.exec(text)?.[1];
  if (found === undefined || count(text, /\/(Filter|F)\b/g) !== 1) throw new Unknown();
  return Array.from(found.matchAll(/\w+/g), ([name]) => name);
}

type Kind = 'content' | 'form' | 'unnamed' | 'other';

/** What is drawn, and what has no name and may be a table of letters; pictures, fonts and the like show no texts. */
function kindOf({ number, dictionary }: Stream, drawn: ReadonlySet<string>): Kind {
  if (drawn.has(number)) return 'content';
  const text = named(dictionary);
  if (/\/Subtype\s*\/Form\b/.test(text)) return 'form';
  const [filter, ...more] = filtersOf(dictionary);
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
function referencesIn(objects: string, form: typeof CONTENTS | typeof KIDS): string[] {
  const name = form === KIDS ? /\/Kids(?![A-Za-z])/g : /\/Contents(?![A-Za-z])/g;
  return Array.from(objects.matchAll(name), ({ index, 0: whole }) => {
    const said = form.exec(objects.slice(index + whole.length, index + whole.length + LIST_CHARS))?.[0];
    if (said === undefined) throw new Unknown();
    return Array.from(said.matchAll(/(\d+)\s+\d+\s+R/g), ([, number = '']) => number);
  }).flat();
}

/** A list of ten thousand references. */
const LIST_CHARS = 128 * 1024;

function pagesIn(objects: string): number {
  const kids = referencesIn(objects, KIDS);
  // One that stands there twice may hold others.
  if (new Set(kids).size < kids.length) throw new Unknown();
  return Math.max(kids.length, count(objects, /\/Type\s*\/Page(?![A-Za-z])/g), 1);
}

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** What is read instead of what is shown: a letter or a word, and no more. */
const SPOKEN = /\/(?:ActualText|E)\s*(?=[(<])/g;
const SPOKEN_MOST = 64;

function checkSpoken(objects: string): void {
  for (const { index, 0: whole } of objects.matchAll(SPOKEN)) {
    const literal = objects.slice(index + whole.length, index + whole.length + 4 * SPOKEN_MOST);
    if (shownBytes(literal.replace(/[)>][\s\S]*$/, ')')) > SPOKEN_MOST) throw new Unknown();
  }
}

/** Letters that a code stands for: one, or a few that are written as one. */
const LETTERS_MOST = 16;
const LONG_LETTERS_MOST = 64;

function checkLetters(table: string): void {
  const lengths = Array.from(table.matchAll(/<([0-9a-f\s]*)>/gi), ([, digits = '']) => digits.length);
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
