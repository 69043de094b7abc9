/**
 * What a picture, sound or file of a request may be taken for. Upstreams differ in what they go by: the beginning of its
 * bytes, its media type or name, or the field in which it stands. Where these do not agree, it may be all of them.
 */

import type { Text } from '../core/text.ts';
import { urlOf } from '../core/url.ts';
import { firstDigits, textOfBase64 } from './base64.ts';
import { typeOfName } from './media.ts';
import type { MediaSource } from './neutral.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'text' | 'file';

/** How a wire calls the place in which it stands: that of a file tells nothing of what it is. */
export type MediaPlace = 'image' | 'audio' | 'video' | 'file';

/** How files begin, in hexadecimal, and what such a file may be: the first, where it is called none of them. */
const MARKS: readonly [mark: RegExp, kinds: readonly [MediaKind, ...MediaKind[]]][] = [
  // PNG, JPEG, GIF, TIFF of either order, WebP.
  [/^(89504e47|ffd8ff|47494638|49492a00|4d4d002a|52494646.{8}57454250)/, ['image']],
  // HEIF and AVIF: `ftyp` with heic, heix, heim, hevc, hevx, mif1, msf1, avif or avis.
  [/^.{8}66747970(6865(69(63|78|6d)|76(63|78))|6d696631|6d736631|61766966|61766973)/, ['image']],
  // WAV and its large form, FLAC, ID3, AMR, AIFF.
  [/^((52494646|52463634).{8}57415645|664c6143|494433|2321414d52|464f524d.{8}414946)/, ['audio']],
  // Ogg.
  [/^4f676753/, ['audio', 'video']],
  // WebM.
  [/^1a45dfa3/, ['video', 'audio']],
  // AVI, FLV, WMV, MPEG.
  [/^(52494646.{8}41564920|464c5601|3026b2758e66cf11|000001b[3a])/, ['video']],
  // MPEG-TS: packets of 188 bytes, with four of their time before them or without.
  [/^(47.{374}47|.{8}47.{382}47)/, ['video']],
  // PDF.
  [/^25504446/, ['file']],
  // MP4 and QuickTime by ftyp, moov, mdat, free or any other box, over which players step: a length and four letters.
  [/^(0[01].{6}|.{8}(?=66747970|73747970|6d6f6f76|6d6f6f66|6d646174))([2-7][\da-f]){4}/, ['video', 'audio']],
];
/** Enough base64 for the longest mark. */
const MARK_CHARS = 272;

export function kindsOfMedia(
  { mediaType, data }: Extract<MediaSource, { kind: 'data' }>,
  place: MediaPlace,
  name = '',
): ReadonlySet<MediaKind> {
  const typed = kindOfType(mediaType);
  const named = kindOfName(name);
  const called = typed ?? named;
  // Where its name tells more than that it is a file, either of the two is gone by.
  const beside = isTelling(name) ? named : undefined;
  const marked = markedKind(data, called ?? place);
  // Pictures are known by their marks, so that what is marked as it is called is no picture by its place alone. Samples
  // of a sound look like anything, and pictures may move.
  const placed = place === 'file' || (place === 'image' && called === marked) ? undefined : place;
  const kinds = [marked, called, beside, placed].filter((kind) => kind !== undefined);
  return new Set<MediaKind>(kinds.length > 0 ? kinds : [place]);
}

/** Undefined where the bytes begin as none that is known. */
export function markedKind(base64: string, called: MediaKind): MediaKind | undefined {
  const digits = firstDigits(base64, 2 * MARK_CHARS);
  // The last two digits of the alphabet for addresses are blanks to some readers.
  const kinds = markedAs(digits) ?? (/[-_]/.test(digits) ? markedAs(digits.replace(/[-_]/g, '')) : undefined);
  return kinds?.includes(called) ? called : kinds?.[0];
}

function markedAs(digits: string): readonly MediaKind[] | undefined {
  const head = Buffer.from(digits.slice(0, MARK_CHARS), 'base64').toString('hex');
  return MARKS.find(([mark]) => mark.test(head))?.[1];
}

/** Undefined where the type says nothing. Some write the ending of a name instead of one. */
export function kindOfType(mediaType: string): MediaKind | undefined {
  const given = mediaType.trim().toLowerCase();
  const type = given.includes('/') ? given : (typeOfName(given) ?? given);
  if (/^(text\/|application\/json\b)/.test(type)) return 'text';
  if (/^application\/ogg\b/.test(type)) return 'audio';
  if (/^application\/mp4\b/.test(type)) return 'video';
  const family = /^(image|audio|video)(\/|$)/.exec(type)?.[1];
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  return type === '' || /^(application|binary)\/octet-stream\b/.test(type) ? undefined : 'file';
}

/** The text of a file that is text; undefined for any other. */
export const textOfSource = (source: MediaSource): string | undefined =>
  source.kind === 'data' && kindOfType(source.mediaType) === 'text' ? textOfBase64(source.data) : undefined;

/** Endings of pictures, sounds and films, which are known by their bytes, beside those that name a type. */
const BY_BYTES =
  /\.(bmp|heic|heif|avif|tiff?|mp3|wav|m4a|flac|og[ag]|opus|aac|aiff?|amr|avi|flv|wmv|mkv|mpg|3gp)$/i;

/** Undefined where the name has no ending, or one of those. Of any other, a text or a document is read. */
function kindOfName(given: string): MediaKind | undefined {
  const name = given.trim();
  const type = typeOfName(name);
  if (type !== undefined) return kindOfType(type);
  return /\.\w+$/.test(name) && !BY_BYTES.test(name) ? 'file' : undefined;
}

/** Documents that are more than their text, of which none of the types is told by its name. */
const DOCUMENTS = /\.(docx?|dotx|xlsx?|xlsm|pptx?|od[tsp]|rtf|epub|zip)$/i;

const isTelling = (name: string): boolean =>
  typeOfName(name.trim()) !== undefined || DOCUMENTS.test(name.trim());

/** Services that play films to whoever names their pages. */
const FILMS = /(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com|vimeo\.com)\.?$/;

/** Whether what lies at an address is a film, by its type, its name or its host. */
export function isFilmAddress(source: MediaSource): boolean {
  if (source.kind !== 'url') return false;
  if (FILMS.test(urlOf(source.url)?.hostname ?? '')) return true;
  return [source.mediaType, typeOfName(source.url)].some(
    (type) => type !== undefined && kindOfType(type) === 'video',
  );
}

/**
 * Whether what stands elsewhere is a text or a document, which cost the least of all files: by all that its type and the
 * name at its address say. The service keeps documents by their ids, but sounds of earlier answers, too.
 */
export function isDocument(source: MediaSource, place: MediaPlace): boolean {
  if (place === 'audio') return false;
  if (source.kind !== 'url') return true;
  const path = urlOf(source.url)?.pathname ?? '';
  const kinds = [kindOfType(source.mediaType ?? ''), kindOfEnding(path)].filter((kind) => kind !== undefined);
  return kinds.length > 0 && kinds.every((kind) => kind === 'text' || kind === 'file');
}

/** The same of a name whose ending may be that of a sound. */
const kindOfEnding = (name: string): MediaKind | undefined =>
  BY_BYTES.test(name) ? 'audio' : kindOfName(name);

/**
 * Whether what lies at an address is held as one picture: of the web, and neither called nor named as anything else.
 * What is fetched for such an address must be a picture, too.
 */
export function isPictureAddress(source: MediaSource, place: MediaPlace): boolean {
  if (source.kind !== 'url' || place !== 'image' || !/^https?:\/\//i.test(source.url)) return false;
  const url = urlOf(source.url);
  if (!url || FILMS.test(url.hostname)) return false;
  return [source.mediaType, typeOfName(source.url)].every(
    (type) => (type === undefined ? 'image' : (kindOfType(type) ?? 'image')) === 'image',
  );
}

/** Whether it says that it is an address of the web, and is none; some readers make one of it that is not told here. */
export const isNoAddress = (source: MediaSource): boolean =>
  source.kind === 'url' &&
  /^https?:/i.test(source.url) &&
  !(/^https?:\/\/[^/\\]/i.test(source.url) && urlOf(source.url) !== null);

/** Of an address that is none, or that nobody may call. */
export const NOT_FETCHED: Text = {
  zh: '图片或文件的地址不能访问',
  en: 'The address of an image or file cannot be fetched',
};
