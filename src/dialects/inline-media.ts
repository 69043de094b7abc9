/** Puts the bytes of pictures, sounds and files into a request that names them by address. */
import type { Text } from '../core/text.ts';
import { refuse } from './bounds.ts';
import { audioFormat } from './media.ts';
import { isPictureAddress, kindsOfMedia, type MediaKind, type MediaPlace } from './media-kind.ts';
import type { ChatRequest, MediaSource, Part } from './neutral.ts';

/** The bytes at an address, as base64, for such a place. Rejects with `invalid_request` when they cannot be had. */
export type LoadMedia = (url: string, place: MediaPlace) => Promise<{ mediaType: string; data: string }>;

/** Changes the request in place. Rejects as `load` does; an address that is none of the web stays. */
export async function inlineMedia(request: ChatRequest, load: LoadMedia): Promise<void> {
  const parts = request.messages.flatMap((message) => message.parts.flatMap(mediaIn));
  await Promise.all(
    parts.map(async (part) => {
      if (!isOfTheWeb(part.source)) return;
      const isPicture = isPictureAddress(part.source, part.type);
      const { mediaType, data } = await load(part.source.url, part.type);
      const source = { kind: 'data', mediaType: part.source.mediaType ?? mediaType, data } as const;
      part.source = source;
      if (isPicture && !isOnlyPicture(kindsOfMedia(source, part.type))) throw refuse('url', NO_PICTURE);
      if (part.type === 'audio') part.format = audioFormat(source.mediaType);
    }),
  );
}

const isOnlyPicture = (kinds: ReadonlySet<MediaKind>): boolean => kinds.size === 1 && kinds.has('image');

/** It was held as a picture; a film costs a thousand times as much. */
const NO_PICTURE: Text = {
  zh: '图片地址指向的内容不是图片',
  en: 'what lies at the address of a picture is none',
};

type MediaPart = Extract<Part, { source: MediaSource }>;

const mediaIn = (part: Part): MediaPart[] => {
  if (part.type === 'tool-result') return part.content.flatMap(mediaIn);
  return 'source' in part ? [part] : [];
};

const isOfTheWeb = (source: MediaSource): source is Extract<MediaSource, { kind: 'url' }> =>
  source.kind === 'url' && /^https?:\/\//i.test(source.url);
