/**
 * How the price a call of a picture is weighed by what was asked of it. It is that of a square of 1024 at the usual
 * quality: a large one costs more whoever draws it, and a small one less only where the model's own price list says so.
 */
import { bareName } from './model-families.ts';
import { normalised } from './normalised.ts';
import { own } from './own.ts';

/** By model, as it is priced: OpenAI sold the pictures of no other by such sizes, and most vendors have one price for all. */
const SMALL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // $0.016 and $0.018, where the square of 1024 is $0.020.
  'dall-e-2': { '256x256': 0.8, '512x512': 0.9 },
};

const LARGE: Readonly<Record<string, number>> = { '1024x1792': 2, '1792x1024': 2 };
const DEAREST = Math.max(...Object.values(LARGE));

/** The finest quality of the older models costs twice as much, of a large picture half as much again. */
const FINE = 'hd';

export interface AskedPicture {
  /** As the caller wrote it: `1024x1792`. */
  size?: string;
  quality?: string;
}

/** Google's and Zhipu's have one price for every shape, and no quality to choose (their pages of prices). */
const ONE_PRICE = /^(imagen|cogview)-/;

/** The price of this picture over that of a usual one. What is written otherwise makes nothing cheaper, and may cost what it is read as. */
export function pictureFactor(model: string, { size = '', quality = '' }: AskedPicture): number {
  if (ONE_PRICE.test(bareName(model))) return 1;
  const plain = plainSize(size);
  const factor = own(own(SMALL, model) ?? {}, size) ?? (plain === null ? DEAREST : (own(LARGE, plain) ?? 1));
  if ((plainSize(quality) ?? FINE) !== FINE) return factor;
  return factor * (factor > 1 ? 1.5 : 2);
}

/** Longer words are no sizes, but may be read as any. */
const SIZE_CHARS = 64;

/** As loose readers take it: `1792 X 1024` and `1792*1024` are `1792x1024`. Null for what may be of any size. */
export const plainSize = (word: string): string | null =>
  word.length > SIZE_CHARS
    ? null
    : normalised(word)
        .toLowerCase()
        .replace(/\s/g, '')
        .replace(/^0*([1-9]\d*|0)\D+0*([1-9]\d*|0)$/, '$1x$2');

/** Pixels of the square that a price a call is for. */
const USUAL_PIXELS = 1024 * 1024;

/** Whether vendors that charge by the area charge no more for such a picture than it is priced as. */
export const isPaidByArea = (width: number, height: number): boolean =>
  width * height <= USUAL_PIXELS * (own(LARGE, `${width}x${height}`) ?? 1);
