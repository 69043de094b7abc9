/** Pictures as plain pixels, and the few things that a puzzle is painted with. */

/** Four bytes a pixel: blue, green, red, alpha, as bitmaps have them. */
export interface Pixels {
  width: number;
  height: number;
  bytes: Uint8ClampedArray<ArrayBuffer>;
}

/** Red, green and blue, 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** From 0 up to and without 1. */
export type Random = () => number;

export const blank = (width: number, height: number): Pixels => ({
  width,
  height,
  bytes: new Uint8ClampedArray(width * height * 4),
});

/** Hue in turns, the others from 0 to 1. */
export function colorOf(hue: number, saturation: number, lightness: number): Color {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const at = (((offset + hue * 12) % 12) + 12) % 12;
    return 255 * (lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}

/** The color at `at` between two, of which 0 is the first and 1 the second. */
export const between = (from: Color, to: Color, at: number): Color => [
  from[0] + (to[0] - from[0]) * at,
  from[1] + (to[1] - from[1]) * at,
  from[2] + (to[2] - from[2]) * at,
];

const RAMP_STEPS = 255;

/** As `between`, for many pixels: 256 steps, and the nearer end beyond 0 and 1. */
export function rampOf(from: Color, to: Color): (at: number) => Color {
  const steps = Array.from({ length: RAMP_STEPS + 1 }, (_, step) => between(from, to, step / RAMP_STEPS));
  return (at) => steps[Math.round(Math.min(Math.max(at, 0), 1) * RAMP_STEPS)] ?? from;
}

/** How much of a pixel lies within a shape, by its distance from the edge, which is negative inside. */
export const cover = (distance: number): number => Math.min(Math.max(0.5 - distance, 0), 1);

/** Lays the color over the pixel. */
export function paint({ width, bytes }: Pixels, x: number, y: number, color: Color, alpha: number): void {
  const at = (y * width + x) * 4;
  const keep = 1 - alpha;
  bytes[at] = (bytes[at] ?? 0) * keep + color[2] * alpha;
  bytes[at + 1] = (bytes[at + 1] ?? 0) * keep + color[1] * alpha;
  bytes[at + 2] = (bytes[at + 2] ?? 0) * keep + color[0] * alpha;
  bytes[at + 3] = Math.max(bytes[at + 3] ?? 0, 255 * alpha);
}

const HEADER_BYTES = 122;
const INFO_BYTES = 108;
const BIT_FIELDS = 3;
const SRGB = 0x73524742;

/** A bitmap file with alpha (version 4 of its header). It says nothing but sizes and colors. */
export function bitmapOf({ width, height, bytes }: Pixels): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(HEADER_BYTES + bytes.length);
  const view = new DataView(file.buffer);
  view.setUint16(0, 0x4d42, true);
  view.setUint32(2, file.length, true);
  view.setUint32(10, HEADER_BYTES, true);
  view.setUint32(14, INFO_BYTES, true);
  view.setInt32(18, width, true);
  // Less than nothing: the first row is the top one.
  view.setInt32(22, -height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 32, true);
  view.setUint32(30, BIT_FIELDS, true);
  view.setUint32(34, bytes.length, true);
  view.setUint32(54, 0x00ff0000, true);
  view.setUint32(58, 0x0000ff00, true);
  view.setUint32(62, 0x000000ff, true);
  view.setUint32(66, 0xff000000, true);
  view.setUint32(70, SRGB, true);
  file.set(bytes, HEADER_BYTES);
  return file;
}
