/** A slide captcha as the server sends it; lengths are pixels of the picture. */
import type { DataOf } from '@/lib/calls.ts';

export type Captcha = DataOf<'get', '/api/captcha'>;

export const PICTURE = { width: 300, height: 220 } as const;

/** Arrow keys move so far: the server allows as much on either side. */
const STEP = 5;
const LEAP = 40;

const clamp = (x: number, most: number): number => Math.round(Math.min(Math.max(x, 0), most));

/** Where a place lies that must not leave the picture. */
export const placeOf = (x: number, { tile_width }: Captcha): number => clamp(x, PICTURE.width - tile_width);

/** Where a key moves the piece, or null for a key that does not. With Shift an arrow moves by one pixel. */
export function movedBy(key: string, isFine: boolean, x: number, captcha: Captcha): number | null {
  const step = isFine ? 1 : STEP;
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: x + step,
    ArrowUp: x + step,
    ArrowLeft: x - step,
    ArrowDown: x - step,
    PageUp: x + LEAP,
    PageDown: x - LEAP,
    Home: 0,
    End: PICTURE.width,
  };
  const to = moves[key];
  return to === undefined ? null : placeOf(to, captcha);
}
