/**
 * Pages and lists go out compressed, whoever made them. What carries a secret says `no-transform` and goes out as it is,
 * here and behind proxies: beside text of a stranger's choice its length would tell the secret, letter by letter.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { limits } from '../core/limits.ts';
import { accepts } from './encoding.ts';

/** Of an answer with a secret: nobody keeps it, nobody compresses it. */
export const SECRET = 'no-store, no-transform';

/** Whole answers only: what is written as it is read has other types. */
const TYPES = /^(?:text\/html|application\/json)(?:;|$)/;
/** Of libdeflate the quickest: higher levels take twice the time for a tenth less. */
const LEVEL = 1;
/** Of zlib, which the pool has, the first that is as good as that. */
const POOL_LEVEL = 3;

const inPool = promisify(gzip);

const isTransformable = ({ status, headers }: Response): boolean =>
  (TYPES.test(headers.get('content-type') ?? '') || (status === 304 && headers.has('etag'))) &&
  !headers.has('content-encoding') &&
  !/\bno-transform\b/.test(headers.get('cache-control') ?? '');

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/**
 * Whether this answer is to be compressed for who asks. Notes in its headers that it depends on him. HEAD is told of the body
 * as it is: how long it would be compressed nobody knows who has none.
 */
export function isToCompress(request: Request, answer: Response): boolean {
  if (!isRead(request) || !isTransformable(answer)) return false;
  answer.headers.append('vary', 'accept-encoding');
  return request.method === 'GET' && accepts(request, 'gzip');
}

/** The bytes compressed; many of them beside the event loop. */
export const compress = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  bytes.byteLength > limits.compressAtOnceBytes
    ? new Uint8Array(await inPool(bytes, { level: POOL_LEVEL }))
    : Bun.gzipSync(bytes, { level: LEVEL, library: 'libdeflate' });

/** The headers of an answer, for its compressed body: its tag names what both bodies say, not their bytes. */
export function headersCompressed(answer: Response): Headers {
  const headers = new Headers(answer.headers);
  headers.set('content-encoding', 'gzip');
  headers.delete('content-length');
  weaken(headers);
  return headers;
}

function weaken(headers: Headers): void {
  const tag = headers.get('etag');
  if (tag !== null && !tag.startsWith('W/')) headers.set('etag', `W/${tag}`);
}

/** The same answer, compressed where it is long enough to gain by it. */
export async function compressed(answer: Response): Promise<Response> {
  const { status, statusText } = answer;
  if (status === 304) {
    weaken(answer.headers);
    return answer;
  }
  const bytes = await answer.bytes();
  const isShort = bytes.byteLength < limits.compressFromBytes;
  return new Response(isShort ? bytes : await compress(bytes), {
    status,
    statusText,
    headers: isShort ? answer.headers : headersCompressed(answer),
  });
}
