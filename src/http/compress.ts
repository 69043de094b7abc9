/**
 * Pages and lists go out compressed, whoever made them. What carries a secret says `no-transform` and goes out as it is,
 * here and behind proxies: beside text of a stranger's choice its length would tell the secret, letter by letter.
 */
import { promisify } from 'node:util';
import { gzip as zlibGzip } from 'node:zlib';
import { limits } from '../core/limits.ts';
import { accepts } from './encoding.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Of an answer with a secret: nobody keeps it, nobody compresses it. */
export const SECRET = 'no-store, no-transform';

/** Whole answers only: what is written as it is read has other types. */
const TYPES = /^(?:text\/html|application\/json)(?:;|$)/;
const gzipInPool = promisify(zlibGzip);

/** A way of packing bodies. */
export interface Coding {
  /** As headers name it. */
  readonly name: string;
  atOnce(bytes: Bytes): Bytes;
  /** Beside the event loop. */
  inPool(bytes: Bytes): Promise<Bytes>;
}

/**
 * Of libdeflate the quickest level, as higher ones take twice the time for a tenth less, and of zlib, which the pool has,
 * the first that is as good.
 */
export const gzip: Coding = {
  name: 'gzip',
  atOnce: (bytes) => Bun.gzipSync(bytes, { level: 1, library: 'libdeflate' }),
  inPool: async (bytes) => new Uint8Array(await gzipInPool(bytes, { level: 3 })),
};

/** As fast, and long pages a fifth shorter; of lists higher levels make no less in three times the time. */
const zstdLevel = { level: 3 };
const zstd: Coding = {
  name: 'zstd',
  atOnce: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes, zstdLevel)),
  inPool: async (bytes) => new Uint8Array(await Bun.zstdCompress(bytes, zstdLevel)),
};

/** The first that its reader takes packs a body. */
const CODINGS: readonly Coding[] = [zstd, gzip];

export const isOfWholeType = ({ headers }: Response): boolean =>
  TYPES.test(headers.get('content-type') ?? '');

function isTransformable(answer: Response): boolean {
  const { status, headers } = answer;
  const isMeant = isOfWholeType(answer) || (status === 304 && headers.has('etag'));
  const isCoded = headers.has('content-encoding');
  return isMeant && !isCoded && !/\bno-transform\b/.test(headers.get('cache-control') ?? '');
}

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/**
 * By what this answer is to be compressed for who asks, if at all. Notes in its headers that it depends on him. HEAD is
 * told of the body as it is: how long it would be compressed nobody knows who has none.
 */
export function codingFor(request: Request, answer: Response): Coding | undefined {
  if (!isRead(request) || !isTransformable(answer)) return;
  answer.headers.append('vary', 'accept-encoding');
  if (request.method !== 'GET') return;
  return CODINGS.find(({ name }) => accepts(request, name));
}

/** The bytes compressed; many of them beside the event loop. */
export const compress = async (bytes: Bytes, coding: Coding): Promise<Bytes> =>
  bytes.byteLength > limits.compressAtOnceBytes ? coding.inPool(bytes) : coding.atOnce(bytes);

/** The headers of an answer, for its compressed body: its tag names what both bodies say, not their bytes. */
export function headersCompressed(answer: Response, coding: Coding): Headers {
  const headers = new Headers(answer.headers);
  headers.set('content-encoding', coding.name);
  headers.delete('content-length');
  weaken(headers);
  return headers;
}

function weaken(headers: Headers): void {
  const tag = headers.get('etag');
  if (tag !== null && !tag.startsWith('W/')) headers.set('etag', `W/${tag}`);
}

/** The same answer, compressed where it is long enough to gain by it. */
export async function compressed(answer: Response, coding: Coding): Promise<Response> {
  const { status, statusText } = answer;
  if (status === 304) {
    weaken(answer.headers);
    return answer;
  }
  const bytes = await answer.bytes();
  const isShort = bytes.byteLength < limits.compressFromBytes;
  return new Response(isShort ? bytes : await compress(bytes, coding), {
    status,
    statusText,
    headers: isShort ? answer.headers : headersCompressed(answer, coding),
  });
}
