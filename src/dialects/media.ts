/** Images, sounds and files as wires name them: data URLs, media types, formats. */
import { isUtf8 } from 'node:buffer';
import { isObject } from '../core/json.ts';
import { own } from '../core/own.ts';
import type { Text } from '../core/text.ts';
import { isBase64, isSpacedDigits, mayBeName } from './base64.ts';
import { refuse } from './bounds.ts';
import type { MediaSource } from './neutral.ts';

/** Buckets are read by Google's services alone; whoever else gets such an address refuses it. */
const SCHEMES = new Set(['http', 'https', 'data', 'gs']);

/** Whatever reads addresses passes over these in front of one and in its beginning. */
export const UNSEEN = /[^\x21-\x7e]+/g;
const isSeen = (code: number): boolean => code >= 0x21 && code <= 0x7e;
const COLON = 0x3a;
const SCHEME = /^[a-z][a-z0-9+.-]*$/i;
const SCHEME_CHARS = 32;

/** The beginning of an address. */
export interface Address {
  /** In small letters. */
  scheme: string;
  /** What stands behind it. */
  rest: string;
}

/**
 * Undefined where there is none: base64 has no colon. Megabytes may be passed over here, so that it is done in one pass
 * and whoever asks several things of an address hands this on.
 */
export function schemeOf(given: string): Address | undefined {
  let scheme = '';
  for (let at = 0; at < given.length; at++) {
    const code = given.charCodeAt(at);
    if (!isSeen(code)) continue;
    if (code === COLON) {
      return SCHEME.test(scheme) ? { scheme: scheme.toLowerCase(), rest: given.slice(at + 1) } : undefined;
    }
    if (scheme.length === SCHEME_CHARS) return undefined;
    scheme += given.charAt(at);
  }
  return undefined;
}

/** Whether it is one of a kind that is taken. */
export const isTaken = (address: Address | undefined): address is Address =>
  SCHEMES.has(address?.scheme ?? '');

/** Whether it is an address of a kind that is taken, and no base64. */
export const isAddress = (given: string): boolean => isTaken(schemeOf(given));

/** Throws `invalid_request` for an address in a field that an upstream might read from its own disk or network. */
export function checkAddress(url: string, field = 'url'): void {
  const fault = schemeFault(schemeOf(url));
  if (fault) throw refuse(field, fault);
}

/** The same for one made for addresses, in which base64 is taken, too, and a path is not. */
export function checkWebAddress(url: string, field = 'url'): void {
  const address = schemeOf(url);
  const fault = schemeFault(address) ?? (!address && isPath(url) ? NO_ADDRESS : null);
  if (fault) throw refuse(field, fault);
}

const schemeFault = (address: Address | undefined): Text | null =>
  !address || SCHEMES.has(address.scheme)
    ? null
    : {
        zh: `不支持 ${address.scheme} 地址`,
        en: `addresses of the scheme '${address.scheme}' are not taken`,
      };

/** Whether it is neither an address nor base64: servers of open models open files of their own by such names. */
function isPath(url: string): boolean {
  if (!isSpacedDigits(url)) return true;
  const name = url.trim();
  return mayBeName(name) && name.includes('/') && !SMALL_MEDIA.test(name);
}

/** How GIF and RIFF begin in base64: alone of all media these have files as short as a name. */
const SMALL_MEDIA = /^(R0lGOD|UklGR)/;

const NO_ADDRESS: Text = {
  zh: '应为 http(s) 地址或 base64 数据',
  en: 'an http(s) address or base64 is expected',
};

/** Names of fields in which calls about pictures keep addresses; proxies that draw fetch those in place of base64, too. */
const PICTURE_FIELDS = new Set([
  ...['image', 'images', 'image_url', 'image_urls', 'mask', 'url', 'link'],
  ...['base64', 'base64Array', 'maskBase64', 'sourceBase64', 'targetBase64', 'sourceUrl', 'targetUrl'],
]);

/** One of the checks above for every address of a picture that stands somewhere in a value. */
export function checkPictures(value: unknown, check: typeof checkAddress, field = ''): void {
  if (typeof value === 'string') {
    if (PICTURE_FIELDS.has(field)) check(value, field);
  } else if (Array.isArray(value)) for (const each of value) checkPictures(each, check, field);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value)) checkPictures(each, check, name);
}

const OCTETS = 'application/octet-stream';

/**
 * The source that an address means, as whatever reads addresses understands it: every test of it, every measure and
 * every writer goes by this reading. `mediaType` serves where the address names none. Throws `invalid_request` for a data
 * URL that cannot be read, and for an address that is none of the web. Some services take bytes in its place.
 */
export function sourceOfUrl(url: string, mediaType?: string, field = 'url'): MediaSource {
  const read = readUrl(url, mediaType);
  if ('kind' in read) return read;
  throw refuse(field, read);
}

/** Undefined where it cannot be read: of what may be a text nothing is refused, and there may be very many of them. */
export function likelySource(url: string, mediaType: string): MediaSource | undefined {
  const read = readUrl(url, mediaType);
  return 'kind' in read ? read : undefined;
}

/** Or what is wrong with it. */
function readUrl(url: string, mediaType: string | undefined): MediaSource | Text {
  const address = schemeOf(url);
  if (address?.scheme === 'data') return dataIn(address.rest, mediaType);
  const fault = schemeFault(address);
  if (fault) return fault;
  if (!address && isBase64(url)) return { kind: 'data', mediaType: mediaType ?? OCTETS, data: url };
  const read = plainAddress(url, address);
  return mediaType === undefined ? { kind: 'url', url: read } : { kind: 'url', url: read, mediaType };
}

/** Of an address or of base64; where it is neither, a file that somebody else keeps. */
export function sourceIn(given: unknown, mediaType: string): MediaSource {
  if (typeof given !== 'string') return { kind: 'file', id: '' };
  return schemeOf(given) ? sourceOfUrl(given, mediaType) : { kind: 'data', mediaType, data: given };
}

/** Of a picture, which is called nothing where its address does not tell what it is. */
export function pictureIn(given: string, field: string): MediaSource {
  checkWebAddress(given, field);
  const source = sourceIn(given, 'image/png');
  return source.kind === 'url' ? sourceOfUrl(given, typeOfName(source.url)) : source;
}

/** Of a film, which is called one where its address does not tell. */
export function filmIn(given: string, field: string): MediaSource {
  checkWebAddress(given, field);
  const source = sourceIn(given, 'video/mp4');
  if (source.kind !== 'url') return source;
  const named = typeOfName(source.url);
  return named?.startsWith('video/') ? { ...source, mediaType: named } : source;
}

/** Of a file that a field for addresses names. */
export function fileIn(given: string, mediaType: string | undefined, field: string): MediaSource {
  checkWebAddress(given, field);
  return sourceOfUrl(given, mediaType, field);
}

/** Without what readers leave out of an address (WHATWG's URL standard, 4.4), and plain up to its scheme. */
export function plainAddress(url: string, address = schemeOf(url)): string {
  const isSchemePlain = !address || url.length === `${address.scheme}:${address.rest}`.length;
  if (isSchemePlain && !/^[^\x21-\x7e]|[\t\n\r]|[\0-\x20]$/.test(url)) return url;
  return (address ? `${address.scheme}:${address.rest}` : url)
    .replace(/[\t\n\r]+/g, '')
    .replace(/^[^\x21-\x7e]+/, '')
    .trimEnd();
}

/** What stands in a data URL behind its scheme, or what is wrong with it. */
function dataIn(rest: string, likelyType: string | undefined): MediaSource | Text {
  const comma = rest.indexOf(',');
  if (comma < 0) return UNREADABLE;
  const head = rest.slice(0, comma).replace(UNSEEN, '');
  const [named] = head.split(';', 1);
  const mediaType = named || (likelyType ?? OCTETS);
  const body = rest.slice(comma + 1);
  // Some readers take whatever stands there for base64, and some do not know that it may be escaped.
  if (IN_BASE64.test(head)) {
    return body.includes('%') ? UNREADABLE : { kind: 'data', mediaType, data: body };
  }
  if (!/^text\//i.test(mediaType)) return UNREADABLE;
  const text = unescaped(body);
  if (!text) return { zh: '数据地址编码有误', en: 'the data URL is not well encoded' };
  return { kind: 'data', mediaType, data: text.toString('base64') };
}

/** Of the head of a data URL, without what cannot be seen. */
export const IN_BASE64 = /;base64(?:;|$)/i;

const UNREADABLE: Text = {
  zh: '数据地址应以 base64 编码',
  en: 'a data URL with base64 is expected',
};

const PERCENT = 0x25;

/** As `decodeURIComponent` reads it, but null and no exception where it cannot be: that takes ten times as long. */
function unescaped(text: string): Buffer | null {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] ?? 0;
    if (byte === PERCENT) {
      byte = hexOf(bytes[++at]) * 16 + hexOf(bytes[++at]);
      if (Number.isNaN(byte)) return null;
    }
    bytes[length++] = byte;
  }
  const read = bytes.subarray(0, length);
  return isUtf8(read) ? read : null;
}

/** NaN where it is no hexadecimal digit. */
function hexOf(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : Number.NaN;
}

/** The address of a source; undefined for a file that only its keeper can name. */
export function urlOfSource(source: MediaSource): string | undefined {
  if (source.kind === 'file') return undefined;
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

const AUDIO_TYPES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  opus: 'audio/opus',
  ogg: 'audio/ogg',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  webm: 'audio/webm',
  aiff: 'audio/aiff',
  pcm16: 'audio/pcm',
};

/** The media type of a sound in one of OpenAI's formats. */
export const audioType = (format: string): string => AUDIO_TYPES[format] ?? `audio/${format}`;

/** OpenAI's word for the format of a media type. */
export function audioFormat(mediaType: string): string {
  const bare = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  for (const [format, type] of Object.entries(AUDIO_TYPES)) if (type === bare) return format;
  const subtype = bare.replace(/^audio\/(x-|vnd\.)?/, '');
  return { mpeg: 'mp3', mp4: 'm4a', l16: 'pcm16', wave: 'wav' }[subtype] ?? subtype;
}

const FILE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
};

/** The media type that a name or an address ends in, as far as it tells. */
export function typeOfName(name: string): string | undefined {
  const path = (name.split(/[?#]/, 1)[0] ?? '').trim();
  return own(FILE_TYPES, path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}
