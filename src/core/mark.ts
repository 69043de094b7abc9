/** The product's own mark, a barrier across a road. */
import { accent, onAccent } from './colours.ts';

/** In the units of its square: bars as left, top, width, height. The colours are for what has not the console's styles. */
export const MARK = {
  side: 22,
  radius: 4,
  ground: accent.light,
  ink: onAccent.light,
  bars: [
    [5, 4, 2, 14],
    [5, 8, 12.5, 2],
    [3, 16, 6, 2],
  ],
} as const;

/** Its bars as a path of a picture. */
export const MARK_PATH = MARK.bars.map(([x, y, w, h]) => `M${x} ${y}h${w}v${h}h${-w}z`).join('');

export function markSvg(): string {
  const { side, radius, ground, ink } = MARK;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"><rect width="${side}" height="${side}" rx="${radius}" fill="${ground}"/><path d="${MARK_PATH}" fill="${ink}"/></svg>`;
}
