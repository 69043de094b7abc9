/** What all embedding calls say, whichever wire they say it on. */
import type { JsonObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { CallersDialect } from '../body-rules.ts';
import type { PathFacts, ReplyFacts, SpokenDialect } from '../dialect.ts';

export type Vector = readonly number[];

export interface EmbeddingRequest {
  /** As the caller named it when read; the upstream's name when written. */
  model: string;
  texts: readonly string[];
  dimensions?: number;
  /** What the vectors are for, in Google's words. */
  taskType?: string;
  title?: string;
  /** The caller wants his vectors as base64. */
  base64?: boolean;
  /** Fields of the caller's that no other wire has a word for. */
  others?: readonly string[];
}

/** What not every wire can say. */
export type EmbeddingSetting = 'dimensions' | 'taskType' | 'title';

export interface EmbeddingReply {
  vectors: readonly Vector[];
  /** Null when the upstream counted nothing. */
  usage: Usage | null;
}

/** The upstream's half. */
export interface UpstreamEmbedding {
  writeRequest(request: EmbeddingRequest): JsonObject;
  /** The settings that `writeRequest` says; all of them where it is absent. */
  readonly says?: readonly EmbeddingSetting[];
  /** Null when the answer holds no vectors. */
  readReply(body: JsonObject): EmbeddingReply | null;
}

/** Both halves, of a dialect that callers speak. */
export interface EmbeddingCodec extends UpstreamEmbedding {
  /** Throws `invalid_request` where an input is no text. */
  readRequest(body: JsonObject, path: PathFacts): EmbeddingRequest;
  writeReply(reply: EmbeddingReply, request: EmbeddingRequest): JsonObject;
}

/** All there is of one that no caller speaks. */
export interface UpstreamEmbeddingDialect extends SpokenDialect {
  readReply(body: unknown): ReplyFacts;
  readonly embedding: UpstreamEmbedding;
}

export interface EmbeddingDialect extends CallersDialect {
  readonly embedding: EmbeddingCodec;
}

const NUMBERS = /\[[-+\d.eE,\s]*\]/g;
/** More characters than any list of numbers has that stands in what an upstream says of a mistake. */
const VECTOR_CHARS = 1_000;

/**
 * An answer's JSON with next to nothing in place of its vectors, of which no number is read where they pass as they come:
 * two thousand of them are 38 MB, and their millions of numbers would keep everybody waiting while they are parsed.
 */
export const withoutVectors = (text: string): string =>
  text.replace(NUMBERS, (list) => (list.length > VECTOR_CHARS ? '[0]' : list));

export const tokensUsage = (input: number): Usage => ({ ...noUsage(), input });
