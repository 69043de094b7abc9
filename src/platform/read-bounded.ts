/** Reads texts from the network within a bound: callers' requests, upstreams' answers. */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { tooLarge as answerTooLarge } from '../core/too-large.ts';
import { gather } from './gather.ts';

/**
 * The text of a request or an answer; throws `body_too_large` or, for an answer, `upstream_error` beyond the bound.
 * `grow` is told of the bytes as they come, and may throw.
 */
export async function readBounded(
  source: Request | Response,
  most: number,
  grow?: (bytes: number) => void,
): Promise<string> {
  const tooLarge = () => (source instanceof Request ? fail('body_too_large') : answerTooLarge('answer'));
  const length = source.headers.get('content-length');
  // The length of a compressed body says nothing about its content.
  if (length !== null && !source.headers.has('content-encoding')) {
    if (Number(length) > most) {
      // What nobody reads would come all the same.
      if (source instanceof Response) void source.body?.cancel().catch(() => undefined);
      throw tooLarge();
    }
    // What is short, and whatever nobody counts, is faster read at once.
    if (!grow) return source.text();
    if (Number(length) <= limits.bodyAtOnceBytes && source instanceof Response) {
      grow(Number(length));
      return source.text();
    }
  }
  const pieces = gather(source.body);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
      bytes += piece.byteLength;
      if (bytes > most) throw tooLarge();
      grow?.(piece.byteLength);
      text += decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    pieces.cancel();
    throw error;
  }
  return text + decoder.decode();
}
