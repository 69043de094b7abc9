import { expect, test } from 'bun:test';
import { imageSizeOf } from './image-size.ts';
import { MeasuringBudget } from './measuring-budget.ts';
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

const hex = (digits: string) => [...Buffer.from(digits.replaceAll(' ', ''), 'hex')];
const RIFF = text('RIFF\0\0\0\0WEBP');
const LOSSY = [...text('VP8 '), ...hex('0a000000 000000 9d012a 8002e001')];
const LOSSLESS = [...text('VP8L'), ...hex('0a000000 2f 7fc27700 0000000000')];
const CANVAS = [...text('VP8X'), ...hex('0a000000 00000000 8f0100 2b0100')];
const SMALL_SCREEN = [...text('GIF89a'), ...hex('01000100 800000 000000ffffff')];
const GIF_FRAME = [...hex('2c 10000000 7002e001 00 02 024401 00')];
const JPEG = 'ffd8 ffe00004 0102 ffc40002';
const PNG = '89504e470d0a1a0a';
const IHDR = '0000000d 49484452 00000280 000001e0 0800000000 00000000';
const SMALL_IHDR = '0000000d 49484452 00000001 00000001 0800000000 00000000';
const IDAT = '0000000a 49444154';
/** A frame of 640 by 480, and a scan. */
const [JPEG_FRAME, SCAN] = ['ffc2000b 08 01e00280 01011100', 'ffda0008'];
/** A byte that fills, before a segment whose length, taken a byte too early, leads to a frame within it. */
const hidden = Buffer.alloc(60_003);
hidden.write('ffffe9ea60', 'hex');
hidden.write('ffc0000b0800010001', 0xe9ea + 2, 'hex');

test.each([
  ['PNG', hex(PNG + IHDR + IDAT)],
  ['PNG with a smaller head before its own', hex(PNG + SMALL_IHDR + IHDR + IDAT)],
  ['PNG with a smaller head behind its own', hex(PNG + IHDR + SMALL_IHDR + IDAT)],
  [
    'GIF whose frame is larger than its screen',
    [...SMALL_SCREEN, ...hex('21f904 00000000 00'), ...GIF_FRAME],
  ],
  [
    'GIF with a larger frame behind a small one',
    [...SMALL_SCREEN, ...hex('2c 00000000 01000100 80'), ...hex('000000ffffff 02 024401 00'), ...GIF_FRAME],
  ],
  ['WebP lossy', [...RIFF, ...LOSSY]],
  ['WebP lossless', [...RIFF, ...LOSSLESS]],
  [
    'WebP extended, whose picture is larger than its canvas',
    [...RIFF, ...CANVAS, ...text('ICCP'), ...hex('01000000 0100'), ...LOSSLESS],
  ],
  ['JPEG after its other segments', hex(JPEG + JPEG_FRAME + SCAN)],
  ['JPEG after bytes that fill', hex(`${JPEG}ffffff${JPEG_FRAME}${SCAN}`)],
  ['JPEG with a smaller frame before it', hex(`${JPEG}ffc0000b 08 00010001 01011100${JPEG_FRAME}${SCAN}`)],
  ['JPEG with a smaller frame within a segment', [...hex('ffd8'), ...hidden, ...hex(JPEG_FRAME + SCAN)]],
] as const)('the size of a %s is read from its head', (_name, bytes) => {
  expect(imageSizeOf(dataUrl([...bytes]))).toEqual({ width: 640, height: 480 });
});

test.each([
  ['what is no picture', text('nothing')],
  [
    'a PNG that begins with another chunk',
    hex('89504e470d0a1a0a 00000004 43674249 00000001 00000001 00000000'),
  ],
  ['a PNG whose picture is not seen', hex(`${PNG}${IHDR}00ff0000 69434350`)],
  ['a GIF without a frame', SMALL_SCREEN],
  ...['f9', 'ff', '01'].map(
    (label) =>
      [
        `a GIF with nothing in its extension ${label}`,
        [...SMALL_SCREEN, ...hex(`21${label}00`), ...GIF_FRAME],
      ] as const,
  ),
  ['a WebP without its mark', [...RIFF, ...text('VP8 '), ...hex('0a000000 000000 000000 8002e001')]],
  ['a WebP whose picture is not seen', [...RIFF, ...CANVAS, ...text('ICCP'), ...hex('00ff0000')]],
  ['a JPEG with a longer segment than is there', hex('ffd8 ffe0ffff')],
  ['a JPEG with a segment shorter than its length', hex(`ffd8 ffe00001${JPEG_FRAME}${SCAN}`)],
  ['a JPEG whose height is told later', hex('ffd8 ffc0000b 08 00000280 01011100 ffda0008')],
  ['a JPEG without a scan', hex(JPEG + JPEG_FRAME)],
  ['a JPEG that begins again', hex(`ffd8${JPEG}${JPEG_FRAME}${SCAN}`)],
] as const)('%s has no size', (_name, bytes) => {
  expect(imageSizeOf(dataUrl([...bytes]))).toBeNull();
});

const again = (digits: string, count: number) => hex(digits.repeat(count));
test.each([
  ['PNG', [...hex(PNG + IHDR), ...again('00000000 74455874 00000000 ', 5_000), ...hex(IDAT)]],
  ['GIF', [...SMALL_SCREEN, ...again('21ff 01 00 00', 8_000), ...GIF_FRAME]],
  ['WebP', [...RIFF, ...CANVAS, ...again('45584946 00000000 ', 8_000), ...LOSSLESS]],
  ['JPEG', [...hex('ffd8'), ...again('ffe10002', 12_000), ...hex(JPEG_FRAME + SCAN)]],
] as const)('a %s of nothing but chunks takes of what a request may take', (_name, bytes) => {
  const url = dataUrl([...bytes]);
  const budget = new MeasuringBudget();
  expect(imageSizeOf(url, budget)).toEqual({ width: 640, height: 480 });
  for (let n = 0; n < 30; n++) imageSizeOf(url, budget);
  expect(imageSizeOf(url, budget)).toBeNull();
  expect(imageSizeOf(dataUrl([...hex(PNG + IHDR + IDAT)]), budget)).toBeNull();
});

test('the bytes that fill the place before a marker of a JPEG are looked at within the budget', () => {
  const budget = new MeasuringBudget();
  const before = budget.left;
  expect(imageSizeOf(dataUrl([...hex('ffd8'), ...Array(60_000).fill(0xff)]), budget)).toBeNull();
  expect(before - budget.left).toBeGreaterThan(60_000 / 256);
});

test('an address has no size, nor has a picture without bytes', () => {
  expect(imageSizeOf('data:image/png;base64,')).toBeNull();
  expect(imageSizeOf('https://example.com/a.png')).toBeNull();
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
  // Qwen's look at two frames a second where less is asked for.
  expect(mediaTokens('Qwen/Qwen2.5-VL-72B-Instruct', film).videoTokens).toBe(100 * 768);
  expect(mediaTokens('qwen-vl-max', often).videoTokens).toBe(1200 * 768);
  expect(fileTokensMost('qwen3-vl-plus', film, false, 1_048_576).films).toBe(100 * 768);
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
