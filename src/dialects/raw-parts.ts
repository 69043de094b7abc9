/**
 * What stands in a part that only one wire knows: vendors add kinds of parts, and tools put pictures and documents into
 * their results. Its media are found by the names of the fields and of the types in which they stand, and by how they
 * begin; whatever else it says is text.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { ADDRESSES } from './account.ts';
import { isBase64, isDigits, mayBeName } from './base64.ts';
import { textOf } from './fields.ts';
import { isAddress, plainAddress, schemeOf, sourceIn, sourceOfUrl, UNSEEN } from './media.ts';
import { type MediaPlace, markedKind } from './media-kind.ts';
import type { MediaSource } from './neutral.ts';

export interface RawMedium {
  source: MediaSource;
  place: MediaPlace;
  /** Of its file. */
  name?: string;
}

export interface RawReading {
  media: RawMedium[];
  /** The same part without them. */
  rest: JsonObject;
}

const readings = new WeakMap<JsonObject, RawReading>();

export function readRaw(part: JsonObject): RawReading {
  let reading = readings.get(part);
  if (!reading) {
    const media: RawMedium[] = [];
    reading = { media, rest: withoutMedia(part, {}, media) };
    readings.set(part, reading);
  }
  return reading;
}

/** The value of a field that is known of no wire, without its media, which are added to those. */
export function withoutMediaOf(field: string, value: Json, media: RawMedium[]): Json {
  const place = placeOf(field);
  // In a list of documents any address may be where one of them is from.
  return taken(
    value,
    field,
    { place: place === 'file' && typeof value !== 'string' ? undefined : place },
    media,
  );
}

/** What the names around a value tell of it. */
interface Around {
  place?: MediaPlace;
  mediaType?: string;
  name?: string;
  /** One of several in a field for films: they are its pictures. */
  isFrame?: boolean;
}

function withoutMedia(object: JsonObject, outer: Around, media: RawMedium[]): JsonObject {
  const around: Around = {
    place: nearer(textOf(object.type), outer.place),
    mediaType: textOf(object.media_type ?? object.mime_type ?? object.mimeType) ?? outer.mediaType,
    name: textOf(object.filename) ?? outer.name,
  };
  const rest: JsonObject = {};
  for (const [field, value] of Object.entries(object)) {
    rest[field] = taken(value ?? null, field, { ...around, place: nearer(field, around.place) }, media);
  }
  return rest;
}

/** That of a file tells nothing of what it is. */
function nearer(name: string | undefined, outer: MediaPlace | undefined): MediaPlace | undefined {
  const place = placeOf(name);
  return place === undefined || place === 'file' ? (outer ?? place) : place;
}

function taken(value: Json, field: string, around: Around, media: RawMedium[]): Json {
  if (typeof value === 'string') {
    const medium = mediumIn(value, field, around);
    if (medium) media.push(medium);
    return medium && isNoText(value, field) ? '' : value;
  }
  if (Array.isArray(value)) {
    const inner = { ...around, isFrame: placeOf(field) === 'video' };
    return value.map((each) => taken(each, field, inner, media));
  }
  return isObject(value) ? withoutMedia(value as JsonObject, around, media) : value;
}

/** Names of fields and types as all wires spell them, without lines and capitals. */
const PLACE =
  /^(?:input|computer)?(?:(video)|(image|picture|screenshot|mask)|(audio)|(file|document|pdf))s?(?:ur[li]s?|data|file|base64|b64|bytes|frames?)?$/;
const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();
/** No name of a medium is longer; whatever is may be words. */
export const NAME_CHARS = 64;

/** What stands in it; undefined where the name tells of no medium. */
export function placeOf(name = ''): MediaPlace | undefined {
  const found = name.length <= NAME_CHARS ? PLACE.exec(plain(name)) : null;
  if (!found) return undefined;
  const [, video, image, audio] = found;
  return video ? 'video' : image ? 'image' : audio ? 'audio' : 'file';
}

/** Fields that have addresses, or bytes without one. */
const FIELDS = new Set(
  [...Object.keys(ADDRESSES), 'b64_json', 'base64', 'bytes', 'input_audio', 'input_video'].map(plain),
);
const isMediaField = (field: string): boolean =>
  placeOf(field) !== undefined || (field.length <= NAME_CHARS && FIELDS.has(plain(field)));
const isAddressField = (field: string): boolean => /ur[li]s?$/.test(plain(field));

/** What bytes are where nothing tells: as the field has it. */
const TYPES: Readonly<Record<MediaPlace, string>> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/wav',
  file: '',
};
/** What is surely meant for data; the longer one may be text as well in a field that nobody knows. */
const TYPED = /^\s*data:\s*[\w.+-]+\/[\w.+-]+\s*[;,]/i;
const DATA = /^\s*data:\s*[\w.+-]+\/[\w.+-]+\s*(?:;[^,;]{0,99})*;\s*base64\s*,/i;

function mediumIn(text: string, field: string, around: Around): RawMedium | undefined {
  const { place = 'file', isFrame, name } = around;
  const usual = around.mediaType ?? TYPES[isFrame ? 'image' : place];
  if (!isMediaField(field)) {
    const source = DATA.test(text) ? readable(text, usual) : undefined;
    return source && { source, place, name };
  }
  if (text.trim() === '') return undefined;
  if (isAddress(text)) {
    const isMeant = TYPED.test(text) || (around.place !== undefined && !isProse(text));
    const source = isMeant ? sourceIn(text, usual) : readable(text, usual);
    // Pages that a search has found are no media, and neither is a text that begins with where it is from.
    if (!source || (source.kind === 'url' && (!around.place || isQuoted(text, field)))) return undefined;
    return { source, place: isFrame && source.kind === 'data' ? 'image' : place, name };
  }
  if (!isTold(text, around)) return undefined;
  const source = isAddressField(field) ? sourceOfUrl(text, usual) : sourceIn(text, usual);
  return { source, place: isFrame ? 'image' : place, name };
}

/** Whether what is no address is a medium by where it stands, or by how it begins. */
function isTold(text: string, { place, mediaType }: Around): boolean {
  const isClean = isDigits(text);
  if (isClean && (mediaType !== undefined || isMarked(text))) return true;
  if (place === undefined || mayBeName(text)) return false;
  if (isClean || place === 'file') return isClean;
  // Readers of bytes pass over blanks, and some over whatever else is no digit. Prose has blanks, and no such beginning.
  return !/[^\x21-\x7e]/.test(text.trim()) || isDigits(text.replace(UNSEEN, '')) || isMarked(text);
}

const isMarked = (text: string): boolean => markedKind(text, 'file') !== undefined;

/** Whether a text that begins as data do is none, as far as its looks tell: there are words, and no base64. */
function isProse(text: string): boolean {
  if (schemeOf(text)?.scheme !== 'data' || isAddressAlone(text)) return false;
  const [head = ''] = text.split(',', 1);
  return !/;base64(;|$)/i.test(head.replace(UNSEEN, ''));
}

/** Undefined where it is none after all: of what may be text nothing is refused. */
function readable(text: string, mediaType: string): MediaSource | undefined {
  try {
    return sourceIn(text, mediaType);
  } catch {
    return undefined;
  }
}

const isQuoted = (text: string, field: string): boolean => field === 'data' && !isAddressAlone(text);

/** Whether a text in such a field is a medium alone, and holds no words. */
export const isNoText = (text: string, field: string): boolean =>
  isMediaField(field) && (isAddressAlone(text) || isBase64(text));

const isAddressAlone = (text: string): boolean => isAddress(text) && !/\s/.test(plainAddress(text));
