/** Boxes of MP4 (ISO/IEC 14496-12): where each stands, and which are stepped into. */
import { type Feed, REST, Untold } from './feed.ts';

/** What is around the outermost boxes, and the name of a description of sound, whatever its codec. */
export const FILE = '';
export const ENTRY = 'entry';

/** Where the boxes stand that say of times, and those that hold them. What has no place nobody writes but to hide it. */
const PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ['moov', [FILE]],
  ['moof', [FILE]],
  ['mdat', [FILE]],
  ['sidx', [FILE]],
  ['hoov', []],
  ['cmov', []],
  ['mvhd', ['moov']],
  ['trak', ['moov']],
  ['mvex', ['moov']],
  ['mehd', ['mvex']],
  ['trex', ['mvex']],
  ['tkhd', ['trak']],
  ['edts', ['trak']],
  ['mdia', ['trak']],
  ['elst', ['edts']],
  ['mdhd', ['mdia']],
  ['minf', ['mdia']],
  ['stbl', ['minf']],
  ['stsd', ['stbl']],
  ['stts', ['stbl']],
  ['ctts', ['stbl']],
  ['stsz', ['stbl']],
  ['stz2', ['stbl']],
  ['stsc', ['stbl']],
  ['stco', ['stbl']],
  ['co64', ['stbl']],
  ['traf', ['moof']],
  ['tfhd', ['traf']],
  ['tfdt', ['traf']],
  ['trun', ['traf']],
]);

/** The same of what says more of a codec. */
const CODEC_PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ['wave', [ENTRY]],
  ['esds', [ENTRY, 'wave']],
  ['dfLa', [ENTRY]],
  ['damr', [ENTRY]],
  ['pcmC', [ENTRY]],
]);
const ANY_PLACED = new RegExp([...PLACES.keys()].join('|'));

/** What holds other boxes in its place, and what readers step into wherever it stands. */
export const HOLDERS: ReadonlySet<string> = new Set([
  ...['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'wave'],
  ...['dinf', 'tref', 'udta', 'ilst', 'sinf', 'schi', 'iprp', 'ipco'],
]);
export const HEAD = 8;
export const LONG_HEAD = 16;
/** Of descriptions of samples; as many bytes are looked through in a step. */
const DESCRIPTIONS_MOST = 65_536;
const BYTES_LOOKED_THROUGH = 64;

/** One that is stepped into: where it ends, and how many boxes it may still have. */
export interface Box {
  name: string;
  end: number;
  entries: number;
}

export const holder = (name: string, end: number, entries = Number.POSITIVE_INFINITY): Box => ({
  name,
  end,
  entries,
});

/** The innermost box that has not ended. Behind its last one may stand less than the head of another. */
export function leave(feed: Feed, boxes: Box[]): Box {
  for (;;) {
    const box = boxes.at(-1) ?? holder(FILE, REST);
    if (feed.position > box.end) throw new Untold();
    if (box.end - feed.position >= HEAD || boxes.length === 1) return box;
    feed.goTo(box.end);
    boxes.pop();
  }
}

/** 0 means the rest of the file, and the end of what users add. */
export function endOf(position: number, size: number, head: number, around: Box): number {
  if (size === 0 && (around.name === FILE || around.name === 'udta')) return around.end;
  if (size < head || position + size > around.end) throw new Untold();
  return position + size;
}

export function isPlaced(name: string, around: Box): boolean {
  const places = PLACES.get(name) ?? CODEC_PLACES.get(name);
  return places === undefined || places.includes(around.name);
}

/** Its boxes begin with its handler; some readers look for that further on. */
export function* entersMeta(feed: Feed, end: number): Generator<void, boolean> {
  if (end - feed.position < HEAD || !(yield* feed.need(12))) return false;
  if (feed.isWord(4, 'hdlr')) return true;
  if (!feed.isWord(8, 'hdlr')) throw new Untold();
  feed.goTo(feed.position + 4);
  return true;
}

/** How many descriptions there are, in which everybody finds other boxes: none of theirs may say of times. */
export function* countOfDescriptions(feed: Feed, end: number): Generator<void, number> {
  const size = end - feed.position;
  if (size < 8 || size > DESCRIPTIONS_MOST || !(yield* feed.need(size))) throw new Untold();
  feed.step(Math.ceil(size / BYTES_LOOKED_THROUGH));
  if (ANY_PLACED.test(feed.word(0, size))) throw new Untold();
  const count = feed.u32(4);
  feed.goTo(feed.position + 8);
  return count;
}

/** What is not known may hold boxes for somebody. */
export function* checkUnknown(feed: Feed, name: string, end: number): Generator<void, void> {
  if (PLACES.has(name) || end - feed.position < HEAD || !(yield* feed.need(HEAD))) return;
  if (PLACES.has(feed.word(4, 4))) throw new Untold();
}
