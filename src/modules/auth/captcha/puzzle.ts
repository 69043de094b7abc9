/** A picture with a piece cut out, and the piece: what a slide captcha shows. */
import { randomInt } from 'node:crypto';
import { blank, cover, type Pixels, paint, type Random } from './pixels.ts';
import { paintScene } from './scene.ts';

export const PICTURE = { width: 300, height: 220 } as const;
/** Sides of the box in which the piece lies, in pixels. */
export const TILE = 60;

/** Room on the left for the piece's start, and a margin elsewhere. */
const X_LEAST = 72;
const X_MOST = PICTURE.width - TILE - 4;
const Y_LEAST = 4;
const Y_MOST = PICTURE.height - TILE - 4;
/** A second hole keeps so far away from the right one. */
const APART = TILE + 6;

export interface Puzzle {
  picture: Pixels;
  tile: Pixels;
  /** Where the box of the hole begins. */
  x: number;
  y: number;
}

/** What each side of a piece has. */
type Side = 'knob' | 'dent' | 'plain';
/** Top, right, bottom, left. */
type Shape = readonly [Side, Side, Side, Side];

const SIDES: readonly Side[] = ['knob', 'dent', 'plain'];
const CENTRES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

/** Half a side of the piece's body, and the radius of its knobs and dents. */
const HALF = 20;
const KNOB = 7;
const CORNER = 4;

function shapeOf(random: Random): Shape {
  const side = (): Side => SIDES[Math.floor(random() * SIDES.length)] ?? 'plain';
  const shape: Shape = [side(), side(), side(), side()];
  // A plain square would tell its place by nothing but the picture.
  return shape.every((each) => each === 'plain') ? ['knob', 'dent', 'plain', 'dent'] : shape;
}

/** One that differs from the given in every side. */
const unlike = (shape: Shape): Shape => {
  const next = (side: Side): Side => SIDES[(SIDES.indexOf(side) + 1) % SIDES.length] ?? 'plain';
  return [next(shape[0]), next(shape[1]), next(shape[2]), next(shape[3])];
};

/** How far a place in the box is from the piece's edge; less than nothing inside. */
function distanceTo(shape: Shape, x: number, y: number): number {
  const dx = x - TILE / 2 + 0.5;
  const dy = y - TILE / 2 + 0.5;
  const ax = Math.abs(dx) - HALF + CORNER;
  const ay = Math.abs(dy) - HALF + CORNER;
  let distance = Math.hypot(Math.max(ax, 0), Math.max(ay, 0)) + Math.min(Math.max(ax, ay), 0) - CORNER;
  for (const [index, side] of shape.entries()) {
    const [cx, cy] = CENTRES[index] ?? [0, 0];
    if (side === 'plain') continue;
    const reach = side === 'knob' ? HALF + 1 : HALF - 1;
    const round = Math.hypot(dx - cx * reach, dy - cy * reach) - KNOB;
    distance = side === 'knob' ? Math.min(distance, round) : Math.max(distance, -round);
  }
  return distance;
}

/** Anywhere in the row but where it would meet the right hole. */
function decoyPlace(x: number, random: Random): number {
  const left = Math.max(x - APART - X_LEAST + 1, 0);
  const right = Math.max(X_MOST - x - APART + 1, 0);
  const place = Math.floor(random() * (left + right));
  return place < left ? X_LEAST + place : x + APART + place - left;
}

/**
 * A new puzzle. Where the hole is comes from the system's random numbers and decides nothing else. A second hole of
 * another shape lies in the same row: who does not look at the piece takes the wrong one half of the time.
 */
export async function makePuzzle(random: Random = Math.random): Promise<Puzzle> {
  const x = randomInt(X_LEAST, X_MOST + 1);
  const y = randomInt(Y_LEAST, Y_MOST + 1);
  const picture = await paintScene(PICTURE.width, PICTURE.height, random);
  const shape = shapeOf(random);
  const tile = cutOut(picture, shape, x, y);
  const decoy = decoyPlace(x, random);
  darken(picture, shape, x, y);
  darken(picture, unlike(shape), decoy, y);
  return { picture, tile, x, y };
}

const DARK = [18, 20, 28] as const;
const LIGHT = [255, 255, 255] as const;

function darken(picture: Pixels, shape: Shape, left: number, top: number): void {
  for (let y = 0; y < TILE; y++) {
    for (let x = 0; x < TILE; x++) {
      const distance = distanceTo(shape, x, y);
      const amount = cover(distance);
      if (amount <= 0 && distance > 1) continue;
      // Deeper at the rim, as if light fell in from above.
      const depth = 0.46 + 0.26 * Math.max(1 + distance / 6, 0);
      paint(picture, left + x, top + y, DARK, amount * Math.min(depth, 0.72));
      paint(picture, left + x, top + y, LIGHT, 0.55 * cover(Math.abs(distance) - 0.4));
    }
  }
}

function cutOut(picture: Pixels, shape: Shape, left: number, top: number): Pixels {
  const tile = blank(TILE, TILE);
  for (let y = 0; y < TILE; y++) {
    for (let x = 0; x < TILE; x++) {
      const distance = distanceTo(shape, x, y);
      const at = (y * TILE + x) * 4;
      const from = ((top + y) * picture.width + left + x) * 4;
      tile.bytes.set(picture.bytes.subarray(from, from + 3), at);
      const amount = cover(distance);
      const rim = cover(Math.abs(distance + 1) - 1);
      if (amount > 0) paint(tile, x, y, LIGHT, 0.8 * rim);
      // Outside it throws a soft shadow, on which the picture's own colors must not show.
      if (amount === 0) tile.bytes.fill(0, at, at + 3);
      const shadow = Math.max(1 - distance / 4, 0) ** 2 * 0.4;
      tile.bytes[at + 3] = 255 * Math.max(amount, Math.min(shadow, 0.4));
    }
  }
  return tile;
}
