import { expect, it } from 'bun:test';
import fc from 'fast-check';
import { isPaidByArea, pictureFactor, plainSize } from './picture-price.ts';

it.each([
  ['dall-e-2', '256x256', 0.8],
  ['dall-e-2', '512x512', 0.9],
  ['dall-e-2', '1024x1024', 1],
  ['dall-e-2', '512X512', 1],
  ['dall-e-2', ' 512x512', 1],
  ['dall-e-3', '256x256', 1],
  ['imagen-3.0-generate-002', '512x512', 1],
  ['imagen-4.0-generate-001', '1792x1024', 1],
  ['google/imagen-4.0-generate-001', '1792x1024', 1],
  ['dall-e-2', '__proto__', 1],
  ['__proto__', '512x512', 1],
  ['constructor', 'name', 1],
  ['m', '1024x1792', 2],
  ['m', '1024Ｘ1792', 2],
  ['m', '0001792 × 01024', 2],
  ['m', 'auto', 1],
  ['m', `1024x1024${' '.repeat(64)}`, 2],
  ['m', '', 1],
])('%s of the size %j costs %d times its price', (model, size, factor) => {
  expect(pictureFactor(model, { size })).toBe(factor);
});

it.each([
  [{ quality: 'hd' }, 2],
  [{ quality: 'hd', size: '1792x1024' }, 3],
  [{ quality: ' HD' }, 2],
  [{ quality: 'standard' }, 1],
  [{}, 1],
])('the quality counts: %p', (asked, factor) => {
  expect(pictureFactor('dall-e-3', asked)).toBe(factor);
});

it('nothing counts where a vendor has one price for all', () => {
  expect(pictureFactor('imagen-4.0-generate-001', { quality: 'hd', size: '1792x1024' })).toBe(1);
  expect(pictureFactor('cogview-4', { quality: 'hd' })).toBe(1);
});

it('an area is paid for by the price of its size', () => {
  const paid = [
    [1024, 1024],
    [512, 2048],
    [1792, 1024],
    [1024, 1025],
    [2048, 2048],
  ].map(([width = 0, height = 0]) => isPaidByArea(width, height));
  expect(paid).toEqual([true, true, true, false, false]);
});

it('a size is read as loose readers take it, whatever stands around', () => {
  const word = fc.stringMatching(/^[ 0-2xX*y]{0,9}$/);
  fc.assert(
    fc.property(word, (size) => {
      const [width = '', height = '', ...more] = size
        .replaceAll(' ', '')
        .toLowerCase()
        .split(/[^0-9]+/);
      const isSize = width !== '' && height !== '' && more.length === 0;
      const bare = (digits: string) => String(Number(digits));
      if (isSize) expect(plainSize(size)).toBe(`${bare(width)}x${bare(height)}`);
      else expect(plainSize(size)).toBe(size.replaceAll(' ', '').toLowerCase());
    }),
  );
});
