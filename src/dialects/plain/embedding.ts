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

export const tokensUsage = (input: number): Usage => ({ ...noUsage(), input });
