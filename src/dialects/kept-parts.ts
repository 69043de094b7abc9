/**
 * What writers of streams keep of an answer: parts that can be told only when they are whole, or all that its end repeats.
 * Pieces are counted by their texts alone, which are joined.
 */
import { weightOf } from '../core/json-weight.ts';
import type { PartDelta } from './neutral.ts';

/** Bytes that a piece adds to its part. */
export function keptOf(delta: PartDelta): number {
  switch (delta.type) {
    case 'signature':
      return delta.signature.length;
    case 'encrypted':
      return delta.encrypted.length;
    case 'audio':
      return (delta.data?.length ?? 0) + (delta.transcript?.length ?? 0);
    case 'citation':
      return weightOf(delta.citation);
    default:
      return delta.text.length;
  }
}

/** Of all open parts together. */
export function keptIn(open: ReadonlyMap<number, { readonly kept: number }>): number {
  let bytes = 0;
  for (const { kept } of open.values()) bytes += kept;
  return bytes;
}
