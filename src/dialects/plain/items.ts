/** What is embedded or ranked where it is more than a text: objects that name pictures, sounds, films and documents. */

import { contextOf } from '../../core/contexts.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { fileTokensMost, mediaTokens, mostImageTokens } from '../../core/media-tokens.ts';
import { own } from '../../core/own.ts';
import type { Usage } from '../../core/usage.ts';
import { boundedIn, isAbsent } from '../bounds.ts';
import type { Counted, PromptSize } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { measureSource, mediaText, partOf } from '../measure.ts';
import { isAddress, sourceIn } from '../media.ts';
import type { MediaPlace } from '../media-kind.ts';
import type { MediaSource } from '../neutral.ts';
import { each, either, list, object, type Reads, reads, TEXT } from '../other-texts.ts';
import { addText } from '../text-size.ts';
import { tokensUsage } from './embedding.ts';
import { noPrompt } from './plain.ts';

/** Jina's names (`image`, `pdf`), Qwen's (`video`, `multi_images`), and those of parts of a chat; base64 is of that type. */
const MEDIA: Readonly<Record<string, readonly [MediaPlace, mediaType: string]>> = {
  image: ['image', 'image/png'],
  images: ['image', 'image/png'],
  multi_images: ['image', 'image/png'],
  image_url: ['image', 'image/png'],
  audio: ['audio', 'audio/wav'],
  audio_url: ['audio', 'audio/wav'],
  video: ['video', 'video/mp4'],
  video_url: ['video', 'video/mp4'],
  pdf: ['file', 'application/pdf'],
};

const MEDIA_FIELDS: readonly string[] = Object.keys(MEDIA);

const MEDIUM = either(TEXT, object(reads(['url'])));
/** What is measured of an input, where anything of it is more than JSON. */
export const ITEM: Reads = reads(['text'], each(MEDIA_FIELDS, either(MEDIUM, list(MEDIUM))));

export const holdsMedium = (item: JsonObject): boolean => MEDIA_FIELDS.some((name) => !isAbsent(item[name]));

/** Measures what an input names beside its texts: media, and under names of its own files that nobody here can see. */
export function measureInput(prompt: PromptSize, input: JsonObject): void {
  const item = partOf(prompt, noPrompt());
  for (const [name, value] of Object.entries(input)) {
    const medium = own(MEDIA, name);
    if (medium) measureMedia(item, name, value, medium);
    else if (name !== 'text' && holdsAddress(value)) addUnseen(item);
  }
  addItem(prompt, item);
}

/**
 * Measures a document, or a question. Without a text and a medium its fields are words, read as JSON; an address
 * among them may be read as what lies there.
 */
export function measureDocument(prompt: PromptSize, document: Json): void {
  const object = objectOf(document);
  if (!object) {
    addText(prompt, textOf(document) ?? '');
    return;
  }
  const item = partOf(prompt, noPrompt());
  const text = textOf(object.text);
  if (text !== undefined) addText(item, text);
  for (const name of MEDIA_FIELDS) {
    const medium = MEDIA[name];
    if (medium) measureMedia(item, name, object[name], medium);
  }
  if (text === undefined && !holdsMedium(object)) {
    addText(item, JSON.stringify(object));
    if (holdsAddress(object)) addUnseen(item);
  }
  addItem(prompt, item);
}

function holdsAddress(value: Json | undefined): boolean {
  if (typeof value === 'string') return isAddress(value);
  if (Array.isArray(value)) return value.some(holdsAddress);
  return isObject(value) && Object.values(value as JsonObject).some(holdsAddress);
}

function measureMedia(
  prompt: PromptSize,
  field: string,
  value: Json | undefined,
  [place, mediaType]: readonly [MediaPlace, string],
): void {
  boundedIn(value, field);
  for (const source of sourcesIn(value, mediaType)) measureSource(prompt, source, place);
}

const sourcesIn = (value: Json | undefined, mediaType: string): MediaSource[] =>
  (Array.isArray(value) ? value : [value])
    .filter((one) => !isAbsent(one))
    .map((one) => sourceIn(objectOf(one)?.url ?? one, mediaType));

/** What its files say that are texts. */
export const fileTexts = (item: JsonObject): string[] =>
  Object.entries(MEDIA).flatMap(([name, [place, mediaType]]) =>
    sourcesIn(item[name], mediaType).flatMap((source) => mediaText(source, place)),
  );

function addUnseen(prompt: PromptSize): void {
  prompt.files++;
  prompt.unseen = true;
}

/** What is read in a context of its own. */
export function addItem(prompt: PromptSize, item: PromptSize): void {
  add(prompt, item, 1);
  if (item.files === 0) return;
  prompt.reads = (prompt.reads ?? 0) + 1;
  if (item.unseen || item.unsized || item.unseenFilm) prompt.unsizedReads = (prompt.unsizedReads ?? 0) + 1;
  if (item.unseenFilm) prompt.unsizedFilms = (prompt.unsizedFilms ?? 0) + 1;
}

/** A question, which is read with each of so many documents, in the context of each. */
export function addTimes(prompt: PromptSize, asked: PromptSize, times: number): void {
  add(prompt, asked, times);
  if (asked.reads) prompt.reads = times;
  if (asked.unsizedReads) prompt.unsizedReads = times;
  if (asked.unsizedFilms) prompt.unsizedFilms = times;
}

function add(prompt: PromptSize, more: PromptSize, times: number): void {
  const { textDense = 0, pages = 0, shownBytes = 0, videoSeconds = 0, videoFrames = 0 } = more;
  prompt.textBytes += more.textBytes * times;
  prompt.textDense = (prompt.textDense ?? 0) + textDense * times;
  prompt.audioSeconds += more.audioSeconds * times;
  prompt.knownSeconds = (prompt.knownSeconds ?? 0) + (more.knownSeconds ?? 0) * times;
  prompt.files += more.files * times;
  prompt.fileBytes += more.fileBytes * times;
  prompt.pages = (prompt.pages ?? 0) + pages * times;
  prompt.shownBytes = (prompt.shownBytes ?? 0) + shownBytes * times;
  prompt.videoSeconds = (prompt.videoSeconds ?? 0) + videoSeconds * times;
  prompt.videoFrames = (prompt.videoFrames ?? 0) + videoFrames * times;
  prompt.unsized ||= more.unsized;
  prompt.unseen ||= more.unseen;
  prompt.unseenFilm ||= more.unseenFilm;
  prompt.sizedByVendor ||= more.sizedByVendor;
  // A question's pictures with thousands of documents would only fill our memory as copies.
  for (const image of more.images) prompt.images.push(times === 1 ? image : { ...image, times });
}

/** What was embedded or ranked where its upstream told nothing: media count as they are held, since nobody here sees them. */
export function itemsUsage({
  facts: { prompt },
  model,
  input,
}: Pick<Counted, 'facts' | 'model' | 'input'>): Usage {
  const { context = contextOf(model) } = prompt;
  const files = fileTokensMost(model, prompt, prompt.unseen === true, context);
  return {
    ...tokensUsage(input + files.text + files.unsized),
    inputVideo: files.films,
    inputImage: mostImageTokens(model, prompt),
    inputAudio: mediaTokens(model, prompt).audioTokens,
  };
}
