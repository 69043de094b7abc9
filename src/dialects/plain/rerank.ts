/** What all rerank calls say, whichever wire they say it on. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { CallersDialect } from '../body-rules.ts';
import type { PathFacts } from '../dialect.ts';

export interface RerankRequest {
  /** As the caller named it when read; the upstream's name when written. */
  model: string;
  query: string;
  /** Texts, or objects with a `text`, as they are ranked: what is written upstream. */
  documents: readonly Json[];
  /** As the caller gave them. */
  given: readonly Json[];
  /** The best so many; all where it is absent. */
  topN?: number;
  returnDocuments: boolean;
  maxTokensPerDoc?: number;
  /** Fields of the caller's that no other wire has a word for. */
  others?: readonly string[];
}

export interface RerankReply {
  id?: string;
  /** `index` in the caller's order; the best first. */
  results: readonly { index: number; score: number; document?: Json }[];
  /** Null when the upstream counted no tokens. */
  usage: Usage | null;
  /** Searches that the upstream counted. */
  searches?: number;
}

export interface RerankCodec {
  readRequest(body: JsonObject, path: PathFacts): RerankRequest;
  writeRequest(request: RerankRequest): JsonObject;
  /** Null when the answer holds no results. */
  readReply(body: JsonObject): RerankReply | null;
  writeReply(reply: RerankReply, request: RerankRequest): JsonObject;
}

export interface RerankDialect extends CallersDialect {
  readonly rerank: RerankCodec;
}
