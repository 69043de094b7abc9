/** What is embedded or ranked where it is more than a text: objects that name pictures, sounds, films and documents. */

import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import { isAbsent } from '../bounds.ts';
import type { PromptSize } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { measureSource } from '../measure.ts';
import { sourceIn } from '../media.ts';
import type { MediaPlace } from '../media-kind.ts';
import { addText } from '../text-size.ts';

/** Jina's names (`image`, `pdf`), Qwen's (`video`, `multi_images`), and those of parts of a chat; base64 is of that type. */
const MEDIA: Readonly<Record<string, readonly [MediaPlace, mediaType: string]>> = {
  image: ['image', 'image/png'],
  images: ['image', 'image/png'],
  multi_images: ['image', 'image/png'],
  image_url: ['image', 'image/png'],
  audio: ['audio', 'audio/wav'],
  audio_url: ['audio', 'audio/wav'],
  video: ['file', 'video/mp4'],
  video_url: ['file', 'video/mp4'],
  pdf: ['file', 'application/pdf'],
};

export const MEDIA_FIELDS: readonly string[] = Object.keys(MEDIA);

export const holdsMedium = (item: JsonObject): boolean => MEDIA_FIELDS.some((name) => !isAbsent(item[name]));

/** Measures what an input names beside its texts: media, and under names of its own files that nobody here can see. */
export function measureInput(prompt: PromptSize, item: JsonObject): void {
  for (const [name, value] of Object.entries(item)) {
    const medium = own(MEDIA, name);
    if (medium) measureMedia(prompt, value, medium);
    else if (name !== 'text' && holdsAddress(value)) addUnseen(prompt);
  }
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
  const text = textOf(object.text);
  if (text !== undefined) addText(prompt, text);
  for (const name of MEDIA_FIELDS) {
    const medium = MEDIA[name];
    if (medium) measureMedia(prompt, object[name], medium);
  }
  if (text !== undefined || holdsMedium(object)) return;
  addText(prompt, JSON.stringify(object));
  if (holdsAddress(object)) addUnseen(prompt);
}

/** At the beginning of a text within JSON. */
const ADDRESS = /"\s*(https?:|gs:|data:)/i;
const holdsAddress = (value: Json | undefined): boolean => ADDRESS.test(JSON.stringify(value ?? null));

function measureMedia(
  prompt: PromptSize,
  value: Json | undefined,
  [place, mediaType]: readonly [MediaPlace, string],
): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (!isAbsent(one)) measureSource(prompt, sourceIn(objectOf(one)?.url ?? one, mediaType), place);
  }
}

function addUnseen(prompt: PromptSize): void {
  prompt.files++;
  prompt.unseen = true;
}

/** What is read so many times, as a question is with each document. */
export function addTimes(prompt: PromptSize, asked: PromptSize, times: number): void {
  const { images, textDense = 0, pages = 0, shownBytes = 0, videoSeconds = 0, videoFrames = 0 } = asked;
  prompt.textBytes += asked.textBytes * times;
  prompt.textDense = (prompt.textDense ?? 0) + textDense * times;
  prompt.audioSeconds += asked.audioSeconds * times;
  prompt.files += asked.files * times;
  prompt.fileBytes += asked.fileBytes * times;
  prompt.pages = (prompt.pages ?? 0) + pages * times;
  prompt.shownBytes = (prompt.shownBytes ?? 0) + shownBytes * times;
  prompt.videoSeconds = (prompt.videoSeconds ?? 0) + videoSeconds * times;
  prompt.videoFrames = (prompt.videoFrames ?? 0) + videoFrames * times;
  prompt.unsized ||= asked.unsized;
  prompt.unseen ||= asked.unseen;
  prompt.unseenFilm ||= asked.unseenFilm;
  prompt.addressed ||= asked.addressed;
  // A picture with each document is usual; more of them than calls may have documents would only fill our memory.
  if (images.length * times > limits.messagesMax) addUnseen(prompt);
  else for (let n = 0; n < times; n++) prompt.images.push(...images);
}
