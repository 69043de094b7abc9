/** Width and height of an image inside a `data:` address, read from the first bytes of its file. */

export interface ImageSize {
  width: number;
  height: number;
}

/** Where a JPEG keeps its size after thumbnails and colour profiles; those seldom take more. */
const HEAD_BYTES = 64 * 1024;

/** The size of a PNG, JPEG, GIF or WebP; null for anything else. */
export function imageSizeOf(dataUrl: string): ImageSize | null {
  const comma = dataUrl.indexOf(',');
  if (!dataUrl.startsWith('data:') || comma < 0) return null;
  const head = Buffer.from(dataUrl.slice(comma + 1, comma + 1 + Math.ceil((HEAD_BYTES * 4) / 3)), 'base64');
  if (head.length < 30) return null;
  return pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head);
}

const size = (width: number, height: number): ImageSize | null =>
  width > 0 && height > 0 ? { width, height } : null;

const pngSize = (head: Buffer) =>
  head.readUInt32BE(0) === 0x89504e47 ? size(head.readUInt32BE(16), head.readUInt32BE(20)) : null;

const gifSize = (head: Buffer) =>
  head.toString('latin1', 0, 4) === 'GIF8' ? size(head.readUInt16LE(6), head.readUInt16LE(8)) : null;

function webpSize(head: Buffer): ImageSize | null {
  if (head.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return size(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return size(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
    default:
      return null;
  }
}

/** Start-of-frame markers hold the size; the codes between them that are not frames are tables. */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpegSize(head: Buffer): ImageSize | null {
  if (head.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= head.length; ) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    if (isFrameMarker(marker)) return size(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5));
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}
