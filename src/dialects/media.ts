/** Images, sounds and files as wires name them: data URLs, media types, formats. */
import { isObject } from '../core/json.ts';
import { refuse } from './bounds.ts';
import type { MediaSource } from './neutral.ts';

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/;

/** Buckets are read by Google's services alone; whoever else gets such an address refuses it. */
const SCHEMES = new Set(['http', 'https', 'data', 'gs']);

/** Throws `invalid_request` for an address in a field that an upstream might read from its own disk or network. */
export function checkAddress(url: string, field = 'url'): void {
  // Whatever reads addresses passes over blanks and line ends in them.
  const head = url.slice(0, 64).replace(/[^\x21-\x7e]/g, '');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(head)?.[1]?.toLowerCase();
  if (scheme !== undefined && !SCHEMES.has(scheme)) {
    throw refuse(field, {
      zh: `不支持 ${scheme} 地址`,
      en: `addresses of the scheme '${scheme}' are not taken`,
    });
  }
}

/** Names of fields in which calls about pictures keep addresses; proxies that draw fetch those in place of base64, too. */
const PICTURE_FIELDS = new Set([
  ...['image', 'images', 'image_url', 'mask', 'url', 'link'],
  ...['base64', 'base64Array', 'maskBase64', 'sourceBase64', 'targetBase64', 'sourceUrl', 'targetUrl'],
]);

/** The same for every address of a picture that stands somewhere in a value. */
export function checkPictures(value: unknown, field = ''): void {
  if (typeof value === 'string') {
    if (PICTURE_FIELDS.has(field)) checkAddress(value, field);
  } else if (Array.isArray(value)) for (const each of value) checkPictures(each, field);
  else if (isObject(value)) for (const [name, each] of Object.entries(value)) checkPictures(each, name);
}

/**
 * The source that an address means. `mediaType` serves when the address is a data URL that names none. Throws
 * `invalid_request` for a data URL that cannot be read, and for an address that is none of the web.
 */
export function sourceOfUrl(url: string, mediaType?: string): MediaSource {
  // Only the head is searched: the data may be megabytes.
  const head = DATA_URL.exec(url.slice(0, 512));
  if (!head) {
    checkAddress(url);
    return mediaType === undefined ? { kind: 'url', url } : { kind: 'url', url, mediaType };
  }
  const [whole, named, parameters] = head;
  const data = url.slice(whole.length);
  return {
    kind: 'data',
    mediaType: named || (mediaType ?? 'application/octet-stream'),
    data: parameters?.endsWith(';base64') ? data : Buffer.from(decoded(data)).toString('base64'),
  };
}

/** Base64 has no colon. */
const HAS_SCHEME = /^[^,]{0,64}?:/;

/** Of an address or of base64; where it is neither, a file that somebody else keeps. */
export function sourceIn(given: unknown, mediaType: string): MediaSource {
  if (typeof given !== 'string') return { kind: 'file', id: '' };
  return HAS_SCHEME.test(given) ? sourceOfUrl(given, mediaType) : { kind: 'data', mediaType, data: given };
}

function decoded(data: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    throw refuse('url', { zh: '数据地址编码有误', en: 'the data URL is not well encoded' });
  }
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
  const path = name.split(/[?#]/, 1)[0] ?? '';
  return FILE_TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

/** The text of a file that is text; undefined for any other. */
export function textOfSource(source: MediaSource): string | undefined {
  if (source.kind !== 'data') return undefined;
  const type = source.mediaType;
  if (!type.startsWith('text/') && type !== 'application/json') return undefined;
  return Buffer.from(source.data, 'base64').toString();
}
