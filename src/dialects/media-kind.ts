/** What a picture, sound or file of a request is: by its bytes where they tell, else by its media type. */

import type { Text } from '../core/text.ts';
import { typeOfName } from './media.ts';
import type { MediaSource } from './neutral.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'text' | 'file';

/** How a wire calls the place in which it stands; that counts where nothing else tells. */
export type MediaPlace = 'image' | 'audio' | 'file';

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
  // MP4 by ftyp, styp, moov, moof or mdat; WebM.
  [/^(.{8}(66747970|73747970|6d6f6f76|6d6f6f66|6d646174)|1a45dfa3)/, ['video', 'audio']],
  // AVI, FLV, WMV, MPEG.
  [/^(52494646.{8}41564920|464c5601|3026b2758e66cf11|000001b[3a])/, ['video']],
  // MPEG-TS: packets of 188 bytes, with four of their time before them or without.
  [/^(47.{374}47|.{8}47.{382}47)/, ['video']],
  // PDF.
  [/^25504446/, ['file']],
];
/** Enough base64 for the longest mark. */
const MARK_CHARS = 272;

export function kindOfMedia(source: MediaSource, place: MediaPlace): MediaKind {
  const named = 'mediaType' in source && source.mediaType ? kindOfType(source.mediaType) : undefined;
  if (source.kind !== 'data') return named ?? place;
  const head = Buffer.from(source.data.slice(0, MARK_CHARS), 'base64').toString('hex');
  const kinds = MARKS.find(([mark]) => mark.test(head))?.[1];
  if (!kinds) return named ?? place;
  return kinds.find((kind) => kind === (named ?? place)) ?? kinds[0];
}

/** Undefined where the type says nothing. */
function kindOfType(mediaType: string): MediaKind | undefined {
  const type = mediaType.trim().toLowerCase();
  if (/^(text\/|application\/json\b)/.test(type)) return 'text';
  const family = /^(image|audio|video)\//.exec(type)?.[1];
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  return type === '' || type.startsWith('application/octet-stream') ? undefined : 'file';
}

/** Services that play films to whoever names their pages. */
const FILMS = /(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com|vimeo\.com)$/;

/** Whether what lies at an address is a film, by its type, its name or its host. */
export function isFilmAddress(source: MediaSource): boolean {
  if (source.kind !== 'url') return false;
  if (URL.canParse(source.url) && FILMS.test(new URL(source.url).hostname)) return true;
  return [source.mediaType, typeOfName(source.url)].some(
    (type) => type !== undefined && kindOfType(type) === 'video',
  );
}

/** A field, or the type of a part, that vendors have for films; in words that are quoted it stands behind a backslash. */
const CALLED_FILM = /(?<!\\)"(input_)?video(_ur[li])?"/i;

/** Whether a part in words of one vendor alone is a film by its address. */
export const holdsFilmAddress = (part: string): boolean => CALLED_FILM.test(part) && part.includes('://');

/**
 * Whether what lies at an address is held as one picture: of the web, and neither called nor named as anything else.
 * What is fetched for such an address must be a picture, too.
 */
export function isPictureAddress(source: MediaSource, place: MediaPlace): boolean {
  if (source.kind !== 'url' || place !== 'image' || !/^https?:\/\//i.test(source.url)) return false;
  if (!URL.canParse(source.url) || FILMS.test(new URL(source.url).hostname)) return false;
  return [source.mediaType, typeOfName(source.url)].every(
    (type) => (type === undefined ? 'image' : (kindOfType(type) ?? 'image')) === 'image',
  );
}

/** Whether it says that it is an address of the web, and is none. */
export const isNoAddress = (source: MediaSource): boolean =>
  source.kind === 'url' && /^\s*https?:/i.test(source.url) && !URL.canParse(source.url);

/** Of an address that is none, or that nobody may call. */
export const NOT_FETCHED: Text = {
  zh: '图片或文件的地址不能访问',
  en: 'The address of an image or file cannot be fetched',
};
