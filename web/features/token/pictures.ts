/** Pictures that go with a question: which may, how many bytes of them, and how they are called. */
import { dataUrlOf } from '@/lib/data-url.ts';
import type { TextKey } from '@/lib/text-key.ts';

/** What a program reads from a file of that name. */
export interface PictureFile {
  name: string;
  /** `image/png` */
  type: string;
}

export interface Picture extends PictureFile {
  /** In base64. */
  data: string;
  bytes: number;
}

/** Those that every dialect takes. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** In bytes. All that was shown goes with each question, and grows by a third on its way. */
export const PICTURE_MAX = 5 * 1024 * 1024;
export const PICTURES_MAX = 15 * 1024 * 1024;

export const shownAs = ({ type, data }: Picture): string => `data:${type};base64,${data}`;

export interface Refusal {
  name: string;
  why: TextKey;
}

/** Not read: browsers tell size and type without. */
export function refusalOf({ type, size }: { type: string; size: number }, before: number): TextKey | null {
  if (!PICTURE_TYPES.includes(type)) return 'chat.pictureKind';
  if (size > PICTURE_MAX) return 'chat.pictureLarge';
  return before + size > PICTURES_MAX ? 'chat.picturesLarge' : null;
}

/** A name that no other has: what is pasted is always called the same. */
export function ownName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]*)?$/.exec(name) ?? [];
  for (let n = 2; ; n++) {
    const next = `${stem}-${n}${ending}`;
    if (!taken.includes(next)) return next;
  }
}

const bytesOf = (pictures: readonly Picture[]): number => pictures.reduce((sum, { bytes }) => sum + bytes, 0);

/** Reads those that may go with the others, one after another, and tells why the rest may not. */
export async function readPictures(
  files: readonly File[],
  others: readonly Picture[],
): Promise<{ pictures: Picture[]; refused: Refusal[] }> {
  const pictures: Picture[] = [];
  const refused: Refusal[] = [];
  for (const file of files) {
    const all = [...others, ...pictures];
    const why = refusalOf(file, bytesOf(all));
    if (why) {
      refused.push({ name: file.name, why });
      continue;
    }
    const url = await dataUrlOf(file).catch(() => null);
    if (url === null) {
      refused.push({ name: file.name, why: 'chat.pictureUnread' });
      continue;
    }
    const name = ownName(
      file.name,
      all.map((picture) => picture.name),
    );
    pictures.push({ name, type: file.type, data: url.slice(url.indexOf(',') + 1), bytes: file.size });
  }
  return { pictures, refused };
}
