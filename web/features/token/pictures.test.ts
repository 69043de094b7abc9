import { describe, expect, it } from 'bun:test';
import { ownName, PICTURE_MAX, PICTURES_MAX, refusalOf } from './pictures.ts';

describe('a picture', () => {
  it('may go where every model takes its kind, and neither it nor all are too large', () => {
    const png = (size: number) => ({ type: 'image/png', size });
    expect(refusalOf(png(PICTURE_MAX), 0)).toBeNull();
    expect(refusalOf(png(PICTURE_MAX + 1), 0)).toBe('chat.pictureLarge');
    expect(refusalOf(png(2), PICTURES_MAX - 2)).toBeNull();
    expect(refusalOf(png(2), PICTURES_MAX - 1)).toBe('chat.picturesLarge');
    for (const type of ['image/svg+xml', 'image/bmp', 'application/pdf', ''])
      expect(refusalOf({ type, size: 1 }, 0)).toBe('chat.pictureKind');
  });

  it('is called as no other is', () => {
    expect(ownName('image.png', [])).toBe('image.png');
    expect(ownName('image.png', ['image.png'])).toBe('image-2.png');
    expect(ownName('image.png', ['image.png', 'image-2.png'])).toBe('image-3.png');
    expect([ownName('a.b.png', ['a.b.png']), ownName('plain', ['plain'])]).toEqual(['a.b-2.png', 'plain-2']);
  });
});
