import { describe, expect, it } from 'bun:test';
import { type Captcha, movedBy, placeOf } from './captcha.ts';

const captcha: Captcha = {
  code: 0,
  captcha_key: 'k',
  image_base64: '',
  tile_base64: '',
  tile_x: 6,
  tile_y: 20,
  tile_width: 60,
  tile_height: 60,
};

describe('the keys of a slide captcha', () => {
  it('move by five pixels, by one with Shift, and by leaps', () => {
    expect(movedBy('ArrowRight', false, 6, captcha)).toBe(11);
    expect(movedBy('ArrowLeft', false, 11, captcha)).toBe(6);
    expect(movedBy('ArrowRight', true, 6, captcha)).toBe(7);
    expect(movedBy('PageUp', false, 6, captcha)).toBe(46);
    expect(movedBy('Home', false, 100, captcha)).toBe(0);
    expect(movedBy('End', false, 100, captcha)).toBe(240);
    expect(movedBy('Tab', false, 100, captcha)).toBeNull();
  });

  it('reach every place to within what the server allows', () => {
    let x = captcha.tile_x;
    const places = [x];
    while (x < 240) {
      x = movedBy('ArrowRight', false, x, captcha) ?? 0;
      places.push(x);
    }
    for (let hole = 70; hole <= 236; hole++) {
      expect(Math.min(...places.map((place) => Math.abs(place - hole)))).toBeLessThanOrEqual(3);
    }
  });

  it('never leave the picture', () => {
    expect(movedBy('ArrowLeft', false, 2, captcha)).toBe(0);
    expect(movedBy('ArrowRight', false, 239, captcha)).toBe(240);
    expect(placeOf(-7.5, captcha)).toBe(0);
    expect(placeOf(120.4, captcha)).toBe(120);
  });
});
