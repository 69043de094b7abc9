/** Draws the icons of the installed console, as the manifest in `src/http/installable.ts` names them. */
import { crc32, deflateSync } from 'node:zlib';
import { MARK } from '../src/core/mark.ts';

interface Icon {
  /** Pixels of a side. */
  size: number;
  /** To be cut into any shape by the phone: the ground reaches every edge, and the mark keeps to the middle. */
  maskable?: boolean;
}

/** By name of file. */
const ICONS: Readonly<Record<string, Icon>> = {
  'icon-180.png': { size: 180, maskable: true },
  'icon-192.png': { size: 192 },
  'icon-512.png': { size: 512 },
  'icon-maskable-512.png': { size: 512, maskable: true },
};

/** How many points of a pixel are looked at, in each direction. */
const POINTS = 4;
/** What a phone may cut away leaves a circle of eight tenths of the side. */
const MASKED_SCALE = 0.75;

const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
const [GROUND, INK] = [channels(MARK.ground), channels(MARK.ink)];

/** Whether a place lies on the rounded square. */
function isOnGround(x: number, y: number): boolean {
  const { side, radius } = MARK;
  const beyond = (at: number) => Math.max(radius - at, at - (side - radius), 0);
  return Math.hypot(beyond(x), beyond(y)) <= radius;
}

const isOnBar = (x: number, y: number): boolean =>
  MARK.bars.some(
    ([left, top, width, height]) => x >= left && x < left + width && y >= top && y < top + height,
  );

/** Red, green, blue and opacity of every pixel, line by line, each line after a byte that says it is not filtered. */
function pixels({ size, maskable = false }: Icon): Uint8Array {
  const { side } = MARK;
  const lines = new Uint8Array(size * (1 + size * 4));
  const scale = maskable ? MASKED_SCALE : 1;
  const unit = side / size;
  const place = (at: number) => (at * unit - side / 2) / scale + side / 2;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let [ground, ink] = [0, 0];
      for (let point = 0; point < POINTS ** 2; point++) {
        const x = place(column + ((point % POINTS) + 0.5) / POINTS);
        const y = place(row + (Math.floor(point / POINTS) + 0.5) / POINTS);
        if (isOnBar(x, y)) ink++;
        else if (maskable || isOnGround(x, y)) ground++;
      }
      const at = row * (1 + size * 4) + 1 + column * 4;
      const all = ground + ink;
      GROUND.forEach((value, i) => {
        lines[at + i] = all === 0 ? 0 : Math.round((value * ground + (INK[i] ?? 0) * ink) / all);
      });
      lines[at + 3] = Math.round((all / POINTS ** 2) * 255);
    }
  }
  return lines;
}

/** A part of a PNG file: its length, its name, what is in it, and the sum that proves it. */
function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const part = Buffer.alloc(named.length + 8);
  part.writeUInt32BE(data.length, 0);
  named.copy(part, 4);
  part.writeUInt32BE(crc32(named), named.length + 4);
  return part;
}

function png(icon: Icon): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(icon.size, 0);
  head.writeUInt32BE(icon.size, 4);
  // Eight bits a channel, in colour with opacity.
  head.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels(icon), { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ]);
}

export const iconFiles = (): Map<string, Buffer> =>
  new Map(Object.entries(ICONS).map(([name, icon]) => [name, png(icon)]));
