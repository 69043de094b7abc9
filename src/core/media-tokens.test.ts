import { expect, test } from 'bun:test';
import { imageSizeOf } from './image-size.ts';
import { fileTokensMost, mediaTokens, mostImageTokens } from './media-tokens.ts';

test('sounds and files have a bound', () => {
  const none = { images: [], audioSeconds: 0, files: 0, fileBytes: 0 };
  expect(mediaTokens('gpt-4o-audio-preview', { ...none, audioSeconds: 10 }).audioTokens).toBe(100);
  expect(mediaTokens('gemini-2.5-flash', { ...none, audioSeconds: 10 }).audioTokens).toBe(320);
  expect(mediaTokens('gpt-4o', { ...none, files: 2, fileBytes: 1000 }).fileTokens).toBe(10_000);
  expect(mediaTokens('gpt-4o', { ...none, files: 1, fileBytes: 1_000_000 }).fileTokens).toBe(50_000);
});

const dataUrl = (bytes: number[]) =>
  `data:image/x;base64,${Buffer.from([...bytes, ...Array(40).fill(0)]).toString('base64')}`;
const text = (s: string) => [...Buffer.from(s, 'latin1')];

test.each([
  [
    'PNG',
    [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, ...text('IHDR'), 0, 0, 4, 0, 0, 0, 2, 0],
    1024,
    512,
  ],
  ['GIF', [...text('GIF89a'), 0x40, 1, 0xf0, 0], 320, 240],
  ['WebP lossy', [...text('RIFF\0\0\0\0WEBPVP8 '), ...Array(10).fill(0), 0x80, 2, 0xe0, 1], 640, 480],
  ['WebP lossless', [...text('RIFF\0\0\0\0WEBPVP8L'), 0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0], 640, 480],
  ['WebP extended', [...text('RIFF\0\0\0\0WEBPVP8X'), ...Array(8).fill(0), 0x7f, 2, 0, 0xdf, 1, 0], 640, 480],
  [
    'JPEG after its other segments',
    [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 2, 0xff, 0xc2, 0, 11, 8, 1, 0xe0, 2, 0x80],
    640,
    480,
  ],
] as const)('the size of a %s is read from its head', (_name, bytes, width, height) => {
  expect(imageSizeOf(dataUrl([...bytes]))).toEqual({ width, height });
});

test('what is no picture has no size', () => {
  expect(imageSizeOf(dataUrl(text('nothing')))).toBeNull();
  expect(imageSizeOf('data:image/png;base64,')).toBeNull();
  expect(imageSizeOf('https://example.com/a.png')).toBeNull();
  expect(imageSizeOf(dataUrl([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]))).toBeNull();
});

/** As of a model of which nothing is known. */
const heldFor = (
  media: Parameters<typeof fileTokensMost>[1],
  unseen: boolean,
  { model = 'm', context = 1_048_576 } = {},
): number => {
  const { text, films, unsized } = fileTokensMost(model, media, unseen, context);
  return text + films + unsized;
};

test('files are held for by what they can come to, and by a whole context where nobody here can tell', () => {
  const files = (fileBytes: number) => ({ images: [], audioSeconds: 0, files: 1, fileBytes });
  expect(heldFor(files(100), false)).toBe(5000);
  expect(heldFor(files(400_000), false)).toBe(100_000);
  expect(heldFor(files(1_000_000), false)).toBe(250_000);
  expect(heldFor(files(20_000_000), false)).toBe(1_048_576);
  expect(heldFor(files(0), true)).toBe(1_048_576);
  expect(heldFor({ ...files(400), unsized: true }, false)).toBe(1_048_576);
  expect(heldFor(files(0), true, { context: 200_000 })).toBe(200_000);
  expect(heldFor(files(20_000_000), false, { context: 200_000 })).toBe(200_000);
});

test('a document is held for by its pages and the letters on them, but no more than its model reads', () => {
  const document = (pages: number, shownBytes: number) => ({
    images: [],
    audioSeconds: 0,
    files: 1,
    fileBytes: 900,
    pages,
    shownBytes,
  });
  expect(heldFor(document(1, 100), false)).toBe(5_000);
  expect(heldFor(document(10, 30_000), false)).toBe(10 * 2_500 + 30_000);
  expect(heldFor(document(10, 0), false, { model: 'gpt-4o-mini' })).toBe(10 * (2833 + 8 * 5667));
  expect(heldFor(document(1_000, 0), false, { context: 200_000 })).toBe(200_000);
});

test('a film costs its seconds, beside what else is held for its bytes', () => {
  const film = { images: [], audioSeconds: 0, files: 1, fileBytes: 40_000, videoSeconds: 100 };
  expect(mediaTokens('gemini-2.5-flash', film)).toMatchObject({ videoTokens: 29_000, fileTokens: 0 });
  expect(heldFor(film, false)).toBe(29_000 + 10_000);
  expect(heldFor({ ...film, videoSeconds: 1e9 }, false)).toBe(1_048_576 + 10_000);
  const often = { ...film, videoFrames: 2400 };
  expect(mediaTokens('gemini-2.5-flash', often).videoTokens).toBe(2400 * 258 + 100 * 32);
  expect(heldFor({ ...often, videoFrames: 1e9 }, false)).toBe(1_048_576 + 10_000);
});

test('files that are read apart are held for by as many contexts, each no longer than its model reads', () => {
  const items = (reads: number, unsizedReads: number, pages = 0, context = 32_768) => {
    const media = { images: [], audioSeconds: 0, files: reads, fileBytes: 0, pages, reads, unsizedReads };
    return heldFor(media, unsizedReads > 0, { context });
  };
  expect(items(1, 1)).toBe(32_768);
  expect(items(500, 500)).toBe(500 * 32_768);
  expect(items(10, 1)).toBe(32_768 + 50_000);
  // What stands elsewhere beside them is one of their contexts, too.
  expect(heldFor({ images: [], audioSeconds: 0, files: 2, fileBytes: 9, reads: 2 }, true)).toBe(
    1_048_576 + 10_000,
  );
  // Of those whose pages are counted no model reads more, either.
  expect(items(10, 0, 1_000, 8_192)).toBe(10 * 8_192);
  const film = { images: [], audioSeconds: 0, files: 3, fileBytes: 0, videoSeconds: 1e9, reads: 3 };
  expect(heldFor(film, false, { context: 8_192 })).toBe(3 * 8_192);
  expect(heldFor({ ...film, unsizedReads: 3, unseenFilm: true }, true, { context: 8_192 })).toBe(3 * 8_192);
});

test('a picture that is read with each document costs as often', () => {
  const media = { images: [{ detail: 'low' as const, times: 5 }], audioSeconds: 0, files: 0, fileBytes: 0 };
  expect(mediaTokens('gpt-4o', media).imageTokens).toBe(5 * 85);
  expect(mostImageTokens('gpt-4o', media)).toBe(5 * 85);
});
