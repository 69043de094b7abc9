/**
 * What stands in a part that only one wire knows: vendors add kinds of parts, and tools put pictures and documents into
 * their results. Its media are found by the names of the fields and of the types in which they stand, and by how they
 * begin; whatever else it says is text.
 */
import { fail } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { onceOf } from '../core/once-of.ts';
import { ADDRESSES } from './account.ts';
import { isBase64, isDigits, isSpacedDigits, mayBeName } from './base64.ts';
import { atMost } from './bounds.ts';
import { textOf } from './fields.ts';
import {
  type Address,
  IN_BASE64,
  isTaken,
  likelySource,
  plainAddress,
  schemeOf,
  sourceIn,
  sourceOfUrl,
  UNSEEN,
} from './media.ts';
import { type MediaPlace, markedKind } from './media-kind.ts';
import type { MediaSource } from './neutral.ts';

export interface RawMedium {
  source: MediaSource;
  place: MediaPlace;
  /** Of its file. */
  name?: string;
}

export interface RawMedia {
  readonly media: readonly RawMedium[];
  /** Values that were looked at. */
  readonly looks: number;
}

export interface RawReading extends RawMedia {
  /** The same part without them. */
  rest: JsonObject;
}

/** What a walk has found. A look takes a microsecond, of which a body has room for half a million. */
export class Finds implements RawMedia {
  readonly media: RawMedium[] = [];
  looks = 0;

  look(): void {
    checkLooks(++this.looks);
  }
}

/** Refuses more values that may be media than are looked at in a request. */
export function checkLooks(looks: number): void {
  if (looks > limits.mediaLooksMax) throw fail('invalid_request', { params: { reason: TOO_MANY } });
}

const TOO_MANY = atMost(
  limits.mediaLooksMax,
  '个图片、音频和文件字段的值',
  'values in fields of images, sounds and files',
);

export const readRaw = onceOf((part: JsonObject): RawReading => {
  const finds = new Finds();
  const rest = withoutMedia(part, {}, finds);
  return { media: finds.media, looks: finds.looks, rest };
});

/** The value of a field that is known of no wire, without its media, which are added to those. */
export function withoutMediaOf(field: string, value: Json, finds: Finds): Json {
  const place = placeOf(field);
  // In a list of documents any address may be where one of them is from.
  return taken(
    value,
    field,
    { place: place === 'file' && typeof value !== 'string' ? undefined : place },
    finds,
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

function withoutMedia(object: JsonObject, outer: Around, finds: Finds): JsonObject {
  const around: Around = {
    place: nearer(textOf(object.type), outer.place),
    mediaType: textOf(object.media_type ?? object.mime_type ?? object.mimeType) ?? outer.mediaType,
    name: textOf(object.filename) ?? outer.name,
  };
  const rest: JsonObject = {};
  for (const [field, value] of Object.entries(object)) {
    rest[field] = taken(value ?? null, field, { ...around, place: nearer(field, around.place) }, finds);
  }
  return rest;
}

/** That of a file tells nothing of what it is. */
function nearer(name: string | undefined, outer: MediaPlace | undefined): MediaPlace | undefined {
  const place = placeOf(name);
  return place === undefined || place === 'file' ? (outer ?? place) : place;
}

function taken(value: Json, field: string, around: Around, finds: Finds): Json {
  if (typeof value === 'string') {
    const medium = mediumIn(value, field, around, finds);
    if (medium) finds.media.push(medium);
    return medium && isKnown(medium) && isNoText(value, field) ? '' : value;
  }
  if (Array.isArray(value)) {
    const inner = { ...around, isFrame: placeOf(field) === 'video' };
    return value.map((each) => taken(each, field, inner, finds));
  }
  return isObject(value) ? withoutMedia(value as JsonObject, around, finds) : value;
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
/** What is surely meant for data; with base64 it may be text as well in a field that nobody knows. */
const TYPED = /^\s*data:\s*[\w.+-]+\/[\w.+-]+\s*[;,]/i;

function mediumIn(text: string, field: string, around: Around, finds: Finds): RawMedium | undefined {
  const { place = 'file', isFrame, name } = around;
  const usual = around.mediaType ?? TYPES[isFrame ? 'image' : place];
  if (!isMediaField(field)) {
    if (!TYPED.test(text)) return undefined;
    finds.look();
    const source = IN_BASE64.test(headOf(text)) ? likelySource(text, usual) : undefined;
    return source && { source, place, name };
  }
  if (text.trim() === '') return undefined;
  finds.look();
  const address = schemeOf(text);
  if (isTaken(address)) {
    const isMeant = TYPED.test(text) || (around.place !== undefined && !isProse(text, address));
    const source = isMeant ? sourceIn(text, usual) : likelySource(text, usual);
    // Pages that a search has found are no media, and neither is a text that begins with where it is from.
    if (!source || (source.kind === 'url' && (!around.place || isQuoted(text, field)))) return undefined;
    return { source, place: isFrame && source.kind === 'data' ? 'image' : place, name };
  }
  if (!isTold(text, around)) return undefined;
  const source = isAddressField(field) ? sourceOfUrl(text, usual) : sourceIn(text, usual);
  return { source, place: isFrame ? 'image' : place, name };
}

/** Of a data URL, without what cannot be seen. */
const headOf = (text: string): string => (text.split(',', 1)[0] ?? '').replace(UNSEEN, '');

/** Whether what is no address is a medium by where it stands, or by how it begins. */
function isTold(text: string, { place, mediaType }: Around): boolean {
  const isClean = isDigits(text);
  if (isClean && (mediaType !== undefined || isMarked(text))) return true;
  if (place === undefined || mayBeName(text)) return false;
  if (isClean || place === 'file') return isClean;
  // Readers of bytes pass over blanks, and some over whatever else is no digit. Prose has blanks, and no such beginning.
  return !/[^\x21-\x7e]/.test(text.trim()) || isSpacedDigits(text) || isMarked(text);
}

/** Words without blanks look as digits do, and cost far more than the picture that stands in their place. */
const isKnown = ({ source, place }: RawMedium): boolean =>
  source.kind !== 'data' || place !== 'image' || isMarked(source.data);

const isMarked = (text: string): boolean => markedKind(text, 'file') !== undefined;

/** Whether a text that begins as data do is none, as far as its looks tell: there are words, and no base64. */
const isProse = (text: string, address: Address): boolean =>
  address.scheme === 'data' && !isAddressAlone(text, address) && !IN_BASE64.test(headOf(text));

const isQuoted = (text: string, field: string): boolean => field === 'data' && !isAddressAlone(text);

/** Whether a text in such a field is a medium alone, and holds no words. */
export const isNoText = (text: string, field: string): boolean =>
  isMediaField(field) && (isAddressAlone(text) || isBase64(text));

const isAddressAlone = (text: string, address = schemeOf(text)): boolean =>
  isTaken(address) && !/\s/.test(plainAddress(text, address));
