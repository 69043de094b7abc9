import { describe, expect, it } from 'bun:test';
import { usdPerSecond } from './video-price.ts';

const price = { per_second: 0.01, sizes: { '1280x720': 0.02, '1920x1080': 0.05, '640x360': 0.005 } };

describe('a second of a film', () => {
  it.each([
    ['1280x720', 0.02],
    ['640x360', 0.005],
    ['1920x1080', 0.05],
  ])('costs what its size %s is named with', (size, usd) => {
    expect(usdPerSecond(price, size)).toBe(usd);
  });

  it.each([
    ['one pixel more', '1921x1080', 0.05],
    ['one pixel less', '1918x1080', 0.05],
    ['a side that no upstream reads', '9999x1080', 0.05],
    ['another shape', '1080x1080', 0.05],
    ['the other way up', '1080x1920', 0.05],
    ['lines that are rounded up', '1024x1792', 0.05],
    ['more lines than any', '3840x2160', 0.05],
    ['lines between two', '1200x800', 0.02],
    ['fewer lines than any', '320x180', 0.01],
    ['lines of a cheap one', '480x360', 0.01],
  ])('costs no less than a named one that it may be made as: %s', (_what, size, usd) => {
    expect(usdPerSecond(price, size)).toBe(usd);
  });

  it('costs the usual price where no size has its own', () => {
    expect(usdPerSecond({ per_second: 0.01 }, '1920x1080')).toBe(0.01);
  });
});
