import { expect, it } from 'bun:test';
import { join } from 'node:path';
import * as colours from './colours.ts';

/** A colour of OKLCH as sRGB in hexadecimal digits, by Björn Ottosson's matrices. */
function hexOf(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const bytes = linear.map((share) => {
    const value = share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, value)) * 255);
  });
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

it('has each colour as its token in the style sheet is', async () => {
  const sheet = await Bun.file(join(import.meta.dir, '../../web/styles/tokens.css')).text();
  const numbers = String.raw`oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)`;
  const tokens = [...sheet.matchAll(new RegExp(`--([\\w-]+): light-dark\\(${numbers}, ${numbers}\\)`, 'g'))];
  const known = new Map(
    tokens.map(([, name = '', ...parts]) => {
      const [l = 0, c = 0, h = 0, darkL = 0, darkC = 0, darkH = 0] = parts.map(Number);
      return [name, { light: hexOf(l, c, h), dark: hexOf(darkL, darkC, darkH) }];
    }),
  );
  const tokenOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = Object.keys(colours);
  const expected = Object.fromEntries(names.map((name) => [name, known.get(tokenOf(name))]));
  expect(Object.entries(expected)).toEqual(Object.entries(colours));
});
