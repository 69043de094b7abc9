/**
 * Width and height of an image inside a `data:` address, read from the first bytes of its file. A file may tell sizes in
 * several places, of which decoders go by one or another: the largest of them is taken. Where it is not read as decoders
 * read it, nothing is told, and the picture is held as the largest that its model leaves (of one that scales none, as a
 * usual one). So it is beyond the budget of a request, of which each chunk or block takes one mark.
 */
import { MeasuringBudget, OverBudget } from './measuring-budget.ts';

export interface ImageSize {
  width: number;
  height: number;
}

/** Where a JPEG keeps its size after thumbnails and colour profiles; those seldom take more. */
const HEAD_BYTES = 64 * 1024;

/** The size of a PNG, JPEG, GIF or WebP; null for anything else. */
export function imageSizeOf(dataUrl: string, budget = new MeasuringBudget()): ImageSize | null {
  const comma = dataUrl.indexOf(',');
  if (!dataUrl.startsWith('data:') || comma < 0 || budget.left === 0) return null;
  const head = Buffer.from(dataUrl.slice(comma + 1, comma + 1 + Math.ceil((HEAD_BYTES * 4) / 3)), 'base64');
  if (head.length < 30) return null;
  try {
    return sizeIn(head, budget);
  } catch (error) {
    if (error instanceof OverBudget) return null;
    throw error;
  }
}

const sizeIn = (head: Buffer, budget: MeasuringBudget): ImageSize | null =>
  pngSize(head, budget) ?? gifSize(head, budget) ?? webpSize(head, budget) ?? jpegSize(head, budget);

const size = (width: number, height: number): ImageSize | null =>
  width > 0 && height > 0 ? { width, height } : null;

const larger = (one: ImageSize | null, other: ImageSize | null): ImageSize | null =>
  one && other && { width: Math.max(one.width, other.width), height: Math.max(one.height, other.height) };

/** Four letters as the number that they are read as: a text of each would take far longer. */
const word = (letters: string): number => Buffer.from(letters, 'latin1').readUInt32BE();

// ---- PNG (www.w3.org/TR/png-3, 5) ----------------------------------------------------------------------------------

const PNG_MARK = 8;
const PNG_NAME = { head: word('IHDR'), data: word('IDAT'), end: word('IEND') };
/** The length and the name of a chunk stand before its data, and a check sum behind them. */
const PNG_CHUNK_HEAD = 8;
const PNG_CHUNK_EXTRA = 12;

/**
 * The largest that a head tells before the picture begins, of which there should be one; not known where that is not
 * seen. Before a chunk that is made for a single vendor's phones nobody else reads it.
 */
function pngSize(head: Buffer, budget: MeasuringBudget): ImageSize | null {
  if (head.readUInt32BE(0) !== 0x89504e47 || head.readUInt32BE(12) !== PNG_NAME.head) return null;
  let found = size(head.readUInt32BE(16), head.readUInt32BE(20));
  for (let at = PNG_MARK; at + PNG_CHUNK_HEAD <= head.length; ) {
    budget.spend(1);
    const name = head.readUInt32BE(at + 4);
    if (name === PNG_NAME.data || name === PNG_NAME.end) return found;
    if (name === PNG_NAME.head) {
      if (at + 16 > head.length) return null;
      found = larger(found, size(head.readUInt32BE(at + 8), head.readUInt32BE(at + 12)));
    }
    at += head.readUInt32BE(at) + PNG_CHUNK_EXTRA;
  }
  return null;
}

// ---- GIF (www.w3.org/Graphics/GIF/spec-gif89a.txt) -----------------------------------------------------------------

const GIF = word('GIF8');
const GIF_HEAD = 13;
const EXTENSION = 0x21;
const FRAME = 0x2c;
const FRAME_HEAD = 10;

/** Bytes of a table of colours, where the flags say that there is one. */
const coloursIn = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Of its screen, which a frame that is larger makes larger; not known until the first of them is seen. */
function gifSize(head: Buffer, budget: MeasuringBudget): ImageSize | null {
  if (head.readUInt32BE(0) !== GIF) return null;
  let found = size(head.readUInt16LE(6), head.readUInt16LE(8));
  let hasFrame = false;
  let at = GIF_HEAD + coloursIn(head.readUInt8(10));
  while (at + FRAME_HEAD <= head.length) {
    budget.spend(1);
    const kind = head[at];
    if (kind === FRAME) {
      const across = head.readUInt16LE(at + 1) + head.readUInt16LE(at + 5);
      const down = head.readUInt16LE(at + 3) + head.readUInt16LE(at + 7);
      found = larger(found, size(across, down));
      hasFrame = true;
      at += FRAME_HEAD + coloursIn(head[at + 9] ?? 0) + 1;
    } else if (kind === EXTENSION) {
      at += 2;
      // Where there is nothing in it, some read on behind it as if it went on.
      if (head[at] === 0) return null;
    } else break;
    for (let block = head[at] ?? 0; block > 0; block = head[at] ?? 0) {
      budget.spend(1);
      at += block + 1;
    }
    at++;
  }
  return hasFrame ? found : null;
}

// ---- WebP (developers.google.com/speed/webp/docs/riff_container) ---------------------------------------------------

const RIFF = word('RIFF');
const WEBP = word('WEBP');
const WEBP_NAME = { lossy: word('VP8 '), lossless: word('VP8L'), canvas: word('VP8X') };
const WEBP_HEAD = 12;
const CHUNK_HEAD = 8;
/** What decoders refuse where it is not as large as the canvas: layers of a picture, and frames inside of one that moves. */
const OF_CANVAS: ReadonlySet<number> = new Set([word('ALPH'), word('ANMF')]);

/** Of its canvas, where it has one, and of the picture upon it. */
function webpSize(head: Buffer, budget: MeasuringBudget): ImageSize | null {
  if (head.readUInt32BE(0) !== RIFF || head.readUInt32BE(8) !== WEBP) return null;
  let canvas: ImageSize | null = null;
  for (let at = WEBP_HEAD; at + 18 <= head.length; ) {
    budget.spend(1);
    const name = head.readUInt32BE(at);
    const picture = pictureSize(head, at + CHUNK_HEAD, name);
    if (picture !== undefined) return canvas ? larger(canvas, picture) : picture;
    if (at === WEBP_HEAD) {
      if (name !== WEBP_NAME.canvas) return null;
      canvas = size(head.readUIntLE(at + 12, 3) + 1, head.readUIntLE(at + 15, 3) + 1);
    } else if (OF_CANVAS.has(name)) return canvas;
    const bytes = head.readUInt32LE(at + 4);
    at += CHUNK_HEAD + bytes + (bytes % 2);
  }
  return null;
}

/** Undefined of a chunk that is no picture. */
function pictureSize(head: Buffer, at: number, name: number): ImageSize | null | undefined {
  if (name === WEBP_NAME.lossy) {
    if (head.readUIntBE(at + 3, 3) !== 0x9d012a) return null;
    return size(head.readUInt16LE(at + 6) & 0x3fff, head.readUInt16LE(at + 8) & 0x3fff);
  }
  if (name !== WEBP_NAME.lossless) return undefined;
  if (head[at] !== 0x2f) return null;
  const bits = head.readUInt32LE(at + 1);
  return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
}

// ---- JPEG (www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B) ----------------------------------------------------------

const SCAN = 0xda;
/** So many bytes that fill a place take no longer than a mark. */
const FILLED_A_MARK = 256;
/** Below it, and at the beginning and the end of pictures, are markers without a segment, which stand before no frame. */
const FIRST_FRAME = 0xc0;
const isAlone = (marker: number): boolean => marker < FIRST_FRAME || (marker >= 0xd0 && marker <= 0xd9);

/** Start-of-frame markers hold the size; the codes between them that are not frames are tables. */
const isFrameMarker = (marker: number): boolean =>
  marker >= FIRST_FRAME && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** The largest of all frames before the first scan, which is not known while there may be more of them than were seen. */
function jpegSize(head: Buffer, budget: MeasuringBudget): ImageSize | null {
  if (head.readUInt16BE(0) !== 0xffd8) return null;
  let found: ImageSize | null = null;
  for (let at = 2; at + 4 <= head.length; ) {
    budget.spend(1);
    if (head[at] !== 0xff) return null;
    // Any number of them may fill the place before a marker.
    const filled = at;
    while (head[at + 1] === 0xff) at++;
    budget.spend((at - filled) / FILLED_A_MARK);
    if (at + 4 > head.length) return null;
    const marker = head.readUInt8(at + 1);
    const bytes = head.readUInt16BE(at + 2);
    if (marker === SCAN) return found;
    if (isAlone(marker) || bytes < 2) return null;
    if (isFrameMarker(marker)) {
      if (at + 9 > head.length) return null;
      const frame = size(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5));
      // A height of none is told behind the scan.
      if (!frame) return null;
      found = found ? larger(found, frame) : frame;
    }
    at += 2 + bytes;
  }
  return null;
}
