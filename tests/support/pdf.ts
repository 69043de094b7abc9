/** PDFs as programs write them, and as nobody would. */
import { deflateSync } from 'node:zlib';

export type Drawn = { text: string } | { raw: Buffer } | { shared: true };

interface Told {
  /** Contents are packed, and objects without streams stand in one that is. */
  packed?: boolean;
  /** What stands in place of the filter of contents. */
  filter?: string;
  /** What pages show that say so. */
  shared?: string;
  extra?: readonly { dictionary: string; data: Buffer }[];
}

export function pdfOf(
  pages: readonly Drawn[],
  { packed = false, filter, shared = '', extra = [] }: Told = {},
): Buffer {
  const pieces: (string | Buffer)[] = ['%PDF-1.7\n'];
  const bare: [number: number, text: string][] = [];
  const stream = (number: number, dictionary: string, data: Buffer) => {
    pieces.push(
      `${number} 0 obj\n<< ${dictionary} /Length ${data.length} >>\nstream\n`,
      data,
      '\nendstream\nendobj\n',
    );
  };
  const contents = (number: number, data: Buffer) => {
    const named = filter ?? (packed ? '/FlateDecode' : undefined);
    const isPacked = packed && filter === undefined;
    stream(number, named === undefined ? '' : `/Filter ${named}`, isPacked ? deflateSync(data) : data);
  };
  const SHARED = 3;
  if (shared !== '') contents(SHARED, Buffer.from(shared, 'latin1'));
  const kids = pages.map((drawn, n) => {
    const [page, own] = [10 + 2 * n, 11 + 2 * n];
    if (!('shared' in drawn)) contents(own, 'raw' in drawn ? drawn.raw : Buffer.from(drawn.text, 'latin1'));
    const shows = 'shared' in drawn ? SHARED : own;
    bare.push([page, `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${shows} 0 R >>`]);
    return `${page} 0 R`;
  });
  bare.push([1, '<< /Type /Catalog /Pages 2 0 R >>']);
  bare.push([2, `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(' ')}] >>`]);
  for (const [n, { dictionary, data }] of extra.entries()) stream(100_000 + n, dictionary, data);
  if (packed) {
    const texts = bare.map(([, text]) => text);
    let at = 0;
    const table = bare.map(([number], n) => {
      const entry = `${number} ${at}`;
      at += (texts[n]?.length ?? 0) + 1;
      return entry;
    });
    const first = `${table.join(' ')} `;
    const data = deflateSync(Buffer.from(first + texts.join(' ')));
    stream(5, `/Type /ObjStm /N ${bare.length} /First ${first.length} /Filter /FlateDecode`, data);
  } else for (const [number, text] of bare) pieces.push(`${number} 0 obj\n${text}\nendobj\n`);
  pieces.push('trailer << /Root 1 0 R >>\n%%EOF\n');
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  );
}
