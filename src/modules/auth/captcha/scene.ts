/** Landscapes that are made up: a sky, a sun, clouds and hills in colors of one mood. No two are alike. */
import { pause } from '../../../platform/pause.ts';
import {
  between,
  blank,
  type Color,
  colorOf,
  cover,
  type Pixels,
  paint,
  type Random,
  rampOf,
} from './pixels.ts';

const within = (random: Random, least: number, most: number): number => least + random() * (most - least);

interface Mood {
  skyTop: Color;
  skyLow: Color;
  sun: Color;
  /** Of the far hills and of the near ones. */
  far: Color;
  near: Color;
}

function moodOf(random: Random): Mood {
  const hue = random();
  const other = hue + within(random, 0.08, 0.2) * (random() < 0.5 ? -1 : 1);
  const ground = hue + within(random, 0.3, 0.6);
  const isNight = random() < 0.3;
  const light = isNight ? 0.28 : within(random, 0.5, 0.62);
  return {
    skyTop: colorOf(hue, within(random, 0.5, 0.75), light),
    skyLow: colorOf(other, within(random, 0.6, 0.85), light + 0.22),
    sun: colorOf(other + 0.05, 0.9, isNight ? 0.9 : 0.86),
    far: colorOf(ground, within(random, 0.25, 0.45), light + 0.02),
    near: colorOf(ground + 0.06, within(random, 0.35, 0.55), light * 0.5),
  };
}

/** One line of hills or edge of water: a few waves on top of each other. */
function ridge(random: Random, base: number, height: number): (x: number) => number {
  const waves = [1, 2.3, 5.1].map((pace) => ({
    pace: (pace * within(random, 0.7, 1.3) * 2 * Math.PI) / 300,
    shift: random() * 2 * Math.PI,
    reach: height / pace,
  }));
  return (x) => waves.reduce((y, { pace, shift, reach }) => y + reach * Math.sin(x * pace + shift), base);
}

/** A landscape of that size. */
export async function paintScene(width: number, height: number, random: Random): Promise<Pixels> {
  const picture = blank(width, height);
  const mood = moodOf(random);
  paintSky(picture, mood, random);
  await pause();
  const sunRadius = within(random, 14, 34);
  paintDisc(picture, {
    x: within(random, 20, width - 20),
    y: within(random, 20, height * 0.5),
    radius: sunRadius,
    color: mood.sun,
    alpha: 0.9,
    glow: sunRadius * 1.6,
  });
  const clouds = 2 + Math.floor(random() * 4);
  for (let n = 0; n < clouds; n++) paintCloud(picture, random);
  const layers = 3 + Math.floor(random() * 3);
  for (let layer = 0; layer < layers; layer++) {
    const depth = layer / (layers - 1);
    const top = ridge(random, height * (0.42 + 0.48 * depth), 20 + 14 * depth);
    paintHills(picture, top, between(mood.far, mood.near, depth), random);
    await pause();
  }
  const lights = 5 + Math.floor(random() * 8);
  for (let n = 0; n < lights; n++) {
    const radius = within(random, 3, 16);
    paintDisc(picture, {
      x: random() * width,
      y: random() * height,
      radius,
      color: colorOf(random(), 0.8, 0.75),
      alpha: within(random, 0.12, 0.3),
      glow: 2,
    });
  }
  addGrain(picture, random);
  return picture;
}

function paintSky(picture: Pixels, { skyTop, skyLow }: Mood, random: Random): void {
  const { width, height } = picture;
  const slope = within(random, -0.35, 0.35);
  const ramp = rampOf(skyTop, skyLow);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      paint(picture, x, y, ramp((y + slope * (x - width / 2)) / (height * 0.8)), 1);
    }
  }
}

interface Disc {
  x: number;
  y: number;
  radius: number;
  color: Color;
  alpha: number;
  /** How far it shines beyond its edge. */
  glow: number;
}

function paintDisc(picture: Pixels, { x, y, radius, color, alpha, glow }: Disc): void {
  const reach = radius + glow;
  const top = Math.max(Math.floor(y - reach), 0);
  const bottom = Math.min(Math.ceil(y + reach), picture.height - 1);
  const left = Math.max(Math.floor(x - reach), 0);
  const right = Math.min(Math.ceil(x + reach), picture.width - 1);
  for (let py = top; py <= bottom; py++) {
    for (let px = left; px <= right; px++) {
      const distance = Math.hypot(px - x, py - y) - radius;
      const shine = Math.max(1 - distance / glow, 0) ** 2 * 0.35;
      const amount = Math.max(cover(distance), Math.min(shine, 1)) * alpha;
      if (amount > 0) paint(picture, px, py, color, amount);
    }
  }
}

function paintCloud(picture: Pixels, random: Random): void {
  const x = random() * picture.width;
  const y = within(random, 10, picture.height * 0.45);
  const size = within(random, 8, 18);
  for (let puff = 0; puff < 4; puff++) {
    paintDisc(picture, {
      x: x + (puff - 1.5) * size * 0.9,
      y: y - (puff % 3 === 0 ? 0 : size * 0.4),
      radius: size * within(random, 0.7, 1),
      color: [255, 255, 255],
      alpha: 0.22,
      glow: 4,
    });
  }
}

function paintHills(picture: Pixels, top: (x: number) => number, color: Color, random: Random): void {
  const { width, height } = picture;
  const stripe = within(random, 0.05, 0.16);
  const phase = random() * 6;
  const ramp = rampOf(color, [255, 255, 255]);
  for (let x = 0; x < width; x++) {
    const edge = top(x);
    for (let y = Math.max(Math.floor(edge) - 1, 0); y < height; y++) {
      const below = y - edge;
      // Light falls on the crest; further down, soft bands follow the line of the hill.
      const light = Math.max(1 - below / 60, 0) * 0.16 + 0.05 * Math.sin(below * stripe + phase);
      paint(picture, x, y, ramp(light), cover(-below));
    }
  }
}

/** So little that eyes hardly see it. Flat surfaces, in which each place equals the next, are no puzzle. */
function addGrain({ bytes }: Pixels, random: Random): void {
  for (let at = 0; at < bytes.length; at += 4) {
    const grain = (random() - 0.5) * 14;
    for (let channel = at; channel < at + 3; channel++) bytes[channel] = (bytes[channel] ?? 0) + grain;
  }
}
